// The interface of the cost model. The rest of the cost backend contains no equations.
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

/// The equations of an estimate (docs/cost-model.md) for one cluster and stack.
class CostModel {
public:
  virtual ~CostModel() = default;
  /// Prices one execution of an operator, a copy or a collective.
  virtual Priced price(const ir::Program& program, const ir::Node& node, const Sinks& sinks = {}) const = 0;
  /// Prices the update of one device's shard of one parameter instance, without products of whole matrices. `together`:
  /// number of elements that the device updates in the same step.
  virtual Priced update(const ir::Program& program, const ir::ParamState& param, double together,
                        const Sinks& sinks = {}) const = 0;
  /// Returns the seconds of `flops` FLOPs of whole-matrix products in the optimizer's step.
  virtual double products(const ir::Program& program, double flops, const Sinks& sinks = {}) const = 0;
  /// Prices the optimizer's step of several devices. Each element of `devices` lists the virtual stages of one device.
  virtual std::vector<StageUpdate> updates(const ir::Program& program,
                                           const std::vector<std::vector<const ir::StageKind*>>& devices) const = 0;
  StageUpdate update(const ir::Program& program, const std::vector<const ir::StageKind*>& stages) const {
    return updates(program, {stages}).front();
  }
  /// Returns the bandwidth of the link to the host in bytes per second, in one direction.
  virtual double hostLink(const ir::Program& program, const Sinks& sinks = {}) const = 0;
  /// Reports missing facts (once per record) and warnings. Returns false if a fact is missing or a price was not
  /// finite.
  virtual bool complete() = 0;
};
/// Cached prices of nodes and parameter updates for one cluster and stack. The key is everything read from program and
/// mesh.
using PriceMemo = Memo<Priced, 1 << 16>;

/// Creates the cost model. `facts` and `diagnostics` must outlive it. Other parts of the estimate may look up facts in
/// `facts` too; `complete` reports all missing facts. Prices are cached in the memos of the facts. If the
/// facts have no memos, the model caches only the prices of collectives, in a memo of its own.
std::unique_ptr<CostModel> makeCostModel(Facts& facts, DiagnosticEngine& diagnostics);

} // namespace planc::cost
