// Pairs the plans of two sides: first by file and name, then the plans that remain on both sides.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/diff/Result.h"

#include <utility>
#include <vector>

namespace planc::diff {

/// A priced plan of one side. Its file name is relative to the compared folder.
struct Candidate {
  std::string file;
  const Result* result = nullptr;
};

/// Pairs of plans, as indices into the candidates of both sides.
struct Pairs {
  std::vector<std::pair<size_t, size_t>> both; ///< in the order of the second side
  std::vector<size_t> gone, fresh;             ///< only on the first side; only on the second side
};

/// Pairs the plans of two sides. If both sides have one plan, these are a pair. Otherwise the criteria are, in this
/// order: the same file (by its name in the compared folder or in reports), plan and arguments; the same file and plan
/// with other arguments; the same facts under another name, then in another file; the same name in another file; the
/// only remaining plans of a file; at least half of the facts of their own files in common.
Pairs pair(const std::vector<Candidate>& before, const std::vector<Candidate>& after);

} // namespace planc::diff
