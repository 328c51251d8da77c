// What a cluster level says about how its units are wired.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Symbol.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace planc::ir {

/// `fat_tree(oversubscription = 2)`, `torus(dims = [16, 16])`: a word of `topologyWords()` with its arguments.
struct Topology {
  Symbol kind{"switch"};
  std::vector<std::pair<Symbol, double>> numbers; ///< by parameter, those that were written
  std::vector<int64_t> dims;                      ///< inner to outer; empty where the word takes none
  /// The parameter as written, else the standard one of its word.
  double number(Symbol parameter) const;
};

} // namespace planc::ir
