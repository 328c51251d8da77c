// The streams of one run: colour, diagnostics, usage errors.
// SPDX-License-Identifier: Apache-2.0
#include "driver/Console.h"

#include "support/DiagnosticRender.h"
#include "support/TextCells.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace planc::driver {
namespace {

void write(std::FILE* stream, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
}

/// https://no-color.org: any value but the empty one turns colour off.
bool colorWanted(int stream) {
  const char* noColor = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  if (noColor && *noColor) return false;
  if (terminal && std::strcmp(terminal, "dumb") == 0) return false;
  return isatty(stream) != 0;
}

std::string counted(size_t n, const char* what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

} // namespace

Console::Console() : json_(std::make_unique<nlohmann::ordered_json>(nlohmann::ordered_json::array())) {
  setColor("auto");
}
Console::~Console() = default;

void Console::setColor(std::string_view mode) {
  colorOut_ = mode == "always" || (mode == "auto" && colorWanted(STDOUT_FILENO));
  colorErr_ = mode == "always" || (mode == "auto" && colorWanted(STDERR_FILENO));
}

void Console::setDiagnosticFormat(std::string_view format) {
  format_ = format == "json"    ? DiagnosticFormat::Json
            : format == "short" ? DiagnosticFormat::Short
                                : DiagnosticFormat::Human;
}

void Console::out(std::string_view text) {
  write(stdout, text);
}

void Console::remark(std::string_view text) {
  std::fflush(stdout);
  write(stderr, text);
}

int Console::usageError(std::string_view message, std::string_view help) {
  const char* bold = colorErr_ ? "\x1b[1;31m" : "";
  const char* plain = colorErr_ ? "\x1b[0m" : "";
  std::string text = std::string("planc: ") + bold + "error" + plain + ": " + printable(message) + "\n";
  if (!help.empty()) text += "  = help: " + printable(help) + "\n";
  remark(text);
  return kUsage;
}

void Console::diagnose(const DiagnosticEngine& diagnostics, const SourceManager& sources) {
  for (const Diagnostic* d : diagnostics.sorted()) {
    if (rules_.allows(*d->kind) || !seen_.insert(renderHuman(*d, sources, false)).second) continue;
    Diagnostic asError;
    if (rules_.denies(*d->kind)) {
      asError = *d;
      asError.denied = true;
      asError.notes.push_back("`" + rules_.deniedBy(*d->kind) + "` makes this warning an error");
      d = &asError;
    }
    (d->isError() ? errors_ : warnings_) += 1;
    json_->push_back(toJson(*d, sources));
    switch (format_) {
    case DiagnosticFormat::Human:
      remark(renderHuman(*d, sources, colorErr_) + "\n");
      break;
    case DiagnosticFormat::Short:
      remark(renderShort(*d, sources) + "\n");
      break;
    case DiagnosticFormat::Json:
      remark(json_->back().dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
      break;
    }
  }
  errors_ += diagnostics.suppressed();
  if (diagnostics.suppressed() > 0 && format_ != DiagnosticFormat::Json)
    remark("and " + counted(diagnostics.suppressed(), "more error") + "\n");
}

void Console::summarize() {
  if (format_ != DiagnosticFormat::Human || errors_ + warnings_ == 0) return;
  std::string text = errors_ > 0 ? counted(errors_, "error") : "";
  if (warnings_ > 0) text += (text.empty() ? "" : ", ") + counted(warnings_, "warning");
  remark(text + "\n");
}

const nlohmann::ordered_json& Console::diagnosticsJson() const {
  return *json_;
}

bool Console::finish() {
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && whole_;
}

} // namespace planc::driver
