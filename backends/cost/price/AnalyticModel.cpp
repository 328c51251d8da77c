// The cost model of docs/cost-model.md, an implementation of `CostModel`.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/Collectives.h"
#include "backends/cost/price/CostModel.h"
#include "backends/cost/price/Operators.h"
#include "backends/cost/price/Update.h"

#include <algorithm>
#include <cmath>

namespace planc::cost {

PLANC_ERROR(PriceNotFinite, 923, "{what} takes {seconds}, {flops} and {bytes}; one of these is not a finite number")

namespace {

class AnalyticModel final : public CostModel {
  Facts& facts_;
  DiagnosticEngine& diagnostics_;
  mutable bool broken_ = false;
  mutable PriceMemo own_;
  PriceMemo& prices_;

  /// Replaces a price that is not finite by 0, because it would stop or spoil a simulation. The estimate is rejected
  /// afterwards. Only the first such price is reported.
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
  AnalyticModel(Facts& facts, DiagnosticEngine& diagnostics)
      : facts_(facts), diagnostics_(diagnostics), prices_(facts.memos ? facts.memos->of<PriceMemo>() : own_) {}

  Priced price(const ir::Program& program, const ir::Node& node, const Sinks& sinks) const override {
    const Pricing pricing(facts_, program, node, sinks);
    const bool collective = node.isCollective();
    const auto priceIt = [&] {
      return finite(collective ? priceCollective(pricing) : priceNode(pricing), pricing.requester());
    };
    // One plan has too few equal operators to make their cache worthwhile.
    if (sinks.any() || (!collective && (!facts_.memos || readsProgram(node)))) return priceIt();
    const Reads reads = collective ? readByCollective(pricing) : readByOperator(pricing);
    if (const Priced* before = prices_.find(reads)) return *before;
    const Priced priced = priceIt();
    prices_.add(reads, priced);
    return priced;
  }
  Priced update(const ir::Program& program, const ir::ParamState& param, double together,
                const Sinks& sinks) const override {
    return updateShard(pricingUpdate(facts_, program, sinks), param, together);
  }
  double products(const ir::Program& program, double flops, const Sinks& sinks) const override {
    return matrixSeconds(pricingUpdate(facts_, program, sinks), flops);
  }
  std::vector<StageUpdate> updates(const ir::Program& program,
                                   const std::vector<std::vector<const ir::StageKind*>>& devices) const override {
    return deviceUpdates(facts_, program, devices);
  }
  double hostLink(const ir::Program& program, const Sinks& sinks) const override {
    return linkOf(pricingUpdate(facts_, program, sinks));
  }
  bool complete() override { return facts_.report(diagnostics_) && !broken_; }
};

} // namespace

std::unique_ptr<CostModel> makeCostModel(Facts& facts, DiagnosticEngine& diagnostics) {
  return std::make_unique<AnalyticModel>(facts, diagnostics);
}

} // namespace planc::cost
