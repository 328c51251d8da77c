// Memory of a stage: states by their storage, activations in flight, buffers (docs/cost-model.md, section 3a).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/MemoryUse.h"

#include "backends/cost/Facts.h"

#include <algorithm>

namespace planc::cost {

namespace {

/// Kept for the whole run by the instances of one virtual stage.
struct States {
  double params = 0, grads = 0, optimizer = 0;
};

/// What one micro-batch keeps, and what a running instance needs beyond it.
struct Live {
  double saved = 0, workingForward = 0, workingBackward = 0;
};

struct Buffers {
  double gathered = 0; ///< parameters of running and prefetched instances, before they are sharded again
  double gradients = 0;
  double boundary = 0; ///< received and to be sent
  double logits = 0;
  double sum() const { return gathered + gradients + boundary + logits; }
  void cover(const Buffers& o) {
    gathered = std::max(gathered, o.gathered);
    gradients = std::max(gradients, o.gradients);
    boundary = std::max(boundary, o.boundary);
    logits = std::max(logits, o.logits);
  }
};

constexpr double kSinglePrecision = 4;

class Accountant {
public:
  Accountant(const ir::Schedule& schedule) : schedule_(schedule), program_(*schedule.program), plan_(*program_.plan) {
    for (const ir::VirtualStage& stage : program_.virtualStages) {
      states_.push_back(statesOf(stage));
      live_.push_back(liveOf(stage));
      buffers_.push_back(buffersOf(stage));
    }
  }

  StageMemory stage(int64_t s, const std::vector<ir::Action>& actions) const {
    StageMemory m;
    m.stage = s;
    Buffers buffers;
    for (size_t vs : program_.heldBy(s)) {
      m.params += states_[vs].params;
      m.grads += states_[vs].grads;
      m.optimizer += states_[vs].optimizer;
      buffers.cover(buffers_[vs]);
    }
    m.activations = activations(actions);
    m.buffers = buffers.sum();
    return m;
  }

private:
  double size(ir::AxisMask axes) const { return static_cast<double>(program_.mesh.size(axes)); }

  /// Bytes of optimizer states per element of a parameter. Adam on fp16 or bf16: 2 + 4 + (4 + 4 + 4) = 18 B with
  /// parameter and gradient. A state that a row shares is divided by the row's elements.
  double optimizerBytes(const ir::ParamState& p, double paramWidth) const {
    const auto& optimizer = p.rowElements > 0 ? plan_.workload.tableOptimizer : plan_.workload.optimizer;
    if (!optimizer) return 0;
    const double width = ir::width(plan_.precision.optimizer);
    const bool master = optimizer->master && paramWidth < width;
    return width *
           (optimizer->states + (master ? 1 : 0) + (p.rowElements > 0 ? optimizer->rowStates / p.rowElements : 0));
  }

  States statesOf(const ir::VirtualStage& stage) const {
    const ir::Precision& precision = plan_.precision;
    States sum;
    for (const auto& [id, count] : stage.bodies)
      for (const ir::ParamState& p : program_.bodies[id].params) {
        if (!p.owner) continue;
        const double elements = p.elements * static_cast<double>(count);
        const auto& declared = program_.model.values[p.param].dtype;
        const double width = ir::width(declared ? *declared : precision.params);
        sum.params += elements * width / size(p.params);
        if (!p.trainable || !plan_.workload.train) continue;
        if (p.touched == 0) sum.grads += elements * ir::width(precision.grads) / size(p.grads);
        sum.optimizer += elements * optimizerBytes(p, width) / size(p.optimizer);
      }
    return sum;
  }

  Live liveOf(const ir::VirtualStage& stage) const {
    Live live;
    for (const auto& [id, count] : stage.bodies) {
      const ir::Body& body = program_.bodies[id];
      for (const ir::Saved& s : body.saved) live.saved += s.bytes * static_cast<double>(count);
      live.workingForward = std::max(live.workingForward, body.workingForward);
      live.workingBackward = std::max(live.workingBackward, body.workingBackward);
    }
    if (!plan_.workload.train) live.saved = 0;
    return live;
  }

