// The parts of a stage's memory from classes, states and the stack's habits (docs/cost-model.md, section 3a).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/memory/MemoryParts.h"

#include "backends/cost/price/Buckets.h"
#include "ir/States.h"
#include "ir/facts/StackFacts.h"
#include "support/Indexed.h"

#include <algorithm>
#include <array>
#include <map>

namespace planc::cost {

namespace {

constexpr double kSinglePrecision = 4;
/// The logits and what becomes their gradient, both in fp32 (docs/cost-model.md, section 3a).
constexpr double kLogitCopies = 2;

/// Bytes per element of a parameter as stored.
double storedWidth(const ir::Program& program, const ir::ParamState& p) {
  return ir::width(ir::storedAs(program, p));
}

class Parts {
public:
  Parts(const ir::Schedule& schedule, const ir::StageKind& stage, const ir::Stack& stack)
      : schedule_(schedule), program_(*schedule.program), plan_(*program_.plan), stage_(stage), stack_(stack) {}

  StageParts all() {
    addInstances();
    for (const auto& [id, count] : instancesOf(stage_)) {
      const ir::LayerClass& layerClass = program_.classes[id];
      addStates(layerClass, static_cast<double>(count));
      for (const ir::Saved& s : layerClass.saved)
        if (plan_.workload.train && s.host) parts_.hostSaved += s.bytes * static_cast<double>(count);
      parts_.received += keptGathered(layerClass) * static_cast<double>(count);
      if (stack_.truth(ir::StackFact::CopiesGathers)) receive(layerClass);
    }
    addStateBuffers();
    for (double bytes : received_) parts_.received += bytes;
    double sent = 0;
    for (const ir::Boundary& b : stage_.sends) sent += b.arriving();
    parts_.boundary = sent + stage_.receives;
    return std::move(parts_);
  }

private:
  double size(ir::AxisMask axes) const { return static_cast<double>(program_.mesh.size(axes)); }

  void addStates(const ir::LayerClass& layerClass, double count) {
    for (const ir::ParamState& p : layerClass.params) {
      if (!p.owner) continue;
      const ir::StateBytes bytes = ir::stateBytes(program_, p);
      (p.host[0] ? parts_.hostParams : parts_.params) += bytes.params * count;
      if (!p.trainable || !plan_.workload.train) continue;
      (p.host[1] ? parts_.hostGrads : parts_.grads) += bytes.grads * count;
      parts_.hostGrads += ir::sentToHost(program_, p) * count;
      (p.host[2] ? parts_.hostOptimizer : parts_.optimizer) += bytes.optimizer() * count;
      const double elements = p.elements * count, width = storedWidth(program_, p);
      if (stack_.truth(ir::StackFact::CopiesBuckets) && p.partial && p.touched == 0) parts_.buckets += elements * width;
      const ir::AxisMask gathered = p.optimizer & ~p.params;
      if (stack_.truth(ir::StackFact::CopiesUpdate) && gathered) // the whole, and the part that this device contributes
        parts_.update += elements * width / size(p.params) * (1 + 1 / size(gathered));
    }
  }

  /// Run by run: what is alive at a moment depends on their order.
  void addInstances() {
    std::map<ir::LayerClassId, InstanceMemory> known;
    for (const auto& [id, count] : stage_.classes) {
      const auto [one, fresh] = known.try_emplace(id);
      if (fresh) one->second = instance(id);
      parts_.instances.push_back(one->second);
      parts_.instances.back().count = count;
    }
  }

  InstanceMemory instance(ir::LayerClassId id) const {
    const ir::LayerClass& layerClass = program_.classes[id];
    InstanceMemory m;
    m.layerClass = id;
    for (const ir::Saved& s : layerClass.saved)
      if (plan_.workload.train && !s.host) m.saved += s.bytes;
    m.workingForward = layerClass.workingForward;
    m.workingBackward = layerClass.workingBackward;
    m.weightOperands = layerClass.weightOperands;
    m.narrow = narrow(layerClass);
    m.logits = logits(layerClass);
    return m;
  }

