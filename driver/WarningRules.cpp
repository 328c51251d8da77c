// Warnings that count as errors, and those that are left out.
// SPDX-License-Identifier: Apache-2.0
#include "driver/WarningRules.h"

#include "driver/Command.h"

#include <fmt/format.h>

namespace planc::driver {

namespace {

bool isWarning(const DiagnosticKind& kind) {
  return kind.severity == Severity::Warning;
}

/// The kind with this code; null after a usage error.
const DiagnosticKind* warningOf(Console& console, std::string_view option, const std::string& code) {
  std::vector<std::string> warnings;
  const DiagnosticKind* const kind = kindOf(code, warnings);
  if (kind && isWarning(*kind)) return kind;
  if (kind) {
    console.usageError(fmt::format("`{}` is about warnings, and {} is an error: {}", option, code, kind->message),
                       fmt::format("`planc explain {}` says what to do about it", code));
    return nullptr;
  }
  if (option == "--deny") warnings.emplace_back(kAllWarnings);
  console.usageError(fmt::format("`{}` has no warning `{}` to name", option, code),
                     didYouMean(code, warnings, "`planc explain --list` lists all codes"));
  return nullptr;
}

} // namespace

const DiagnosticKind* kindOf(const std::string& code, std::vector<std::string>& known) {
  for (const auto& [number, kind] : DiagnosticKind::all()) {
    if (kind->id() == code) return kind;
    if (isWarning(*kind)) known.push_back(kind->id());
  }
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
    const DiagnosticKind* const kind = warningOf(console, "--deny", code);
    if (!kind) return std::nullopt;
    rules.denied.emplace(kind->code, "--deny");
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
