// The cost model of docs/cost-model.md behind the CostModel interface, and the table of named models.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/Collectives.h"
#include "backends/cost/price/CostModel.h"
#include "backends/cost/price/Operators.h"

#include <algorithm>
#include <cmath>

namespace planc::cost {

PLANC_ERROR(PriceNotFinite, 923, "{what} takes {seconds}, {flops} and {bytes}: one of these is no finite number")

namespace {

class AnalyticModel final : public CostModel {
  mutable Facts facts_;
  DiagnosticEngine& diagnostics_;
  mutable bool broken_ = false;

  /// A price that is no number stops a simulation or spoils it: nothing stands in for it, and the estimate is refused.
  /// The first one says enough.
  Priced finite(const Priced& priced, const Requester& requester) const {
    if (std::isfinite(priced.seconds) && std::isfinite(priced.flops) && std::isfinite(priced.bytes)) return priced;
    if (!broken_)
      diagnostics_
          .report(PriceNotFinite, requester.range(),
                  {{"what", requester.text()},
                   {"seconds", seconds(priced.seconds)},
                   {"flops", flops(priced.flops)},
                   {"bytes", bytes(priced.bytes)}})
          .help("look for an extent or a formula of the operator that is many orders of magnitude off");
    broken_ = true;
    return {};
  }

public:
  AnalyticModel(const ir::Cluster& cluster, const ir::Stack& stack, DiagnosticEngine& diagnostics)
      : facts_(cluster, stack), diagnostics_(diagnostics) {}

  Priced compute(const ir::Program& program, const ir::Node& node, Derivation* why,
                 EvidenceList* evidence) const override {
    return finite(priceNode(Pricing(facts_, program, node, why, evidence)), {&program, &node});
  }
  double collective(const ir::Program& program, const ir::Node& node, Derivation* why,
                    EvidenceList* evidence) const override {
    Priced priced;
    priced.seconds = priceCollective(Pricing(facts_, program, node, why, evidence));
    return finite(priced, {&program, &node}).seconds;
  }
  std::vector<LimitPart> limits(const ir::Program& program, const ir::Node& node) const override {
    std::vector<LimitPart> parts;
    priceCollective(Pricing(facts_, program, node, nullptr, nullptr, &parts));
    return parts;
  }
  bool complete() override { return facts_.report(diagnostics_) && !broken_; }
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
