// The parts of a stage's memory, from classes, states and the stack's habits (docs/cost-model.md, section 3a).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/memory/MemoryParts.h"

#include "backends/cost/price/Buckets.h"
#include "ir/facts/StackFacts.h"
#include "ir/program/States.h"
#include "support/Indexed.h"

#include <algorithm>
#include <utility>

namespace planc::cost {

namespace {

using Received = EnumArray<ir::CollectiveClass, double, ir::kCollectiveClasses>;

constexpr double kSinglePrecision = 4;
/// Number of fp32 copies of the logits if the stack gives none: the logits, and the buffer that becomes their gradient
/// (docs/cost-model.md, section 3a).
constexpr double kLogitCopies = 2;

/// Returns the bytes per element of a parameter as stored.
double storedWidth(const ir::Program& program, const ir::ParamState& p) {
  return ir::width(ir::storedAs(program, p));
}

class Parts {
public:
  Parts(const ir::Schedule& schedule, const ir::Stack& stack, Memos* memos)
      : schedule_(schedule), program_(*schedule.program), plan_(*program_.plan), stack_(stack),
        copiesBuckets_(stack.truth(ir::StackFact::CopiesBuckets)),
        copiesUpdate_(stack.truth(ir::StackFact::CopiesUpdate)),
        freesGradients_(stack.truth(ir::StackFact::FreesGradients)),
        logitCopies_(stack.value(ir::StackFact::CopiesLogits, kLogitCopies)),
        lossPieces_(stack.value(ir::StackFact::LossPieces, 1)), memos_(memos), classes_(program_.classes.size()) {}

  StageParts of(const ir::StageKind& stage) {
    stage_ = {}, received_ = {};
    // One entry per run of equal instances, because what is alive at a moment depends on their order.
    for (const auto& [id, count] : stage.classes) {
      stage_.instances.push_back(classOf(id).instance);
      stage_.instances.back().count = count;
    }
    bool inPasses = false;
    for (const auto& [id, instances] : instancesOf(stage)) {
      const ClassParts& from = classOf(id);
      const double count = static_cast<double>(instances);
      for (const ParamParts& p : from.params) addStates(p, count);
      for (const double bytes : from.hostSaved) stage_.hostSaved += bytes * count;
      stage_.received += from.keptGathered * count;
      for (size_t cls = 0; cls < received_.size(); ++cls) received_[cls] = std::max(received_[cls], from.received[cls]);
      inPasses |= from.inPasses;
    }
    if (inPasses) addStateBuffers(stage);
    for (double bytes : received_) stage_.received += bytes;
    double sent = 0;
    for (const ir::Boundary& b : stage.sends) sent += b.arriving();
    stage_.boundary = sent + stage.receives;
    return std::move(stage_);
  }

private:
  double size(ir::AxisMask axes) const { return static_cast<double>(program_.mesh.size(axes)); }

  const ClassParts& classOf(ir::LayerClassId id) {
    std::shared_ptr<const ClassParts>& parts = classes_[id.index];
    if (parts) return *parts;
    const ir::LayerClass& layerClass = program_.classes[id]; // the nodes stand for the class and all that it reads
    parts = remember(memos_, Reads() << layerClass.params << layerClass.forward << (program_.microBatches == 1),
                     [&] { return std::make_shared<const ClassParts>(take(id)); });
    return *parts;
  }

  ClassParts take(ir::LayerClassId id) const {
    const ir::LayerClass& layerClass = program_.classes[id];
    ClassParts parts;
    parts.instance = instance(id);
    for (const ir::ParamState& p : layerClass.params)
      if (p.owner) parts.params.push_back(paramOf(p));
    for (const ir::Saved& s : layerClass.saved)
      if (plan_.workload.hasBackward() && s.host) parts.hostSaved.push_back(s.bytes);
    parts.keptGathered = keptGathered(layerClass);
    if (stack_.truth(ir::StackFact::CopiesGathers)) parts.received = receivedOf(layerClass);
    for (const ir::StateCollective& s : layerClass.states) parts.inPasses |= s.phase != ir::Phase::Step;
    return parts;
  }

  ParamParts paramOf(const ir::ParamState& p) const {
    ParamParts parts;
    parts.host = p.host;
    parts.bytes = ir::stateBytes(program_, p);
    parts.trained = p.trainable && plan_.workload.hasBackward();
    if (!parts.trained) return parts;
    parts.sent = ir::sentToHost(program_, p);
    parts.elements = p.elements, parts.width = storedWidth(program_, p);
    parts.bucket = copiesBuckets_ && p.partial && p.touched == 0;
    parts.remade = remade(p);
    parts.copies = updateCopies(p);
    const ir::AxisMask gathered = p.optimizer & ~p.params;
    parts.params = size(p.params);
    if (copiesUpdate_ && gathered) parts.gathered = size(gathered);
    return parts;
  }

