// Evaluation of expression trees: units combine, what is missing stays missing, and one known side may decide.
// SPDX-License-Identifier: Apache-2.0
#include "ir/model/Expr.h"

#include <gtest/gtest.h>

namespace planc::ir {
namespace {

struct Builder {
  ExprTree tree;
  ExprId number(double x, planc::Unit unit = {}) {
    ExprNode n;
    n.constant.quantity = {x, unit};
    return tree.nodes.add(n);
  }
  ExprId metric(const char* name) {
    ExprNode n;
    n.op = ExprOp::Metric;
    n.metric = name;
    return tree.nodes.add(n);
  }
  ExprId op(ExprOp op, std::vector<ExprId> kids) {
    ExprNode n;
    n.op = op;
    n.kids = std::move(kids);
    return tree.nodes.add(n);
  }
  std::optional<ExprValue> value(ExprId root) {
    tree.root = root;
    return evaluate(tree, [](const ExprNode& n) -> std::optional<ExprValue> {
      if (n.metric != "step_time") return std::nullopt;
      return ExprValue{false, false, {8.0, units::time}};
    })[root.index];
  }
  bool holds(ExprId root) {
    auto v = value(root);
    return v && v->isBool && v->truth;
  }
};

TEST(Expr, UnitsCombine) {
  Builder b;
  auto v = b.value(b.op(ExprOp::Div, {b.number(100, units::bytes), b.metric("step_time")}));
  ASSERT_TRUE(v);
  EXPECT_EQ(v->quantity.value, 12.5);
  EXPECT_EQ(v->quantity.unit, units::bandwidth);
  v = b.value(b.op(ExprOp::Mul, {b.metric("step_time"), b.number(2)}));
  EXPECT_EQ(v->quantity.unit, units::time);
  EXPECT_FALSE(b.value(b.op(ExprOp::Add, {b.metric("step_time"), b.number(2)})));
  v = b.value(b.op(ExprOp::Neg, {b.op(ExprOp::Sub, {b.number(2), b.number(5)})}));
  EXPECT_EQ(v->quantity.value, 3);
}

TEST(Expr, ComparisonsAreTruths) {
  Builder b;
  EXPECT_TRUE(b.holds(b.op(ExprOp::Lt, {b.metric("step_time"), b.number(9, units::time)})));
  EXPECT_FALSE(b.holds(b.op(ExprOp::Ge, {b.metric("step_time"), b.number(9, units::time)})));
  EXPECT_TRUE(b.holds(b.op(ExprOp::Eq, {b.number(2), b.number(2)})));
  EXPECT_TRUE(b.holds(b.op(ExprOp::Not, {b.op(ExprOp::Ne, {b.number(2), b.number(2)})})));
  EXPECT_FALSE(b.value(b.op(ExprOp::Lt, {b.metric("step_time"), b.number(9)})));
}

TEST(Expr, AKnownSideDecidesOverAMissingOne) {
  Builder b;
  ExprId yes = b.op(ExprOp::Lt, {b.number(1), b.number(2)}), no = b.op(ExprOp::Gt, {b.number(1), b.number(2)});
  ExprId missing = b.op(ExprOp::Lt, {b.metric("straggler"), b.number(2, units::time)});
  EXPECT_TRUE(b.holds(b.op(ExprOp::Or, {missing, yes})));
  auto v = b.value(b.op(ExprOp::And, {missing, no}));
  ASSERT_TRUE(v);
  EXPECT_FALSE(v->truth);
  EXPECT_FALSE(b.value(b.op(ExprOp::And, {missing, yes})));
  EXPECT_FALSE(b.value(b.op(ExprOp::Or, {no, missing})));
  EXPECT_TRUE(b.holds(b.op(ExprOp::And, {yes, yes})));
}

TEST(Expr, IfTakesOneBranch) {
  Builder b;
  ExprId yes = b.op(ExprOp::Lt, {b.number(1), b.number(2)});
  auto v = b.value(b.op(ExprOp::If, {yes, b.number(7), b.metric("straggler")}));
  ASSERT_TRUE(v);
  EXPECT_EQ(v->quantity.value, 7);
}

TEST(Expr, ARatioToNothingIsMissing) {
  Builder b;
  EXPECT_FALSE(b.value(b.op(ExprOp::Div, {b.number(1), b.number(0)})));
}

TEST(Expr, DepthIsNotBounded) {
  Builder b;
  ExprId sum = b.number(0);
  for (int i = 0; i < 200000; ++i) sum = b.op(ExprOp::Neg, {sum});
  EXPECT_TRUE(b.value(sum));
}

TEST(Expr, AnEmptyTreeHasNoValues) {
  EXPECT_TRUE(evaluate(ExprTree{}, {}).empty());
}

} // namespace
} // namespace planc::ir
