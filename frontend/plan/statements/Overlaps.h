// Finds overlapping selectors of a plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/model/Selectors.h"
#include "ir/model/DisjointSlices.h"

#include <algorithm>
#include <map>
#include <string>

namespace planc::frontend {

/// Finds selectors that may overlap an earlier one, without a comparison of all pairs.
class Overlaps {
public:
  /// Returns whether the selector may overlap one that was added before, then adds it.
  bool add(const ir::Selector& selector) {
    ir::Selector anywhere = selector;
    const bool sliced = !anywhere.steps.empty() && anywhere.steps[0].slice;
    const ir::RangeSet slice = sliced ? *anywhere.steps[0].slice : ir::RangeSet();
    if (sliced) anywhere.steps[0].slice.reset();
    const bool may = std::any_of(alike_.begin(), alike_.end(), [&](const auto& entry) {
      const Alike& other = entry.second;
      return overlaps(anywhere, other.anywhere) && (!sliced || other.whole || other.slices.meets(slice));
    });
    Alike& mine = alike_.try_emplace(anywhere.str(), Alike{anywhere, {}, false}).first->second;
    if (!sliced)
      mine.whole = true;
    else if (!mine.slices.add(slice))
      compared_ = true; // not disjoint, so nothing quick is known of those to come
    return may || compared_;
  }

private:
  /// Selectors that differ only in the instances of the repeat in front.
  struct Alike {
    ir::Selector anywhere;
    ir::DisjointSlices slices;
    bool whole = false; ///< one of them has no slice
  };

  std::map<std::string, Alike> alike_;
  bool compared_ = false;
};

} // namespace planc::frontend