  Buffers buffersOf(const ir::VirtualStage& stage) const {
    Buffers b;
    for (const auto& [id, count] : stage.bodies) {
      const ir::Body& body = program_.bodies[id];
      double gathered = 0, gradients = 0;
      for (const ir::StateCollective& s : body.states) {
        if (s.cls == ir::CollectiveClass::State && s.phase == ir::Phase::Forward) gathered += s.bytes;
        if (s.cls == ir::CollectiveClass::Gradient && s.phase == ir::Phase::Backward) gradients += s.bytes;
      }
      const int64_t ahead = std::min(count, 1 + schedule_.prefetch);
      b.gathered = std::max(b.gathered, gathered * static_cast<double>(ahead));
      // One bucket is filled while the one before is reduced, unless reductions are inline.
      const bool overlaps = schedule_.inlineShare[static_cast<size_t>(ir::CollectiveClass::Gradient)] < 1;
      b.gradients = std::max(b.gradients, gradients * (overlaps && count > 1 ? 2 : 1));
      b.logits = std::max(b.logits, logits(body));
    }
    const size_t index = static_cast<size_t>(stage.index);
    b.boundary = boundary(stage) + (index > 0 ? boundary(program_.virtualStages[index - 1]) : 0);
    return b;
  }

  static double boundary(const ir::VirtualStage& stage) {
    double bytes = 0;
    for (const ir::Boundary& s : stage.sends) bytes += s.scatter ? s.gather.bytes : s.bytes;
    return bytes;
  }

  /// The operator that makes the loss works on its first operand in fp32 where activations are narrower.
  double logits(const ir::Body& body) const {
    const ir::Model& model = program_.model;
    if (!plan_.workload.train || !model.loss.valid()) return 0;
    const ir::OpId producer = model.values[model.loss].producer;
    for (const ir::Node& n : body.forward) {
      if (n.kind != ir::NodeKind::Compute || n.op != producer || model.ops[producer].operands.empty()) continue;
      const double width = program_.widthOf(model.ops[producer].operands[0].value);
      if (width < kSinglePrecision) return n.work.firstOperandBytes / width * kSinglePrecision;
    }
    return 0;
  }

  /// Most bytes alive over the stage's actions: saved ones of all micro-batches in flight, and the working set of the
  /// running pass.
  double activations(const std::vector<ir::Action>& actions) const {
    double alive = 0, most = 0;
    for (const ir::Action& a : actions) {
      const Live& live = live_[a.virtualStage];
      if (a.kind == ir::ActionKind::Forward) {
        alive += live.saved;
        most = std::max(most, alive + live.workingForward);
      } else {
        most = std::max(most, alive + live.workingBackward);
        if (a.kind != ir::ActionKind::BackwardInput) alive -= live.saved;
      }
    }
    return most;
  }

  const ir::Schedule& schedule_;
  const ir::Program& program_;
  const ir::Plan& plan_;
  std::vector<States> states_;
  std::vector<Live> live_;
  std::vector<Buffers> buffers_;
};

/// Optional facts of the stack: fragmentation is 1, workspace and reserve are 0 unless it says so (docs/cost-model.md,
/// section 5).
double value(const ir::OptNumber& number, double otherwise) {
  return number ? number->value : otherwise;
}

} // namespace

Memory accountMemory(const ir::Schedule& schedule, const std::vector<std::vector<ir::Action>>& actions, Facts& facts) {
  const ir::Stack& stack = facts.stack;
  const ir::Number* capacity = facts.find(pointer(facts.device.memory), facts.deviceOwner(), {"memory"}, {});
  const Accountant accountant(schedule);
  Memory memory;
  memory.capacity = capacity ? capacity->value : 0;
  for (size_t s = 0; s < actions.size(); ++s) {
    StageMemory m = accountant.stage(static_cast<int64_t>(s), actions[s]);
    m.buffers += value(stack.workspace, 0);
    const double sum = m.params + m.grads + m.optimizer + m.activations + m.buffers;
    m.buffers += (value(stack.fragmentation, 1) - 1) * sum; // what fragmentation adds counts as buffers
    m.peak = m.params + m.grads + m.optimizer + m.activations + m.buffers;
    if (memory.stages.empty() || m.peak > memory.peak) {
      memory.peak = m.peak;
      memory.fullest = m.stage;
      memory.params = m.params;
      memory.grads = m.grads;
      memory.optimizer = m.optimizer;
      memory.activations = m.activations;
      memory.buffers = m.buffers;
    }
    memory.stages.push_back(m);
  }
  memory.fits = memory.peak <= memory.capacity - value(stack.reserved, 0);
  return memory;
}

} // namespace planc::cost
