// `--deny` and `--allow`: which warnings count as errors, and which are left out.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Diagnostics.h"

#include <optional>
#include <set>

namespace planc::driver {

class Arguments;
class Console;

/// What becomes of warnings. A code that is named goes before `warnings`, which is all of them.
struct WarningRules {
  bool denyAll = false;
  std::set<int> denied, allowed; ///< codes

  bool denies(const DiagnosticKind& kind) const;
  bool allows(const DiagnosticKind& kind) const;
};

/// What the options say; nothing after a usage error, which is stated: a code that is none, or an error's where only
/// warnings can be meant, or one that is both denied and allowed.
std::optional<WarningRules> warningRules(Console& console, const Arguments& arguments);

} // namespace planc::driver
