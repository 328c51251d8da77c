// The cost of one instance of each class: every node priced once, and its segment run alone on the streams.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/facts/Facts.h"
#include "backends/cost/price/CostModel.h"
#include "backends/cost/simulate/Streams.h"

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace planc::cost {

/// One node of a class's list, per instance (nested repeats multiplied out).
struct NodeCost {
  double seconds = 0; ///< of its own
  Spent spent;        ///< of the compute stream, run alone
  double launches = 0;
  double host = 0; ///< that the host takes to issue a collective, beside launches
  double flops = 0, bytes = 0;
  Bound bound = Bound::Compute;
  bool runs = false; ///< a task of the segment refers to it (a recomputation that stops early leaves nodes out)
};

/// One instance in one direction.
struct SegmentCost {
  std::vector<NodeCost> nodes; ///< parallel to the class's list
  double seconds = 0;          ///< alone: without the states of other instances; the host takes no longer
  double computing = 0;        ///< what communication can slow
  double weight = 0;           ///< kernels that make gradients of parameters
  double host = 0;             ///< that the host takes to launch it
  double padding = 0;          ///< of `seconds`: the host launches slower than the device runs
  bool overlaps = false;       ///< has tasks on comm streams
  std::vector<std::pair<ir::Stream, double>> inlined; ///< seconds of inline shares, by port
  std::optional<Streams::Batch> instance;             ///< if so: its tasks, with tags by node
};

/// FLOPs by the type that products compute in.
using FlopsByType = std::map<ir::DType, double>;

/// The halves of a backward pass, each with waits of its own for communication and host: the second makes gradients of
/// parameters.
struct HalfCosts {
  SegmentCost first, second;
};

struct ClassCost {
  Shared<SegmentCost> forward, backward;
  std::shared_ptr<const HalfCosts> halves; ///< null if the schedule does not split backward passes
  Shared<FlopsByType> products; ///< that matrix products of one instance execute, both directions, on a mean device
  std::vector<double> states;   ///< seconds of each fused state collective, all layers of the instance together
  const SegmentCost& of(bool backwardPass) const { return backwardPass ? backward : forward; }
};

/// Seconds that the host needs to issue a collective: a time per rank of its group, where the stack has one for its
/// class.
double issueSeconds(const Facts& facts, const ir::Node& node);
/// A state collective with what its host needs to issue it. What runs beside the layers is issued while the one before
/// moves; what holds them, the blocking share of its class, is issued by a host that waited, and moves after that.
double stateSeconds(const ir::Schedule& schedule, const Facts& facts, const ir::Node& node, double moving);

/// Prices every class of the schedule, by class id. The facts are those of the model.
std::vector<ClassCost> priceClasses(const ir::Schedule& schedule, const CostModel& model, Facts& facts);

/// Costs of classes, without states, that schedules share if they have the same nodes and overlap.
class CachedCosts {
public:
  CachedCosts(const ir::Schedule& schedule, Memos& memos);
  /// Returns null if the class has not been priced. The cost is valid until the next class is priced.
  const ClassCost* find(const ir::LayerClass& layerClass) const { return costs_.find(readBy(layerClass)); }
  void add(const ir::LayerClass& layerClass, const ClassCost& cost) { costs_.add(readBy(layerClass), cost); }
  Reads readBy(const ir::LayerClass& layerClass) const {
    Reads reads;
    reads << layerClass.forward << layerClass.backward << overlap_;
    return reads;
  }

private:
  Memo<ClassCost>& costs_;
  uint64_t overlap_; ///< stands for the shares and slowdowns of the schedule
};

/// The tasks of one half of a backward pass. The second holds gradients of parameters and what reads them.
ir::Segment halfOf(const ir::LayerClass& layerClass, const ir::Segment& backward, bool second);

/// The tasks of one instance, or a share of its time, with tags by node.
Streams::Batch instanceOf(const ir::Program& program, const std::vector<ir::Node>& nodes, const ir::Segment& segment,
                          const SegmentCost& cost, double share = 1);

/// The seconds of `times` instances of a class in one direction, run alone.
void addAlone(Account& account, ir::LayerClassId layerClass, bool backward, const SegmentCost& cost, double times);

} // namespace planc::cost
