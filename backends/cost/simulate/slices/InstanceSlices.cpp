// The slices of one instance that runs alone, from the same prices as its account.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/slices/InstanceSlices.h"

namespace planc::cost {

namespace {

/// Keeps slices as they come.
struct Kept : SliceObserver {
  std::vector<Slice>&spent, &moved;
  Kept(std::vector<Slice>& spent, std::vector<Slice>& moved) : spent(spent), moved(moved) {}
  void observe(const Slice& slice) override {
    if (slice.stream != 0) moved.push_back(slice);
  }
  void spend(const Slice& slice) override { spent.push_back(slice); }
};

const SegmentCost& costOf(const ClassCost& cost, ir::ActionKind kind) {
  if (kind == ir::ActionKind::BackwardInput) return cost.halves->first;
  if (kind == ir::ActionKind::BackwardWeight) return cost.halves->second;
  return cost.of(kind == ir::ActionKind::Backward);
}

} // namespace

InstanceSlices::InstanceSlices(const ir::Schedule& schedule, const ClassCost& of, ir::LayerClassId id,
                               ir::ActionKind kind) {
  const bool backward = kind != ir::ActionKind::Forward;
  const ir::LayerClass& layerClass = schedule.program->classes[id];
  const std::vector<ir::Node>& nodes = backward ? layerClass.backward : layerClass.forward;
  const SegmentCost& cost = costOf(of, kind);
  ir::Segment segment = (backward ? schedule.backward : schedule.forward)[id.index];
  const bool half = kind == ir::ActionKind::BackwardInput || kind == ir::ActionKind::BackwardWeight;
  if (half) segment = halfOf(layerClass, segment, kind == ir::ActionKind::BackwardWeight);
  head_.action = kind, head_.layerClass = static_cast<int64_t>(id.index);
  seconds_ = cost.seconds, padding_ = cost.padding;
  for (size_t n = 0; n < cost.nodes.size(); ++n)
    if (cost.nodes[n].spent.launches > 0)
      launches_.emplace_back(static_cast<ir::NodeIndex>(n), cost.nodes[n].spent.launches);
  if (cost.overlaps) {
    runOnStreams(schedule, segment, cost);
    return;
  }
  for (const ir::Task& task : *segment.tasks) {
    const ir::Collective* c = nodes[task.node].asCollective();
    const auto port = c ? static_cast<uint32_t>(ir::streamOf(*schedule.program, c->level)) : 0;
    tasks_.push_back({task.node, port, c != nullptr, cost.nodes[task.node].seconds * task.fraction});
  }
}

void InstanceSlices::runOnStreams(const ir::Schedule& schedule, const ir::Segment& segment, const SegmentCost& cost) {
  const ir::LayerClass& layerClass = schedule.program->classes[segment.layerClass];
  Streams streams(schedule.slowdown, schedule.besides);
  Kept kept(spent_, moved_);
  streams.watch(&kept);
  const Streams::TaskId begin = streams.addMarker({}, schedule.slowdown * cost.computing);
  streams.add(instanceOf(*schedule.program, segment.backward ? layerClass.backward : layerClass.forward, segment, cost),
              begin);
  streams.run();
}

void InstanceSlices::tell(SliceObserver& observer, double at) const {
  tellInOrder(observer, at, 1, 0);
  const auto moved = [&](Slice slice) {
    slice.action = head_.action, slice.layerClass = head_.layerClass;
    slice.begin += at, slice.end += at;
    return slice;
  };
  for (const Slice& slice : spent_) observer.spend(moved(slice));
  for (const Slice& slice : moved_) observer.observe(moved(slice));
  tellLaunches(observer, at + seconds_ - padding_, padding_);
}

void InstanceSlices::tellInOrder(SliceObserver& observer, double at, double share, double slowed) const {
  for (const OrderedTask& task : tasks_) {
    Slice slice = head_;
    slice.kind = task.communicates ? SliceKind::Held : SliceKind::Task, slice.task = static_cast<int64_t>(task.node);
    slice.slowed = task.communicates ? 0 : share * task.seconds * slowed;
    slice.begin = at, slice.end = at += share * task.seconds + slice.slowed;
    if (!(slice.end > slice.begin)) continue;
    observer.spend(slice);
    if (!task.communicates) continue;
    slice.kind = SliceKind::Task, slice.stream = Streams::inlineSlotOf(static_cast<ir::Stream>(task.port));
    observer.observe(slice);
  }
}

void InstanceSlices::tellLaunches(SliceObserver& observer, double at, double seconds) const {
  for (const auto& [node, own] : launches_) {
    Slice slice = head_;
    slice.kind = SliceKind::Launches, slice.task = static_cast<int64_t>(node);
    slice.begin = at, slice.end = at += seconds * own / padding_;
    if (slice.end > slice.begin) observer.spend(slice);
  }
}

} // namespace planc::cost
