// Finds the largest or smallest whole value of a path at which a plan of a file fits.
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

/// Facts of a tried value that a report shows, in addition to its fate.
struct ShownValue {
  double capacity = 0;                                           ///< bytes of device memory; 0: no price
  std::string message = {};                                      ///< the message of the law that rejects the value
  int64_t devices = 0;                                           ///< devices of the cluster; 0: no price
  std::vector<std::pair<std::string, std::string>> choices = {}; ///< choices of a search's best candidate: path, value
  std::optional<Quantity> missed = {};                           ///< left side of the first condition that fails
  std::vector<std::pair<std::string, Quantity>> met = {};        ///< if it fits: the conditions with their left sides
};

struct FittingValue {
  search::ExtremeFound found;
  std::string plan;                    ///< the plan's name as it was requested
  std::vector<std::string> conditions; ///< as the text writes them
  ShownValue in, out, refused, nearest;
  bool best = false;             ///< each value stands for the best candidate of a search
  std::unique_ptr<Search> wrong; ///< reports why no value can be tried; null if values can be tried
};

/// Selects the plan that is priced for each value.
enum class PlanAtValue {
  Written, ///< the plan as it is written, without the choices of its search
  Best,    ///< the best candidate of the plan's search with that value
};

/// `words` are the search options of the command line; their choices are ignored for `Written`. The conditions of the
/// plan's `search` block and those of `words` apply. `found.failed` is set after errors, which are reported in the
/// file's diagnostics. `threads`: threads of each search.
FittingValue fittingValue(PlanFile& file, const std::string& choice, ir::SearchWords words, search::Extreme what,
                          const std::string& path, PlanAtValue of = PlanAtValue::Written, unsigned threads = 1);

} // namespace planc::api
