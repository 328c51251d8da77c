// The check of one plan, shared by all commands that check.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Compilation.h"

namespace planc::driver {

/// Checks a plan against the laws of placement and schedule. Findings are in its diagnostics.
inline void checkPlan(api::Compilation& plan) {
  plan.checkVerdict();
  if (plan.lower() && plan.makeSchedule()) plan.settleAllowances(Reached::Checked);
}

} // namespace planc::driver
