// What checking a plan is, for all commands that do.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Compilation.h"

namespace planc::driver {

/// Puts a plan of a file through the laws of placement and schedule; what it finds is in its diagnostics.
inline void checkPlan(api::Compilation& plan) {
  plan.checkVerdict();
  if (plan.lower() && plan.makeSchedule()) plan.settleAllowances(Reached::Checked);
}

} // namespace planc::driver
