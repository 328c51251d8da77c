// Finds the end of a plan in its text, and writes a line there.
// SPDX-License-Identifier: Apache-2.0
#include "driver/calibrate/MeasuredLine.h"

#include "api/PlanFile.h"
#include "api/Texts.h"
#include "driver/files/Files.h"

#include <fmt/format.h>

namespace planc::driver {

namespace {

/// Characters that end a text, or that it cannot hold, become `?`.
std::string plainText(std::string text) {
  for (char& c : text)
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ') c = '?';
  return text;
}

std::string lineOf(double seconds, const std::string& source) {
  const std::string time = seconds < 1 ? fmt::format("{:.6g}ms", 1e3 * seconds) : fmt::format("{:.6g}s", seconds);
  return fmt::format("measured step_time = {} : \"{}\"", time, plainText(source));
}

/// Why the text would be no plan file, or one whose plan lacks the line; empty if it is good.
std::string problemOf(const std::string& path, const std::string& text, const ir::Plan& plan) {
  api::PlanFile file;
  file.loadText(path, text);
  const auto made = file.check() ? file.bind(plan.name.str()) : nullptr;
  if (made && made->plan().measured.size() == plan.measured.size() + 1) return {};
  const Diagnostic* error = made ? made->diagnostics().firstError() : file.diagnostics().firstError();
  return error ? error->message : "the line would not be part of the plan";
}

} // namespace

std::string addMeasuredStep(const std::string& path, const SourceManager& sources, const ir::Plan& plan, double seconds,
                            const std::string& source) {
  std::string text(sources.text(plan.range.file));
  const std::string line = lineOf(seconds, source);
  if (!plan.arguments.empty()) return "a plan with parameters has no step of its own: write a plan that extends it";
  if (text.find(line) != std::string::npos) return {};
  const std::optional<api::PlanSource> declared = api::planSource(sources, plan);
  if (!declared) return "its declaration was not found";
  text.insert(declared->range.end - 1, "\n" + line + "\n"); // before the closing brace
  SourceManager written;
  DiagnosticEngine found;
  const auto formatted = api::formatText(written, written.add(path, text), found);
  if (!formatted) return found.firstError() ? found.firstError()->message : "its text cannot be formatted";
  if (std::string problem = problemOf(path, *formatted, plan); !problem.empty()) return problem;
  std::string ignored;
  if (readFile(path, ignored) != std::string(sources.text(plan.range.file))) return "it was changed in the meantime";
  return replaceFile(path, *formatted);
}

} // namespace planc::driver
