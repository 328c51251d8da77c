// One expression over metrics of an estimate, with the values of its parts.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/verdict/LayerMetric.h"
#include "backends/verdict/Verdict.h"

#include <optional>
#include <string_view>
#include <vector>

namespace planc::verdict {

/// Which step time an expression is evaluated at: the predicted one, or an end of its interval.
enum class At { Middle, Low, High };

/// One expression with the values of its parts.
class Evaluation {
  const ir::Plan& plan_;
  const cost::Estimate& estimate_;
  const ir::ExprTree& tree_;
  At at_;
  std::vector<std::optional<ir::ExprValue>> values_;

public:
  Evaluation(const ir::Plan& plan, const cost::Estimate& estimate, const ir::ExprTree& tree, At at = At::Middle);

  const ir::ExprTree& tree() const { return tree_; }
  const ir::ExprNode& node(ir::ExprId id) const { return tree_.nodes[id]; }
  const std::optional<ir::ExprValue>& value(ir::ExprId id) const { return values_[id.index]; }
  const std::optional<ir::ExprValue>& result() const { return value(tree_.root); }

  /// Reports why the result is missing, at the deepest parts that have no value although all of their operands have
  /// one.
  void reportMissing(DiagnosticEngine& diagnostics) const { reportMissing(tree_.root, diagnostics); }
  /// Adds a label with its value under every part that is not a plain number.
  void drawValues(DiagnosticEngine::Builder& report) const { draw(tree_.root, report); }
  std::vector<const Metric*> metricsUsed() const;
  /// Returns the first metric or fact that has no value for the plan; null if all have one.
  const ir::ExprNode* withoutMeaning() const;

private:
  std::optional<ir::ExprValue> lookup(const ir::ExprNode& node) const;
  std::vector<LayerVariant> variants(const ir::ExprNode& node, const Metric& metric) const;
  bool reportMissing(ir::ExprId id, DiagnosticEngine& diagnostics) const;
  std::string_view sameUnit(const Metric& asked) const;
  void reportMetric(const ir::ExprNode& node, DiagnosticEngine& diagnostics) const;
  void draw(ir::ExprId id, DiagnosticEngine::Builder& report) const;
  void drawOperand(ir::ExprId id, bool percent, bool evenLiterals, DiagnosticEngine::Builder& report) const;
};

} // namespace planc::verdict
