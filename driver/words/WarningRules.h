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

/// The warning of a code that `key` names, an option or a list of planc.toml. Null after a report at its place: there
/// is none, or it is an error's. `all`: where `warnings` would be understood, too.
const DiagnosticKind* warningNamed(std::string_view key, const std::string& code, SourceRange place, bool all,
                                   DiagnosticEngine& diagnostics);

/// What the options say; nothing after a usage error, which is stated: a code that is none, or an error's where only
/// warnings can be meant, or one that is both denied and allowed.
std::optional<WarningRules> warningRules(Console& console, const Arguments& arguments);

} // namespace planc::driver
