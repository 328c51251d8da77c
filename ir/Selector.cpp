// Selectors: how they print and which paths they reach.
// SPDX-License-Identifier: Apache-2.0
#include "ir/Selector.h"

namespace planc::ir {

std::string Selector::str() const {
  std::string text;
  for (const SelectorStep& step : steps) {
    if (!text.empty()) text += '.';
    text += step.star ? "*" : step.name.view();
    if (step.slice) text += step.slice->str();
  }
  return text;
}

std::optional<int> Selector::matches(const std::vector<Symbol>& path) const {
  if (steps.size() > path.size()) return std::nullopt;
  for (size_t i = 0; i < steps.size(); ++i)
    if (!steps[i].star && steps[i].name != path[i]) return std::nullopt;
  return static_cast<int>(steps.size());
}

} // namespace planc::ir
