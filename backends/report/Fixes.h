// What would make a plan that does not fit use less memory: changes whose saving follows from the program.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/report/Report.h"

#include <string>
#include <vector>

namespace planc::report {

struct Fix {
  std::string change; ///< as plan text: `states { optimizer -> dp }`
  std::string effect; ///< what it does
  double saved = 0;   ///< bytes on the fullest stage
  bool bound = false; ///< `saved` is the most it can be
};

/// The changes that help on the fullest stage, largest saving first.
std::vector<Fix> memoryFixes(const PlanReport& report);

} // namespace planc::report
