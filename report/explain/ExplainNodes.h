// The operators and collectives of one class, as lines or each with its equation, constants, sources and cause.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Rows.h"
#include "backends/cost/simulate/Simulation.h"
#include "report/explain/ExplainPage.h"

#include <array>

namespace planc::report {

/// Blanks before what is stated about a node.
inline constexpr size_t kIndent = 6;

/// An operator, or what one collective does to one value, over its phases.
struct ShortLine {
  std::string name, kind, bound;
  std::array<double, 3> seconds{}; ///< forward, recompute, backward
  double exposed = 0, longest = 0;
  double sum() const { return seconds[0] + seconds[1] + seconds[2]; }
};

class NodePages {
public:
  NodePages(const ExplainInput& input, const ir::LayerRef& choice);
  /// Whether an operator of the class is asked for.
  bool has(ir::LayerClassId id) const;
  /// Whether that is a single one.
  bool one(ir::LayerClassId id) const;
  /// Every node in program order, then the collectives of the states.
  void inFull(ExplainPage& page, ir::LayerClassId id) const;
  /// A line per operator and one per collective, those that take longest first; `most` of them.
  void inShort(ExplainPage& page, ir::LayerClassId id, size_t most) const;

private:
  struct Row {
    ir::LayerRef layer;
    double times = 1;
  };
  struct Found {
    const ir::Node* node;
    const cost::NodeCost* cost;
    double blockingShare; ///< of a collective: the part that runs on the compute stream
    double times;         ///< nested repeats that the cost counts and the report's row does not
    double exposed;       ///< seconds of one instance and micro-batch, in the mean of the step
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
  cost::Simulation sim_;                ///< prices by class, and what passes that run in pairs hide
  std::vector<std::vector<Row>> rowOf_; ///< by class and operator of its layer: the report's row
};

/// `decoder[0:20], 12 instances on stages 0-7`
std::string classTitle(const ir::Program& program, ir::LayerClassId id);
/// How a fused collective of states was priced, by its messages.
void explainState(ExplainPage& page, const ExplainInput& input, ir::LayerClassId layerClass,
                  const ir::StateCollective& state, const std::string& what);
/// How one collective was priced, with what limits it and what wants it; `what` it moves.
void explainCollective(ExplainPage& page, const ExplainInput& input, const ir::Node& node, const std::string& what,
                       double blockingShare);

} // namespace planc::report
