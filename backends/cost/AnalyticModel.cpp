// The cost model of docs/cost-model.md behind the CostModel interface, and the table of named models.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/Collectives.h"
#include "backends/cost/Operators.h"

namespace planc::cost {

namespace {

class AnalyticModel final : public CostModel {
  mutable Facts facts_;
  DiagnosticEngine& diagnostics_;

public:
  AnalyticModel(const ir::Cluster& cluster, const ir::Stack& stack, DiagnosticEngine& diagnostics)
      : facts_(cluster, stack), diagnostics_(diagnostics) {}

  Priced compute(const ir::Program& program, const ir::Node& node, Derivation* why, Grounds* grounds) const override {
    return priceNode(Pricing(facts_, program, node, why, grounds));
  }
  double collective(const ir::Program& program, const ir::Node& node, Derivation* why,
                    Grounds* grounds) const override {
    return priceCollective(Pricing(facts_, program, node, why, grounds));
  }
  bool complete() override { return facts_.report(diagnostics_); }
  Facts& facts() const override { return facts_; }
};

std::unique_ptr<CostModel> makeAnalytic(const ir::Cluster& cluster, const ir::Stack& stack,
                                        DiagnosticEngine& diagnostics) {
  return std::make_unique<AnalyticModel>(cluster, stack, diagnostics);
}

} // namespace

const std::vector<CostModelKind>& costModels() {
  static const std::vector<CostModelKind> table = {
      {"analytic", "rooflines, measured curves and samples: docs/cost-model.md", makeAnalytic},
  };
  return table;
}

std::unique_ptr<CostModel> makeCostModel(std::string_view name, const ir::Cluster& cluster, const ir::Stack& stack,
                                         DiagnosticEngine& diagnostics) {
  for (const CostModelKind& row : costModels())
    if (row.name == name) return row.make(cluster, stack, diagnostics);
  return nullptr;
}

ir::Node collectiveNode(const ir::StateCollective& state) {
  ir::Node node;
  node.kind = ir::NodeKind::Collective;
  node.phase = state.phase;
  node.collective = state.collective;
  node.cls = state.cls;
  node.axes = state.axes;
  node.group = state.group;
  node.bytes = state.bytes;
  node.level = state.level;
  node.because = state.because;
  return node;
}

ir::Node transferNode(const ir::VirtualStage& from, const ir::Boundary& boundary) {
  ir::Node node;
  node.kind = ir::NodeKind::Collective;
  node.collective = ir::CollectiveKind::SendRecv;
  node.cls = ir::CollectiveClass::Pipeline;
  node.value = boundary.value;
  node.group = 2;
  node.bytes = boundary.bytes;
  node.level = from.level;
  return node;
}

} // namespace planc::cost
