// The largest or least whole value of a path at which a plan of a file fits.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Searches.h"
#include "search/Largest.h"

#include <string>

namespace planc::api {

/// A value, with what is said of it beside its fate.
struct ShownValue {
  double capacity = 0;      ///< bytes; 0 where it has no price
  std::string message = {}; ///< of the law that forbids it
};

struct FittingValue {
  search::ExtremeFound found;
  std::string plan;                    ///< as it was asked for
  std::vector<std::string> conditions; ///< as they are written
  ShownValue in, out, refused, nearest;
};

/// `words`: what else is said of the plan; what it varies is left out. Conditions of the plan's block hold as those of
/// the words do. `found.failed` after errors, which the file reports.
FittingValue fittingValue(PlanFile& file, const std::string& choice, ir::SearchWords words, search::Extreme what,
                          const std::string& path);

} // namespace planc::api
