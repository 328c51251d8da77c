// Compares the statements of a plan without the instances in their selectors. Statements that differ only in the
// instances state one thing about all of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/Plan.h"

#include <string>

namespace planc::passes {

/// Returns everything that a statement states besides its selectors, as a text to compare.
std::string saying(const ir::PlacementRule& rule);
std::string saying(const ir::StateRule& rule);
std::string saying(const ir::Recompute& statement);
std::string saying(const ir::Keep& statement);

/// Returns whether two selectors name the same layers except for the instances of the repeat around them.
bool differInInstances(const ir::Selector& a, const ir::Selector& b);

/// Returns whether one rule represents the other in a class that cut-layers made of instances of both.
template <class Rule> bool sayTheSame(const Rule& a, const Rule& b) {
  return &a == &b || (differInInstances(a.selector, b.selector) && saying(a) == saying(b));
}

/// Returns the instances among `instances` of a layer that the selector names. If the layer is a part, which lies in
/// one instance, returns all of `instances`. A class can represent several selectors, so its first instance need not
/// match this one.
ir::RangeSet namedBy(const ir::Selector& selector, const ir::Layer& layer, const ir::RangeSet& instances);

} // namespace planc::passes
