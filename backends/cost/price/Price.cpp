// The names of bounds, and the largest part of a price.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/Price.h"

#include <algorithm>
#include <array>

namespace planc::cost {

std::string_view name(Bound b) {
  static constexpr std::array<std::string_view, 4> kNames{"compute", "memory", "network", "launch"};
  return kNames[static_cast<size_t>(b)];
}

LimitPart narrowest(const std::vector<LimitPart>& parts) {
  const auto most = std::max_element(parts.begin(), parts.end(),
                                     [](const LimitPart& a, const LimitPart& b) { return a.seconds < b.seconds; });
  return most == parts.end() ? LimitPart() : *most;
}

} // namespace planc::cost
