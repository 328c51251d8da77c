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
  double seconds = 0; ///< price of the node
  Spent spent;        ///< seconds of the compute stream if the segment runs alone
  double launches = 0;
  double host = 0; ///< seconds that the host takes to issue a collective, in addition to launches
  double flops = 0, bytes = 0;
  Bound bound = Bound::Compute;
  bool runs = false; ///< a task of the segment refers to it (a recomputation that stops early leaves nodes out)
};

/// One instance in one direction.
struct SegmentCost {
  std::vector<NodeCost> nodes; ///< parallel to the class's list
  double seconds = 0;          ///< run alone, without state collectives of other instances; at least the host's time
  double computing = 0;        ///< seconds of operators, which communication can slow
  double weight = 0;           ///< seconds of kernels that make gradients of parameters
  double host = 0;             ///< seconds that the host takes to launch the segment
  double padding = 0;          ///< part of `seconds` in which the device waits for launches of the host
  bool overlaps = false;       ///< has tasks on comm streams
  std::vector<std::pair<ir::Stream, double>> inlined; ///< seconds of inline shares, by port
  std::optional<Streams::Batch> instance;             ///< tasks of the segment, tagged by node; set if `overlaps`
};

/// FLOPs by the type that products compute in.
using FlopsByType = std::map<ir::DType, double>;

/// The halves of a split backward pass. Each half has its own waits for communication and for the host. The second half
/// makes the gradients of parameters.
struct HalfCosts {
  SegmentCost first, second;
};

struct ClassCost {
  Shared<SegmentCost> forward, backward;
  std::shared_ptr<const HalfCosts> halves; ///< null if the schedule does not split backward passes
  Shared<FlopsByType> products; ///< FLOPs of matrix products of one instance, both directions, mean of all devices
  std::vector<double> states;   ///< seconds of each fused state collective, all layers of the instance together
  const SegmentCost& of(bool backwardPass) const { return backwardPass ? backward : forward; }
};

/// Returns the seconds that the host needs to issue a collective: the stack's time per rank of the group, or 0 if the
/// stack gives no time for the class.
double issueSeconds(const Facts& facts, const ir::Node& node);
/// Returns the seconds of a state collective, the host's time to issue it included. The host issues the concurrent part
/// while the previous collective moves. The blocking share of the class moves only after the host has issued it.
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

/// The tasks of one half of a backward pass. The second half holds gradients of parameters and the tasks
/// that read them.
ir::Segment halfOf(const ir::LayerClass& layerClass, const ir::Segment& backward, bool second);

/// Returns the tasks of one instance, tagged by node, with their times multiplied by `share`.
Streams::Batch instanceOf(const ir::Program& program, const std::vector<ir::Node>& nodes, const ir::Segment& segment,
                          const SegmentCost& cost, double share = 1);

/// Adds to `account` the seconds of `times` instances of a class in one direction that run alone.
void addAlone(Account& account, ir::LayerClassId layerClass, bool backward, const SegmentCost& cost, double times);

} // namespace planc::cost
