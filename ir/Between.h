// Where a number lies between those of a rising list, on logarithms: what tables are interpolated and fitted with.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>

namespace planc::ir {

/// Two neighbours, and the share of the way from the lower to the higher one; outside of the list both are its end.
struct Between {
  size_t low = 0, high = 0;
  double share = 0;
};
/// `knots` rise and are not empty. From a knot that is 0 or less the share is linear.
Between between(std::span<const double> knots, double v);

} // namespace planc::ir
