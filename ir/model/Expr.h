// Typed expression trees of assert, measured, where and minimize: constants of the plan, metrics by name, operators;
// with source ranges.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/model/LayerRef.h"
#include "support/Ids.h"
#include "support/Quantity.h"
#include "support/Source.h"

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace planc::ir {

struct ExprNode;
using ExprId = Id<ExprNode>;

enum class ExprOp { Constant, Metric, Fact, Neg, Not, Add, Sub, Mul, Div, Lt, Gt, Le, Ge, Eq, Ne, And, Or, If };

/// A number with its unit, or a truth value.
struct ExprValue {
  bool isBool = false;
  bool truth = false;
  Quantity quantity;
};

struct ExprNode {
  ExprOp op = ExprOp::Constant;
  SourceRange range;
  SourceRange opRange;
  std::vector<ExprId> kids;
  ExprValue constant;   ///< Constant: a literal, or a path of the plan that the frontend resolved
  bool literal = false; ///< Constant: written as a number (failing asserts do not repeat it)
  /// Metric: `step_time`, `memory.peak`; for `layer("decoder.attn").forward`: `layer.forward`. Fact: a path of the plan
  /// that a search changes, `mesh.tp`; a word of it that is compared, `recompute == none` (`constant` is a condition).
  std::string metric;
  LayerRef layer; ///< Metric `layer.…`: what it is of
};

struct ExprTree {
  Store<ExprNode> nodes;
  ExprId root;
  std::string text; ///< as written
};

/// The value of a metric or a fact; nothing if it is unknown or has no meaning for the workload (both are reported by
/// the lookup's owner).
using MetricLookup = std::function<std::optional<ExprValue>(const ExprNode&)>;

/// Evaluates bottom-up; `values[i]` is node i's value, empty where it could not be computed.
std::vector<std::optional<ExprValue>> evaluate(const ExprTree& tree, const MetricLookup& lookup);

} // namespace planc::ir
