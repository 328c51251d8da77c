// What an observer of a chain receives: layers, and slices named by node and state.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/Chain.h"
#include "backends/cost/simulate/slices/InstanceSlices.h"

#include <algorithm>
#include <map>
#include <utility>

namespace planc::cost {

/// Names the tasks of the streams by the meaning of their tags. An instance that went through the streams as one task
/// is unfolded into its nodes.
class Chain::TaskNames : public SliceObserver {
public:
  TaskNames(const Chain& chain, SliceObserver& to) : chain_(chain), to_(to) {}
  ~TaskNames() override { tellRest(); }

  void observe(const Slice& slice) override {
    if (slice.stream == 0 || (ended() && slice.begin >= chain_.end_)) return;
    if (isRest(slice)) return; // `tellRest` draws its collectives at their place
    Slice named = nameOf(slice);
    if (ended()) named.end = std::min(named.end, chain_.end_);
    to_.observe(named);
  }

  void spend(const Slice& slice) override {
    if (ended()) return; // only communication runs on
    if (!isRest(slice)) {
      tellRest();
      return to_.spend(nameOf(slice));
    }
    if (slice.kind == SliceKind::Launches) {
      tellRest();
      return instance(slice).tellLaunches(to_, slice.begin, slice.end - slice.begin);
    }
    if (!open_) rest_ = slice, rest_.slowed = 0, open_ = true;
    rest_.end = slice.end, rest_.slowed += slice.slowed;
  }

  void beginLayer(int64_t layerClass, double at) override {
    tellRest();
    to_.beginLayer(layerClass, at);
  }

private:
  bool ended() const { return !chain_.ended_.empty(); }
  size_t runOf(const Slice& slice) const {
    size_t run = 0;
    while (static_cast<size_t>(slice.task) > chain_.tags_[run].rest) ++run;
    return run;
  }
  bool isRest(const Slice& slice) const { return static_cast<size_t>(slice.task) == chain_.tags_[runOf(slice)].rest; }
  ir::ActionKind action() const {
    if (chain_.part_ == ChainPart::InputHalf) return ir::ActionKind::BackwardInput;
    return chain_.backward_ ? ir::ActionKind::Backward : ir::ActionKind::Forward;
  }
  const InstanceSlices& instance(const Slice& slice) {
    const ir::LayerClassId id = chain_.runs_[runOf(slice)].first;
    const auto known = instances_.find(id);
    if (known != instances_.end()) return known->second;
    return instances_.try_emplace(id, chain_.schedule_, chain_.costs_[id.index], id, action()).first->second;
  }

  Slice nameOf(const Slice& slice) const {
    const auto tag = static_cast<size_t>(slice.task);
    const size_t run = runOf(slice);
    const Tags& tags = chain_.tags_[run];
    Slice named = slice;
    named.action = action();
    named.layerClass = static_cast<int64_t>(chain_.runs_[run].first.index), named.task = -1;
    if (tag < tags.nodes)
      named.state = static_cast<int64_t>(tag - tags.states);
    else if (tag < tags.rest)
      named.task = static_cast<int64_t>(tag - tags.nodes);
    return named;
  }

  /// Unfolds the seconds of an instance that went through the streams as one task.
  void tellRest() {
    if (!std::exchange(open_, false)) return;
    const size_t run = runOf(rest_);
    const SegmentCost& cost = chain_.costOf(chain_.runs_[run].first);
    const double share = chain_.share_[run], computing = share * cost.computing;
    instance(rest_).tellInOrder(to_, rest_.begin, share, computing > 0 ? rest_.slowed / computing : 0);
  }

  const Chain& chain_;
  SliceObserver& to_;
  std::map<ir::LayerClassId, InstanceSlices> instances_;
  Slice rest_; ///< seconds of an instance that goes through the streams as one task
  bool open_ = false;
};

std::unique_ptr<SliceObserver> Chain::namesFor(SliceObserver& to) const {
  return std::make_unique<TaskNames>(*this, to);
}

} // namespace planc::cost
