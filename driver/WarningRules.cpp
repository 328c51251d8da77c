// Warnings that count as errors, and those that are left out.
// SPDX-License-Identifier: Apache-2.0
#include "driver/WarningRules.h"

#include "driver/Command.h"

#include <fmt/format.h>

namespace planc::driver {

namespace {

constexpr std::string_view kAll = "warnings";

bool isWarning(const DiagnosticKind& kind) {
  return kind.severity == Severity::Warning;
}

/// The kind with this code; null after a usage error.
const DiagnosticKind* warningOf(Console& console, std::string_view option, const std::string& code) {
  std::vector<std::string> warnings;
  for (const auto& [number, kind] : DiagnosticKind::all()) {
    if (kind->id() == code && isWarning(*kind)) return kind;
    if (kind->id() == code) {
      console.usageError(fmt::format("`{}` is about warnings, and {} is an error: {}", option, code, kind->message),
                         fmt::format("`planc explain {}` says what to do about it", code));
      return nullptr;
    }
    if (isWarning(*kind)) warnings.push_back(kind->id());
  }
  if (option == "--deny") warnings.emplace_back(kAll);
  console.usageError(fmt::format("`{}` has no warning `{}` to name", option, code),
                     didYouMean(code, warnings, "`planc explain --list` lists all codes"));
  return nullptr;
}

} // namespace

bool WarningRules::allows(const DiagnosticKind& kind) const {
  return isWarning(kind) && allowed.count(kind.code) != 0;
}

bool WarningRules::denies(const DiagnosticKind& kind) const {
  return isWarning(kind) && !allows(kind) && (denyAll || denied.count(kind.code) != 0);
}

std::optional<WarningRules> warningRules(Console& console, const Arguments& arguments) {
  WarningRules rules;
  for (const std::string& code : arguments.all("--deny")) {
    if (code == kAll) {
      rules.denyAll = true;
      continue;
    }
    const DiagnosticKind* const kind = warningOf(console, "--deny", code);
    if (!kind) return std::nullopt;
    rules.denied.insert(kind->code);
  }
  for (const std::string& code : arguments.all("--allow")) {
    const DiagnosticKind* const kind = warningOf(console, "--allow", code);
    if (!kind) return std::nullopt;
    if (rules.denied.count(kind->code) != 0) {
      console.usageError(fmt::format("{} is both denied and allowed", code), "leave one of the two out");
      return std::nullopt;
    }
    rules.allowed.insert(kind->code);
  }
  return rules;
}

} // namespace planc::driver
