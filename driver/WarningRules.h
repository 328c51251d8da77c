// `--deny` and `--allow`: which warnings count as errors, and which are left out.
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

/// What becomes of warnings. A code that is named goes before `warnings`, which is all of them.
struct WarningRules {
  std::optional<std::string> denyAll; ///< who says so: `--deny`
  std::map<int, std::string> denied;  ///< codes, and who says so
  std::set<int> allowed;              ///< codes

  bool denies(const DiagnosticKind& kind) const;
  bool allows(const DiagnosticKind& kind) const;
  /// Of one that is denied: who says so.
  const std::string& deniedBy(const DiagnosticKind& kind) const;
};

/// All warnings, as a list of codes names them.
inline constexpr std::string_view kAllWarnings = "warnings";

/// The kind of a code, or null. `known`: the codes of warnings, for suggestions.
const DiagnosticKind* kindOf(const std::string& code, std::vector<std::string>& known);

/// What the options say; nothing after a usage error, which is stated: a code that is none, or an error's where only
/// warnings can be meant, or one that is both denied and allowed.
std::optional<WarningRules> warningRules(Console& console, const Arguments& arguments);

} // namespace planc::driver
