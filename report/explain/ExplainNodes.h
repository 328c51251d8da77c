// The operators and collectives of one class: one line each, or each with its equation, constants, sources and cause.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Rows.h"
#include "backends/cost/simulate/Simulation.h"
#include "report/explain/ExplainPage.h"

#include <array>

namespace planc::report {

/// Blanks before the facts of a node.
inline constexpr size_t kIndent = 6;

/// The times of an operator over its phases, or of one collective on one value.
struct ShortLine {
  std::string name, kind, bound;
  std::array<double, 3> seconds{}; ///< forward, recompute, backward
  double exposed = 0, longest = 0;
  double sum() const { return seconds[0] + seconds[1] + seconds[2]; }
};

/// Explains the nodes of layer classes, as far as `choice` names them.
class NodePages {
public:
  NodePages(const ExplainInput& input, const ir::LayerRef& choice);
  /// Returns whether the request covers any operator of the class.
  bool has(ir::LayerClassId id) const;
  /// Returns whether the request covers exactly one operator of the class.
  bool one(ir::LayerClassId id) const;
  /// Writes every node in program order, then the collectives of the states.
  void inFull(ExplainPage& page, ir::LayerClassId id) const;
  /// Writes one line per operator and one per collective, longest first, at most `most` lines.
  void inShort(ExplainPage& page, ir::LayerClassId id, size_t most) const;

private:
  struct Row {
    ir::LayerRef layer;
    double times = 1;
  };
  struct Found {
    const ir::Node* node;
    const cost::NodeCost* cost;
    double blockingShare; ///< of a collective: the share that runs on the compute stream
    double times;         ///< runs in nested repeats that the cost includes and the report's row does not
    double exposed;       ///< seconds per instance and micro-batch, averaged over the step
  };
  std::vector<Found> nodesOf(ir::LayerClassId id) const;
  double exposedOf(ir::LayerClassId id, bool backward, ir::NodeIndex node) const;
  std::vector<ShortLine> shortLines(ir::LayerClassId id) const;
  const Row* rowOf(ir::LayerClassId id, ir::OpId op) const;
  bool belongs(ir::LayerClassId id, ir::OpId op) const;
  bool holds(const ir::StateCollective& state) const;
  void kernel(ExplainPage& page, const ir::LayerClass& layerClass, const ir::Node& node) const;
  void states(ExplainPage& page, ir::LayerClassId id) const;
  void kept(ExplainPage& page, ir::LayerClassId id, size_t most) const;
  std::string shape(const std::vector<ir::DimId>& dims, const ir::Layout& layout) const;
  std::string nameOf(const ir::Node& node) const;

  const ExplainInput& input_;
  const ir::LayerRef& choice_;
  const ir::Program& program_;
  cost::Simulation sim_;                ///< prices by class, and what paired passes hide
  std::vector<std::vector<Row>> rowOf_; ///< row of the report, by class and operator of its layer
};

/// Returns `decoder[0:20], 12 instances on stages 0-7`.
std::string classTitle(const ir::Program& program, ir::LayerClassId id);
/// Explains the price of a fused collective of states by its messages.
void explainState(ExplainPage& page, const ExplainInput& input, ir::LayerClassId layerClass,
                  const ir::StateCollective& state, const std::string& what);
/// Explains the price of one collective, its limit and its cause. `what`: the value that it moves.
void explainCollective(ExplainPage& page, const ExplainInput& input, const ir::Node& node, const std::string& what,
                       double blockingShare);

} // namespace planc::report
