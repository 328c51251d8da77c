// What the statements of a plan say, whatever instances of a repeat their selectors name: those that differ in the
// instances alone say one thing of all of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/Plan.h"

#include <string>

namespace planc::passes {

/// All that a statement says besides its selectors, as a text to compare.
std::string saying(const ir::PlacementRule& rule);
std::string saying(const ir::StateRule& rule);
std::string saying(const ir::Recompute& statement);
std::string saying(const ir::Keep& statement);

/// Do the selectors name the same layers but for the instances of the repeat around them?
bool differInInstances(const ir::Selector& a, const ir::Selector& b);

/// Does one rule stand for the other where cut-layers made one class of the instances of both?
template <class Rule> bool sayTheSame(const Rule& a, const Rule& b) {
  return &a == &b || (differInInstances(a.selector, b.selector) && saying(a) == saying(b));
}

/// Of some instances of a layer those that the selector names; all of a part, which lies in one. A class can stand for
/// several selectors, and its first instance need not be this one's.
ir::RangeSet namedBy(const ir::Selector& selector, const ir::Layer& layer, const ir::RangeSet& instances);

} // namespace planc::passes
