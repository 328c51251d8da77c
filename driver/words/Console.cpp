// Writes results, diagnostics and usage errors, with colour.
// SPDX-License-Identifier: Apache-2.0
#include "driver/words/Console.h"

#include "support/DiagnosticRender.h"
#include "support/text/TextCells.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
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

Console::Console()
    : json_(std::make_unique<nlohmann::ordered_json>(nlohmann::ordered_json::array())),
      suppressed_(std::make_unique<nlohmann::ordered_json>(nlohmann::ordered_json::array())) {
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

void Console::note(std::string_view text) {
  if (format_ == DiagnosticFormat::Human) remark(text);
}

int Console::usageError(std::string_view message, std::string_view help) {
  const char* bold = colorErr_ ? "\x1b[1;31m" : "";
  const char* plain = colorErr_ ? "\x1b[0m" : "";
  std::string text = std::string("planc: ") + bold + "error" + plain + ": " + printable(message) + "\n";
  if (!help.empty()) text += "  = help: " + printable(help) + "\n";
  remark(text);
  return kUsage;
}

RenderedDiagnostics::RenderedDiagnostics() = default;
RenderedDiagnostics::RenderedDiagnostics(RenderedDiagnostics&&) noexcept = default;
RenderedDiagnostics& RenderedDiagnostics::operator=(RenderedDiagnostics&&) noexcept = default;
RenderedDiagnostics::~RenderedDiagnostics() = default;

void RenderedDiagnostics::add(RenderedDiagnostics others) {
  std::move(others.all.begin(), others.all.end(), std::back_inserter(all));
}

std::string Console::textOf(const Diagnostic& d, const RenderedDiagnostics::One& rendered,
                            const SourceManager& sources) const {
  switch (format_) {
  case DiagnosticFormat::Short:
    return renderShort(d, sources) + "\n";
  case DiagnosticFormat::Json:
    return rendered.json->dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  case DiagnosticFormat::Human:
    break;
  }
  return renderHuman(d, sources, colorErr_) + "\n";
}

RenderedDiagnostics Console::render(const DiagnosticEngine& diagnostics, const SourceManager& sources,
                                    const std::string& of) const {
  RenderedDiagnostics out;
  for (const Diagnostic* d : diagnostics.sorted()) {
    if (rules_.allows(*d->kind)) continue;
    RenderedDiagnostics::One& one = out.all.emplace_back();
    one.picture = renderHuman(*d, sources, false);
    if (d->allowed) {
      one.allowed = true;
      one.json = std::make_unique<nlohmann::ordered_json>(toJson(*d, sources));
      (*one.json)["reason"] = d->allowed->reason;
      one.picture += d->allowed->reason;
      continue;
    }
    Diagnostic own;
    if (rules_.denies(*d->kind)) {
      own = *d;
      own.denied = true;
      own.notes.push_back("`" + rules_.deniedBy(*d->kind) + "` makes this warning an error");
      d = &own;
    }
    if (!of.empty() && std::any_of(d->args.begin(), d->args.end(), [](const auto& a) { return a.name == kOfArg; })) {
      if (d != &own) own = *d;
      for (DiagnosticArg& arg : own.args)
        if (arg.name == kOfArg) arg.text = of;
      d = &own;
    }
    one.error = d->isError();
    one.json = std::make_unique<nlohmann::ordered_json>(toJson(*d, sources));
    one.text = textOf(*d, one, sources);
  }
  if (diagnostics.suppressed() > 0) out.all.emplace_back().more = diagnostics.suppressed();
  return out;
}

void Console::diagnose(RenderedDiagnostics diagnostics) {
  for (RenderedDiagnostics::One& one : diagnostics.all) {
    errors_ += one.more;
    if (one.more > 0 && format_ != DiagnosticFormat::Json) remark("and " + counted(one.more, "more error") + "\n");
    if (one.more > 0 || !seen_.insert(std::move(one.picture)).second) continue;
    if (one.allowed) {
      suppressed_->push_back(std::move(*one.json));
      continue;
    }
    (one.error ? errors_ : warnings_) += 1;
    json_->push_back(std::move(*one.json));
    remark(one.text);
  }
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
