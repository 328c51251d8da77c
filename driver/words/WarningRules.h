// `--deny` and `--allow`: which warnings count as errors, and which are hidden.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Diagnostics.h"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace planc::driver {

class Arguments;
class Console;

/// The rules for warnings. A named code takes precedence over `warnings`, which means all.
struct WarningRules {
  std::optional<std::string> denyAll; ///< source of a rule that denies all: `--deny`
  std::map<int, std::string> denied;  ///< denied codes with the source of the rule
  std::set<int> allowed;              ///< allowed codes

  bool denies(const DiagnosticKind& kind) const;
  bool allows(const DiagnosticKind& kind) const;
  /// Returns the source of the rule that denies a warning. Call it only if `denies` is true.
  const std::string& deniedBy(const DiagnosticKind& kind) const;
};

/// The word for all warnings in a list of codes.
inline constexpr std::string_view kAllWarnings = "warnings";

/// Returns the warning of a code in `key`, an option or a list of planc.toml. Null after a report at `place` if there
/// is no such code or it belongs to an error. `all`: whether the list also accepts `warnings`, for the help.
const DiagnosticKind* warningNamed(std::string_view key, const std::string& code, SourceRange place, bool all,
                                   DiagnosticEngine& diagnostics);

/// Parses the options. Returns nothing after a usage error: an unknown code, the code of an error in place of a
/// warning, or a code that is both denied and allowed.
std::optional<WarningRules> warningRules(Console& console, const Arguments& arguments);

} // namespace planc::driver
