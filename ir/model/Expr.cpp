// Evaluates expression trees. If a metric has no value, the expressions that depend on it have none.
// SPDX-License-Identifier: Apache-2.0
#include "ir/model/Expr.h"

#include <cmath>

namespace planc::ir {

namespace {

using Result = std::optional<ExprValue>;

Result truth(bool b) {
  ExprValue v;
  v.isBool = true;
  v.truth = b;
  return v;
}

Result number(double x, const Unit& unit) {
  if (!std::isfinite(x)) return std::nullopt; // a ratio to zero has no value
  ExprValue v;
  v.quantity = {x, unit};
  return v;
}

Result compare(ExprOp op, const ExprValue& a, const ExprValue& b) {
  if (a.isBool || b.isBool) {
    if (a.isBool != b.isBool) return std::nullopt;
    if (op == ExprOp::Eq) return truth(a.truth == b.truth);
    if (op == ExprOp::Ne) return truth(a.truth != b.truth);
    return std::nullopt;
  }
  if (a.quantity.unit != b.quantity.unit) return std::nullopt;
  double x = a.quantity.value, y = b.quantity.value;
  switch (op) {
  case ExprOp::Lt:
    return truth(x < y);
  case ExprOp::Gt:
    return truth(x > y);
  case ExprOp::Le:
    return truth(x <= y);
  case ExprOp::Ge:
    return truth(x >= y);
  case ExprOp::Eq:
    return truth(x == y);
  default:
    return truth(x != y);
  }
}

Result arithmetic(ExprOp op, const ExprValue& a, const ExprValue& b) {
  if (a.isBool || b.isBool) return std::nullopt;
  const Quantity &x = a.quantity, &y = b.quantity;
  switch (op) {
  case ExprOp::Mul:
    return number(x.value * y.value, x.unit * y.unit);
  case ExprOp::Div:
    return number(x.value / y.value, x.unit / y.unit);
  default:
    break;
  }
  if (x.unit != y.unit) return std::nullopt;
  return number(op == ExprOp::Add ? x.value + y.value : x.value - y.value, x.unit);
}

/// Short-circuits on one known side: false and anything is false, true or anything is true.
Result logic(ExprOp op, const Result& a, const Result& b) {
  bool decides = op == ExprOp::Or;
  for (const Result* side : {&a, &b})
    if (*side && (*side)->isBool && (*side)->truth == decides) return truth(decides);
  if (!a || !b || !a->isBool || !b->isBool) return std::nullopt;
  return truth(!decides);
}

Result unary(ExprOp op, const Result& a) {
  if (!a || a->isBool != (op == ExprOp::Not)) return std::nullopt;
  return op == ExprOp::Not ? truth(!a->truth) : number(-a->quantity.value, a->quantity.unit);
}

Result combine(const ExprNode& n, const std::vector<Result>& values, const MetricLookup& lookup) {
  auto kid = [&](size_t i) -> const Result& { return values[n.kids[i].index]; };
  switch (n.op) {
  case ExprOp::Constant:
    return n.constant;
  case ExprOp::Metric:
  case ExprOp::Fact:
    return lookup ? lookup(n) : std::nullopt;
  case ExprOp::Neg:
  case ExprOp::Not:
    return unary(n.op, kid(0));
  case ExprOp::And:
  case ExprOp::Or:
    return logic(n.op, kid(0), kid(1));
  case ExprOp::If:
    if (!kid(0) || !kid(0)->isBool) return std::nullopt;
    return kid(0)->truth ? kid(1) : kid(2);
  default:
    break;
  }
  if (!kid(0) || !kid(1)) return std::nullopt;
  bool arith = n.op == ExprOp::Add || n.op == ExprOp::Sub || n.op == ExprOp::Mul || n.op == ExprOp::Div;
  return arith ? arithmetic(n.op, *kid(0), *kid(1)) : compare(n.op, *kid(0), *kid(1));
}

} // namespace

std::vector<std::optional<ExprValue>> evaluate(const ExprTree& tree, const MetricLookup& lookup) {
  std::vector<Result> values(tree.nodes.size());
  if (!tree.root.valid()) return values;
  // An explicit stack, because a plan may hold an expression of any depth.
  enum class State : uint8_t { New, Open, Done };
  std::vector<State> state(tree.nodes.size(), State::New);
  std::vector<ExprId> stack{tree.root};
  while (!stack.empty()) {
    ExprId id = stack.back();
    const ExprNode& n = tree.nodes[id];
    if (state[id.index] == State::New) {
      state[id.index] = State::Open;
      for (size_t i = n.kids.size(); i-- > 0;)
        if (state[n.kids[i].index] == State::New) stack.push_back(n.kids[i]);
      continue;
    }
    stack.pop_back();
    if (state[id.index] == State::Done) continue;
    state[id.index] = State::Done;
    values[id.index] = combine(n, values, lookup);
  }
  return values;
}

} // namespace planc::ir