  /// Returns whether the gradient is freed after the update. A gradient that is summed whole on every device stays in
  /// its bucket.
  bool remade(const ir::ParamState& p) const {
    const bool whole = p.partial && !(p.partial & p.grads);
    return freesGradients_ && p.touched == 0 && !p.host[1] && !whole;
  }

  /// Returns the temporary bytes of an update of all tensors at once. Each temporary value is as wide as a state.
  double updateCopies(const ir::ParamState& p) const {
    const ir::Optimizer* by = ir::updaterHere(program_, p);
    const ir::Number* values = by && !by->onHost ? stack_.number(ir::StackFact::UpdateCopies, by->name) : nullptr;
    if (!values || by->states == 0) return 0;
    return values->value * ir::stateBytes(program_, p).states / by->states;
  }

  void addStates(const ParamParts& p, double count) {
    (p.host[0] ? stage_.hostParams : stage_.params) += p.bytes.params * count;
    if (!p.trained) return;
    (p.host[1] ? stage_.hostGrads : stage_.grads) += p.bytes.grads * count;
    stage_.hostGrads += p.sent * count;
    (p.host[2] ? stage_.hostOptimizer : stage_.optimizer) += p.bytes.optimizer() * count;
    stage_.copies += p.copies * count;
    if (p.remade) stage_.remade += p.bytes.grads * count;
    const double elements = p.elements * count;
    if (p.bucket) stage_.buckets += elements * p.width;
    if (p.gathered > 0) // the whole value, and the part that this device contributes
      stage_.update += elements * p.width / p.params * (1 + 1 / p.gathered);
  }

  InstanceMemory instance(ir::LayerClassId id) const {
    const ir::LayerClass& layerClass = program_.classes[id];
    InstanceMemory m;
    m.layerClass = id;
    for (const ir::Saved& s : layerClass.saved)
      if (plan_.workload.hasBackward() && !s.host) m.saved += s.bytes / (s.buffer.empty() ? piecesOf(s.value) : 1);
    m.workingForward = layerClass.workingForward - sparedOf(layerClass, ir::Phase::Forward);
    m.workingBackward = layerClass.workingBackward - sparedOf(layerClass, ir::Phase::Backward);
    m.weightOperands = layerClass.weightOperands;
    m.narrow = narrow(layerClass);
    for (const ir::ParamState& p : layerClass.params)
      if (p.owner && p.trainable && plan_.workload.hasBackward() && remade(p))
        m.remade += ir::stateBytes(program_, p).grads;
    m.logits = logits(layerClass);
    return m;
  }

  /// Returns the bytes of one pass's gradients, in the parameters' width, if they wait for the end of the pass. If a
  /// step has only one pass, they go straight into the buckets.
  double narrow(const ir::LayerClass& layerClass) const {
    if (stack_.accumulate() != ir::Accumulate::Deferred || !plan_.workload.hasBackward()) return 0;
    double bytes = 0;
    for (const ir::ParamState& p : layerClass.params) {
      const bool bucket = copiesBuckets_ && p.partial && program_.microBatches == 1;
      if (p.owner && p.trainable && p.touched == 0 && !bucket) bytes += p.elements * storedWidth(program_, p);
    }
    return bytes;
  }

  /// Adds the buffers of adjacent layers. Their classes do not matter, so equal layers cost the same folded and written
  /// out.
  void addStateBuffers(const ir::StageKind& stage) {
    using enum ir::CollectiveClass;
    const int64_t ahead = 1 + schedule_.prefetch;
    auto most = [&](int64_t window, auto counts) {
      return mostBytes(program_, stage, window, [&](const ir::StateCollective& s) { return counts(s) ? s.bytes : 0; });
    };
    stage_.gathered = most(ahead, [](const ir::StateCollective& s) {
      return s.cls == State && s.collective != ir::CollectiveKind::HostCopy && s.phase == ir::Phase::Forward && !s.kept;
    });
    // One bucket is filled during the reduction of the one before, unless reductions are inline.
    stage_.reducing = bytesReducing(schedule_, stage, schedule_.blockingShare[Gradient] < 1 ? 2 : 1);
    // Outgoing data is copied while the next layer runs. Incoming data arrives before its layer begins. Copies of
    // forward and backward never overlap.
    for (ir::Phase phase : {ir::Phase::Forward, ir::Phase::Backward}) {
      auto copies = [&](bool out) {
        return most(out ? 2 : ahead, [&](const ir::StateCollective& s) {
          return s.collective == ir::CollectiveKind::HostCopy && s.phase == phase && s.out == out;
        });
      };
      stage_.staged = std::max(stage_.staged, copies(false) + copies(true));
    }
  }

