// Finds the selectors that match a path without trying all of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/Plan.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace planc::passes {

/// Selectors by the names of their steps. The time of a lookup grows with the depth of the path, with the number of
/// selectors found, and with the number of selectors that have a `*`.
class SelectorIndex {
public:
  /// `selectorOf(i)` is the selector of number i.
  template <class F> SelectorIndex(size_t count, F selectorOf) {
    for (uint32_t i = 0; i < count; ++i) {
      const ir::Selector& selector = selectorOf(i);
      const bool star = std::any_of(selector.steps.begin(), selector.steps.end(), [](const auto& s) { return s.star; });
      (star ? stars_ : byNames_[selector.names()]).push_back(i);
    }
  }

  /// Returns the numbers of the selectors that are a prefix of the path or have a `*`, ascending. Ignores slices.
  std::vector<uint32_t> candidates(const std::vector<Symbol>& path) const {
    std::vector<uint32_t> found = stars_;
    std::vector<Symbol> prefix;
    for (size_t length = 0; length <= path.size(); ++length) {
      if (length > 0) prefix.push_back(path[length - 1]);
      if (const auto at = byNames_.find(prefix); at != byNames_.end())
        found.insert(found.end(), at->second.begin(), at->second.end());
    }
    std::sort(found.begin(), found.end());
    return found;
  }

private:
  std::map<std::vector<Symbol>, std::vector<uint32_t>> byNames_; ///< without `*`
  std::vector<uint32_t> stars_;
};

} // namespace planc::passes
