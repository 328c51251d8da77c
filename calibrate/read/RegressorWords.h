// What the functions of estimate-train-time are in terms of the library: vocabulary/regressor.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/samples/Formula.h"
#include "calibrate/samples/Vocabulary.h"

namespace planc::calibrate {

/// A function that they time, and its extents from the columns that it is sampled over.
struct RegressorFunction {
  std::string name;
  Kind kind;
  Symbol as;
  std::vector<std::string> columns;
  std::vector<std::pair<Extent, Formula>> extents;
  std::optional<Formula> elements; ///< that `bytes` are counted of
};

struct RegressorWords {
  std::map<std::string, Formula, std::less<>> lets; ///< of columns
  std::vector<RegressorFunction> functions;
};
/// Reads `regressor.json`.
RegressorWords regressorWords(std::string_view text);

} // namespace planc::calibrate
