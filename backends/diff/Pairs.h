// Which plan of one side is which of the other: by file and name, else by what is left alone on both sides.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/diff/Result.h"

#include <utility>
#include <vector>

namespace planc::diff {

/// A priced plan of a side, under the name of its file there: relative to what was compared.
struct Candidate {
  std::string file;
  const Result* result = nullptr;
};

struct Pairs {
  std::vector<std::pair<size_t, size_t>> both; ///< in the order of the second side
  std::vector<size_t> gone, fresh;             ///< of the first side only, of the second side only
};

/// One plan of either side is a pair. Else pairs are what has the same file, plan and arguments, by its name below
/// what was compared or as reports show it; then, of what is left: the same file and plan, with other arguments; plans
/// that say the same facts under another name; plans of one name whose file has moved; what is left alone in a file on
/// both sides; and what is more alike than not in what its own file says.
Pairs pair(const std::vector<Candidate>& before, const std::vector<Candidate>& after);

} // namespace planc::diff
