// What the forms of a comparison share.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "report/estimate/Compare.h"

namespace planc::report {

/// The labels of the plans, else their titles; with their files where two are called the same.
std::vector<std::string> comparedNames(const ComparisonReport& report);
/// `step time`, `time per token`, `device time per token`.
std::string measureText(const diff::Comparison& comparison);

} // namespace planc::report
