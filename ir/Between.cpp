// Finds the position of a number between the knots of an ascending list.
// SPDX-License-Identifier: Apache-2.0
#include "ir/Between.h"

#include <algorithm>
#include <cmath>

namespace planc::ir {

Between between(std::span<const double> knots, double v) {
  if (v <= knots.front()) return {};
  const size_t last = knots.size() - 1;
  if (v >= knots.back()) return {last, last, 0};
  const auto high = static_cast<size_t>(std::upper_bound(knots.begin(), knots.end(), v) - knots.begin());
  const double from = knots[high - 1], to = knots[high];
  return {high - 1, high, from > 0 ? std::log(v / from) / std::log(to / from) : (v - from) / (to - from)};
}

} // namespace planc::ir
