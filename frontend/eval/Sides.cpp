// Evaluates the two sides of a condition again, for a message.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/eval/Sides.h"

#include <fmt/format.h>

namespace planc::frontend {
using syntax::ExprKind;

std::vector<std::string> sidesOf(Evaluator& evaluator, const syntax::Expr& condition, Scope& scope) {
  std::vector<std::string> out;
  if (condition.kind != ExprKind::Binary || condition.kids.size() != 2) return out;
  for (const syntax::Expr* side : condition.kids) {
    if (side->kind == ExprKind::Int || side->kind == ExprKind::Float || side->kind == ExprKind::Quantity ||
        side->kind == ExprKind::List)
      continue;
    const Value v = evaluator.evaluate(*side, scope);
    if (!v.invalid()) out.push_back(fmt::format("`{}` is {}", evaluator.context.text(side->range), show(v)));
  }
  return out;
}

} // namespace planc::frontend