  /// Returns the bytes of parameters that stay gathered from forward to backward, of all instances and regardless of
  /// prefetching.
  double keptGathered(const ir::LayerClass& layerClass) const {
    double bytes = 0;
    for (const ir::StateCollective& s : layerClass.states)
      if (s.kept && s.phase == ir::Phase::Forward) bytes += s.bytes * static_cast<double>(s.times);
    return bytes;
  }

  /// Returns the largest gathered activation of each class of collectives.
  Received receivedOf(const ir::LayerClass& layerClass) const {
    Received received{};
    for (const auto* nodes : {&layerClass.forward, &layerClass.backward})
      for (const ir::Node& n : *nodes)
        if (const ir::Collective* c = n.asCollective(); c && c->kind == ir::CollectiveKind::AllGather)
          received[c->cls] = std::max(received[c->cls], c->bytes);
    return received;
  }

  /// Returns the value that the loss reads, the logits. Returns an invalid id if nothing is trained.
  ir::ValueId logitsOf() const {
    const ir::Model& model = program_.model;
    if (!plan_.workload.hasBackward() || !model.loss.valid()) return {};
    const Indexed<ir::Operand>& operands = model.ops[model.values[model.loss].producer].operands;
    return operands.empty() ? ir::ValueId() : operands[0].value;
  }

  /// Returns the number of pieces in which a value is computed and consumed, one after the other.
  double piecesOf(ir::ValueId value) const { return lossPieces_ > 1 && value == logitsOf() ? lossPieces_ : 1; }

  /// Returns the forward node of an operator in a class, or null.
  static const ir::Node* nodeOf(const ir::LayerClass& layerClass, ir::OpId op) {
    for (const ir::Node& n : layerClass.forward)
      if (n.isCompute() && n.op == op && n.compute().role == ir::Role::Forward) return &n;
    return nullptr;
  }

  /// Returns the bytes that pieces of the logits save in the working set: forward in the layer that computes the
  /// logits, backward in the layer of the loss. All but one piece of the logits, or of their gradient, is saved.
  double sparedOf(const ir::LayerClass& layerClass, ir::Phase phase) const {
    const ir::ValueId logits = lossPieces_ > 1 ? logitsOf() : ir::ValueId();
    if (!logits.valid()) return 0;
    const ir::Value& value = program_.model->values[logits];
    const ir::OpId loss = program_.model->values[program_.model->loss].producer;
    const ir::OpId op = phase == ir::Phase::Forward ? value.producer : loss;
    const ir::Node* node = op.valid() ? nodeOf(layerClass, op) : nullptr;
    if (!node) return 0;
    const double bytes =
        phase == ir::Phase::Forward ? node->compute().work.resultBytes : node->compute().work.firstOperandBytes;
    const double working = phase == ir::Phase::Forward ? layerClass.workingForward : layerClass.workingBackward;
    return std::min(working, bytes * (1 - 1 / lossPieces_));
  }

  /// Returns the bytes of fp32 copies of the logits. The operator of the loss works in fp32 if activations are
  /// narrower.
  double logits(const ir::LayerClass& layerClass) const {
    const ir::ValueId read = logitsOf();
    if (!read.valid()) return 0;
    const ir::Node* node = nodeOf(layerClass, program_.model->values[program_.model->loss].producer);
    const double width = program_.widthOf(read);
    if (!node || width >= kSinglePrecision) return 0;
    return node->compute().work.firstOperandBytes / width * kSinglePrecision * logitCopies_ / lossPieces_;
  }

  const ir::Schedule& schedule_;
  const ir::Program& program_;
  const ir::Plan& plan_;
  const ir::Stack& stack_;
  bool copiesBuckets_, copiesUpdate_, freesGradients_;
  double logitCopies_, lossPieces_;
  Memos* memos_;
  std::vector<std::shared_ptr<const ClassParts>> classes_; ///< by class, null until first used
  StageParts stage_;                                       ///< the stage in progress
  Received received_{};
};

} // namespace

double StageParts::saved() const {
  double bytes = 0;
  for (const InstanceMemory& i : instances) bytes += i.saved * static_cast<double>(i.count);
  return bytes;
}

std::vector<StageParts> partsOfKinds(const ir::Schedule& schedule, const Facts& facts) {
  Parts parts(schedule, facts.stack, facts.memos);
  std::vector<StageParts> all;
  all.reserve(schedule.program->stageKinds.size());
  for (const ir::StageKind& kind : schedule.program->stageKinds) all.push_back(parts.of(kind));
  return all;
}

StageParts partsOf(const ir::Schedule& schedule, const ir::StageKind& stage, const ir::Stack& stack) {
  return Parts(schedule, stack, nullptr).of(stage);
}

} // namespace planc::cost
