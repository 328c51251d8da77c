// Paths of layers as plans name them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/Range.h"
#include "support/Source.h"
#include "support/Symbol.h"

#include <optional>
#include <string>
#include <vector>

namespace planc::ir {

struct SelectorStep {
  bool star = false;
  Symbol name;
  std::optional<Range> slice; ///< of a repeat's instances
};
/// A path of layer names; no steps = the whole model. A prefix of an operator's path matches it.
struct Selector {
  std::vector<SelectorStep> steps;
  SourceRange range;
  std::string str() const;
  /// Steps matched if it is a prefix of `path` (`*` matches one step), else nothing. Slices are not looked at.
  std::optional<int> matches(const std::vector<Symbol>& path) const;
};

} // namespace planc::ir