  /// Gradients of one pass in the parameters' width, if they wait for its end; the only pass writes into the buckets.
  double narrow(const ir::LayerClass& layerClass) const {
    if (stack_.accumulate() != ir::Accumulate::Deferred || !plan_.workload.train) return 0;
    double bytes = 0;
    for (const ir::ParamState& p : layerClass.params) {
      const bool bucket = stack_.truth(ir::StackFact::CopiesBuckets) && p.partial && program_.microBatches == 1;
      if (p.owner && p.trainable && p.touched == 0 && !bucket) bytes += p.elements * storedWidth(program_, p);
    }
    return bytes;
  }

  /// Buffers of layers in a row, whichever classes they belong to: equal layers cost the same folded and written out.
  void addStateBuffers() {
    using enum ir::CollectiveClass;
    const int64_t ahead = 1 + schedule_.prefetch;
    auto most = [&](int64_t window, auto counts) {
      return mostBytes(program_, stage_, window, [&](const ir::StateCollective& s) { return counts(s) ? s.bytes : 0; });
    };
    parts_.gathered = most(ahead, [](const ir::StateCollective& s) {
      return s.cls == State && s.collective != ir::CollectiveKind::HostCopy && s.phase == ir::Phase::Forward && !s.kept;
    });
    // One bucket is filled while the one before is reduced, unless reductions are inline.
    parts_.reducing = bytesReducing(schedule_, stage_, schedule_.blockingShare[Gradient] < 1 ? 2 : 1);
    // What leaves is copied while the next layer runs; what arrives is there before its layer begins. Copies of forward
    // and backward do not meet.
    for (ir::Phase phase : {ir::Phase::Forward, ir::Phase::Backward}) {
      auto copies = [&](bool out) {
        return most(out ? 2 : ahead, [&](const ir::StateCollective& s) {
          return s.collective == ir::CollectiveKind::HostCopy && s.phase == phase && s.out == out;
        });
      };
      parts_.staged = std::max(parts_.staged, copies(false) + copies(true));
    }
  }

  /// Parameters that stay gathered from forward to backward: of all instances, whatever is prefetched.
  double keptGathered(const ir::LayerClass& layerClass) const {
    double bytes = 0;
    for (const ir::StateCollective& s : layerClass.states)
      if (s.kept && s.phase == ir::Phase::Forward) bytes += s.bytes * static_cast<double>(s.times);
    return bytes;
  }

  void receive(const ir::LayerClass& layerClass) {
    for (const auto* nodes : {&layerClass.forward, &layerClass.backward})
      for (const ir::Node& n : *nodes)
        if (n.kind == ir::NodeKind::Collective && n.collective == ir::CollectiveKind::AllGather) {
          double& most = received_[n.cls];
          most = std::max(most, n.bytes);
        }
  }

  /// The operator that makes the loss works on its first operand in fp32 where activations are narrower.
  double logits(const ir::LayerClass& layerClass) const {
    const ir::Model& model = program_.model;
    if (!plan_.workload.train || !model.loss.valid()) return 0;
    const ir::OpId producer = model.values[model.loss].producer;
    for (const ir::Node& n : layerClass.forward) {
      if (n.kind != ir::NodeKind::Compute || n.op != producer || model.ops[producer].operands.empty()) continue;
      const double width = program_.widthOf(model.ops[producer].operands[0].value);
      if (width < kSinglePrecision) return n.work.firstOperandBytes / width * kSinglePrecision * kLogitCopies;
    }
    return 0;
  }

  const ir::Schedule& schedule_;
  const ir::Program& program_;
  const ir::Plan& plan_;
  const ir::StageKind& stage_;
  const ir::Stack& stack_;
  StageParts parts_;
  EnumArray<ir::CollectiveClass, double, ir::kCollectiveClasses> received_{};
};

} // namespace

double StageParts::saved() const {
  double bytes = 0;
  for (const InstanceMemory& i : instances) bytes += i.saved * static_cast<double>(i.count);
  return bytes;
}

StageParts partsOf(const ir::Schedule& schedule, const ir::StageKind& stage, const ir::Stack& stack) {
  return Parts(schedule, stage, stack).all();
}

} // namespace planc::cost
