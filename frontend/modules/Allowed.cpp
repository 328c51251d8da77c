// Creates allowances for warnings by code, each with a reason, and reports unused ones.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/modules/Allowed.h"

#include "frontend/modules/Codes.h"

#include <algorithm>

namespace planc::frontend {

PLANC_ERROR(AllowedError, 1151, "`allow` takes warnings, but {code} is an error")
PLANC_ERROR(AllowWithoutReason, 1152, "`allow {code}` needs a reason")

PLANC_WARNING(AllowIdle, 1153, "`allow {code}` has no effect: there is no such warning here")

std::shared_ptr<Allowance> AllowedWarnings::of(const syntax::AllowStmt& statement) {
  auto& known = known_[{statement.range.file, statement.range.begin}];
  if (known) return known;
  const DiagnosticKind* const kind = kindOf(statement.code, Severity::Warning, diagnostics_);
  if (!kind) return nullptr;
  if (kind->severity == Severity::Error) {
    diagnostics_.report(AllowedError, statement.code.range, {{"code", kind->id()}})
        .help("remove the statement and fix the plan; `planc explain " + kind->id() + "` says more");
    return nullptr;
  }
  const std::string reason = statement.reason ? statement.reason->text : "";
  if (reason.find_first_not_of(" \t\n") == std::string::npos) {
    diagnostics_
        .report(AllowWithoutReason, statement.reason ? statement.reason->range : statement.range,
                {{"code", kind->id()}})
        .help("state why the warning does not matter here: `allow " + kind->id() + " : \"…\"`");
    return nullptr;
  }
  known = std::make_shared<Allowance>();
  known->kind = kind;
  known->reason = reason;
  known->range = statement.range;
  return known;
}

void AllowedWarnings::reportIdle(FileId file) {
  std::vector<const Allowance*> idle;
  for (const auto& [place, allowance] : known_)
    if (allowance && place.first == file && !allowance->used) idle.push_back(allowance.get());
  const Allowances held = diagnostics_.allowances();
  diagnostics_.allowFirst(0); // warnings about `allow` statements cannot be allowed
  for (const Allowance* allowance : idle)
    if (const Reached needs = allowance->kind->needs;
        (needs == Reached::Checked && allowance->checked) || (needs == Reached::Priced && allowance->priced))
      diagnostics_.report(AllowIdle, allowance->range, {{"code", allowance->kind->id()}})
          .help("remove it, so that a later warning with this code is shown");
  diagnostics_.allow(held);
}

} // namespace planc::frontend
