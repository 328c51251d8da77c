// Empty tables of Decisions.h, for programs that are built before or without them. ANTLR then makes all decisions.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/parse/Decisions.h"

namespace planc::parse {

const Decisions& learnedDecisions() {
  static constexpr Decisions none{};
  return none;
}

} // namespace planc::parse
