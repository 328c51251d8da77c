// The largest or least whole value of a path at which a plan of a file fits.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Searches.h"
#include "search/Largest.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace planc::api {

/// A value, with what is said of it beside its fate.
struct ShownValue {
  double capacity = 0;                                           ///< bytes; 0 where it has no price
  std::string message = {};                                      ///< of the law that forbids it
  int64_t devices = 0;                                           ///< of the cluster; 0 where it has no price
  std::vector<std::pair<std::string, std::string>> choices = {}; ///< of the best of a search: path and value
  std::optional<Quantity> missed = {};                           ///< what a missed condition compares
  std::vector<std::pair<std::string, Quantity>> met = {};        ///< of a value that fits: conditions, their left sides
};

struct FittingValue {
  search::ExtremeFound found;
  std::string plan;                    ///< as it was asked for
  std::vector<std::string> conditions; ///< as they are written
  ShownValue in, out, refused, nearest;
  bool best = false;             ///< each value stands for the best of a search
  std::unique_ptr<Search> wrong; ///< its plan's diagnostics say why values cannot be tried; null if they can
};

/// Which plan stands for a value.
enum class PlanAtValue {
  Written, ///< the plan as it is written, without what its search varies
  Best,    ///< the best of the plan's search with that value
};

/// `words`: what else is said of the plan; what it varies is left out. Conditions of the plan's block hold as those of
/// the words do. `found.failed` after errors, which the file reports. `threads` of a search.
FittingValue fittingValue(PlanFile& file, const std::string& choice, ir::SearchWords words, search::Extreme what,
                          const std::string& path, PlanAtValue of = PlanAtValue::Written, unsigned threads = 1);

} // namespace planc::api
