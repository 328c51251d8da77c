// Maps the functions of estimate-train-time to operators of the library: vocabulary/regressor.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/samples/Formula.h"
#include "calibrate/samples/Vocabulary.h"

namespace planc::calibrate {

/// A timed function, and the extents of its samples computed from its columns.
struct RegressorFunction {
  std::string name;
  Kind kind;
  Symbol as;
  std::vector<std::string> columns;
  std::vector<std::pair<Extent, Formula>> extents;
  std::optional<Formula> elements; ///< element count from which `bytes` is computed
};

struct RegressorWords {
  std::map<std::string, Formula, std::less<>> lets; ///< named formulas over columns
  std::vector<RegressorFunction> functions;
};
/// Parses `regressor.json`.
RegressorWords regressorWords(std::string_view text);

} // namespace planc::calibrate
