// Typed expression trees of `assert`, `measured`, `where` and `minimize`: constants of the plan, metrics by name and
// operators, with source ranges.
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
  ExprValue constant;   ///< Constant: a literal, or a plan path that the frontend resolved
  bool literal = false; ///< Constant: written as a number (failing asserts do not repeat it)
  /// Metric: its name, `step_time`, `memory.peak`; `layer.forward` for `layer("decoder.attn").forward`. Fact: a path of
  /// the plan that a search changes, `mesh.tp`, or a comparison with a word, `recompute == none` (its value is a
  /// boolean).
  std::string metric;
  LayerRef layer; ///< Metric `layer.…`: the layer
};

struct ExprTree {
  Store<ExprNode> nodes;
  ExprId root;
  std::string text; ///< as written
};

/// Returns the value of a metric or a fact. Returns nothing if it is unknown or has no meaning for the workload; the
/// function reports both itself.
using MetricLookup = std::function<std::optional<ExprValue>(const ExprNode&)>;

/// Evaluates the tree bottom-up. `values[i]` is the value of node i, empty if it could not be computed.
std::vector<std::optional<ExprValue>> evaluate(const ExprTree& tree, const MetricLookup& lookup);

} // namespace planc::ir
