// The interface of the cost model: what has a price. The rest of the cost backend knows no equation.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/price/Price.h"
#include "ir/program/Task.h"
#include "support/Diagnostics.h"
#include "support/Memo.h"

#include <memory>
#include <vector>

namespace planc::cost {

class Facts;

/// The equations that an estimate is made of (docs/cost-model.md), for one cluster and stack.
class CostModel {
public:
  virtual ~CostModel() = default;
  /// One execution of an operator, a copy or a collective.
  virtual Priced price(const ir::Program& program, const ir::Node& node, const Sinks& sinks = {}) const = 0;
  /// The update of the shard that one device has of one instance of a parameter, products of matrices aside.
  /// `together`: elements that the device updates in the same step.
  virtual Priced update(const ir::Program& program, const ir::ParamState& param, double together,
                        const Sinks& sinks = {}) const = 0;
  /// Seconds of products of whole matrices of that many FLOPs in the optimizer's step.
  virtual double products(const ir::Program& program, double flops, const Sinks& sinks = {}) const = 0;
  /// The optimizer's step of devices that hold these virtual stages.
  virtual std::vector<StageUpdate> updates(const ir::Program& program,
                                           const std::vector<std::vector<const ir::StageKind*>>& devices) const = 0;
  StageUpdate update(const ir::Program& program, const std::vector<const ir::StageKind*>& stages) const {
    return updates(program, {stages}).front();
  }
  /// Bytes per second over the host's link, in one direction.
  virtual double hostLink(const ir::Program& program, const Sinks& sinks = {}) const = 0;
  /// Reports the facts that were asked for and are missing (each record once) and the warnings; false if any is
  /// missing.
  virtual bool complete() = 0;
};
/// Prices of nodes and of parameters' updates by all that they read of program and mesh, for one cluster and stack.
using PriceMemo = Memo<Priced>;

/// Facts and diagnostics must outlive it. What else an estimate needs of the facts it asks there: what lacks, whoever
/// asked, `complete` reports. `known`: prices that models of the same facts share, where all facts were there; without
/// one the model remembers its own, of collectives.
std::unique_ptr<CostModel> makeCostModel(Facts& facts, DiagnosticEngine& diagnostics, PriceMemo* known = nullptr);

} // namespace planc::cost
