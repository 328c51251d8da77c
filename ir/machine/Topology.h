// How the units of a cluster level are wired.
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
  std::vector<std::pair<Symbol, double>> numbers; ///< written arguments, by parameter
  std::vector<int64_t> dims;                      ///< inner to outer; empty if the word has no `dims`
  /// The parameter as written, else the default of the word.
  double number(Symbol parameter) const;
};

} // namespace planc::ir
