// Cached prices that estimates of many schedules share.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/memory/MemoryParts.h"
#include "backends/cost/price/CostModel.h"
#include "backends/cost/simulate/Segments.h"
#include "backends/cost/simulate/pipeline/KnownPipelines.h"
#include "support/Memo.h"

#include <memory>
#include <vector>

namespace planc::cost {

/// For schedules of one machine, stack and overlap; of another one it begins anew, of another overlap with the classes
/// of layers, which alone depend on it. All facts were there: who found that one lacks forgets what was priced with it.
class KnownPrices {
public:
  /// Are they of the machine and the stack of this plan?
  bool holdFor(const ir::Plan& plan) const { return cluster_ == plan.cluster && stack_ == plan.stack; }
  /// Forgets what does not hold for the schedule.
  void prepare(const ir::Schedule& schedule);
  void forget();
  /// Of the layers that programs share. Null if the class was not priced yet; holds until the next `add`.
  const ClassCost* find(const ir::LayerClass& layerClass) const;
  void add(const ir::LayerClass& layerClass, const ClassCost& cost);
  /// Adds the halves of a class that was added before.
  void addHalves(const ir::LayerClass& layerClass, const std::shared_ptr<const HalfCosts>& halves);
  PriceMemo& nodes() { return nodes_; }
  KnownPipelines& pipelines() { return pipelines_; }
  KnownParts& parts() { return parts_; }

private:
  struct Known {
    Shared<Indexed<ir::Node>> forward, backward; ///< kept, so that no other lists take their place in memory
    ClassCost cost;                              ///< without states
  };
  std::shared_ptr<const ir::Cluster> cluster_;
  std::shared_ptr<const ir::Stack> stack_;
  EnumArray<ir::CollectiveClass, double, ir::kCollectiveClasses> shares_{};
  double slowdown_ = 0;
  std::vector<double> besides_;
  Memo<Known> classes_; ///< by lists of nodes
  PriceMemo nodes_;
  KnownPipelines pipelines_;
  KnownParts parts_; ///< of memory
};

} // namespace planc::cost
