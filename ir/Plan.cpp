// Names of the states.
// SPDX-License-Identifier: Apache-2.0
#include "ir/Plan.h"

#include <array>

namespace planc::ir {

std::string_view name(StateKind k) {
  static constexpr std::array<std::string_view, 3> kNames{"params", "grads", "optimizer"};
  return kNames[static_cast<size_t>(k)];
}

} // namespace planc::ir
