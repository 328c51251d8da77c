// The position of a number between the knots of an ascending list, on a log scale. Tables are interpolated and fitted
// with it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>

namespace planc::ir {

/// Two neighbouring knots, and the fraction of the way from the lower to the higher one. Outside of the list, both
/// knots are the nearest end of the list.
struct Between {
  size_t low = 0, high = 0;
  double share = 0;
};
/// `knots` ascend and are not empty. The fraction is linear if the lower knot is 0 or less.
Between between(std::span<const double> knots, double v);

} // namespace planc::ir
