// Determines which warnings count as errors, and which are hidden.
// SPDX-License-Identifier: Apache-2.0
#include "driver/words/WarningRules.h"

#include "driver/words/Command.h"

#include <fmt/format.h>

namespace planc::driver {

PLANC_ERROR(NoWarningOfThatCode, 1107, "`{code}` in `{key}` is not the code of a warning")
PLANC_ERROR(ErrorAmongWarnings, 1108, "`{key}` takes warnings, but {code} is an error: {message}")

namespace {

bool isWarning(const DiagnosticKind& kind) {
  return kind.severity == Severity::Warning;
}

/// Returns the warning that an option names; null after a usage error.
const DiagnosticKind* warningOf(Console& console, std::string_view option, const std::string& code, bool all) {
  DiagnosticEngine found;
  const DiagnosticKind* const kind = warningNamed(option, code, {}, all, found);
  if (const Diagnostic* mistake = found.firstError()) console.usageError(mistake->message, mistake->help.front());
  return kind;
}

} // namespace

const DiagnosticKind* warningNamed(std::string_view key, const std::string& code, SourceRange place, bool all,
                                   DiagnosticEngine& diagnostics) {
  std::vector<std::string> known;
  for (const auto& [number, kind] : DiagnosticKind::all()) {
    if (isWarning(*kind)) known.push_back(kind->id());
    if (kind->id() != code) continue;
    if (isWarning(*kind)) return kind;
    diagnostics.report(ErrorAmongWarnings, place, {{"key", key}, {"code", code}, {"message", kind->message}})
        .help(fmt::format("`planc explain {}` explains it", code));
    return nullptr;
  }
  if (all) known.emplace_back(kAllWarnings);
  diagnostics.report(NoWarningOfThatCode, place, {{"key", key}, {"code", code}})
      .help(didYouMean(code, known, "`planc explain --list` lists all codes"));
  return nullptr;
}

bool WarningRules::allows(const DiagnosticKind& kind) const {
  return isWarning(kind) && allowed.count(kind.code) != 0;
}

bool WarningRules::denies(const DiagnosticKind& kind) const {
  return isWarning(kind) && !allows(kind) && (denyAll || denied.count(kind.code) != 0);
}

const std::string& WarningRules::deniedBy(const DiagnosticKind& kind) const {
  const auto by = denied.find(kind.code);
  return by == denied.end() ? *denyAll : by->second;
}

std::optional<WarningRules> warningRules(Console& console, const Arguments& arguments) {
  WarningRules rules;
  for (const std::string& code : arguments.all("--deny")) {
    if (code == kAllWarnings) {
      rules.denyAll = "--deny";
      continue;
    }
    const DiagnosticKind* const kind = warningOf(console, "--deny", code, true);
    if (!kind) return std::nullopt;
    rules.denied.emplace(kind->code, "--deny");
  }
  for (const std::string& code : arguments.all("--allow")) {
    const DiagnosticKind* const kind = warningOf(console, "--allow", code, false);
    if (!kind) return std::nullopt;
    if (rules.denied.count(kind->code) != 0) {
      console.usageError(fmt::format("{} is both denied and allowed", code), "remove one of the two");
      return std::nullopt;
    }
    rules.allowed.insert(kind->code);
  }
  return rules;
}

} // namespace planc::driver
