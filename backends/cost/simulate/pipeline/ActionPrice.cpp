// Prices of actions, and how steps follow each other (docs/cost-model.md, section 3).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/pipeline/ActionPrice.h"

namespace planc::cost {
using ir::ActionKind;

namespace {

/// Steps after which those that follow are taken to be no shorter.
constexpr int kSteps = 16;
/// Steps are equal if their lengths on the stages differ by less than this share.
constexpr double kEqualGains = 1e-10;

} // namespace

ActionPrice priceOf(const PipelineInput& in, int64_t virtualStage, ActionKind kind) {
  const auto& costs = in.virtualStages;
  const VirtualStageCost& cost = costs[virtualStage];
  const bool forward = kind == ActionKind::Forward, half = kind == ActionKind::BackwardInput;
  const bool first = virtualStage == 0, last = static_cast<size_t>(virtualStage) + 1 == costs.size();
  ActionPrice p;
  if (kind == ActionKind::Backward || kind == ActionKind::BackwardWeight) {
    const LastPass& reductions = kind == ActionKind::Backward ? cost.last : cost.lastWeights;
    p.completes = true, p.reductions = reductions.carried > 0 ? &reductions : nullptr;
  }
  if (kind == ActionKind::BackwardWeight) {
    p.latency = -std::numeric_limits<double>::infinity(), p.seconds = cost.backward.weight;
    return p;
  }
  const PassCost& pass = forward ? cost.forward : cost.backward;
  p.seconds = half ? pass.input() : pass.seconds, p.tail = half ? pass.inputTail : pass.tail;
  p.room = std::max(0.0, pass.room - (pass.seconds - p.seconds));
  p.onStep = pass.onStep, p.onGathers = pass.onGathers, p.onSends = pass.onSends;
  if (forward && !first) p.latency = costs[virtualStage - 1].send;
  if (!forward && !last) p.latency = costs[virtualStage + 1].sendBack;
  p.receiving = in.inlineReceive * p.latency;
  if (forward ? last : first) return p;
  p.sending = std::max(0.0, in.inlineSend * (forward ? cost.send : cost.sendBack));
  p.transfer = forward ? cost.send - cost.joined : cost.sendBack - cost.joinedBack;
  return p;
}

PassDelay delayByGathers(const PipelineInput& in, const VirtualStageCost& cost, double gathered, double start,
                         double end, double held) {
  const StepGathers& of = cost.gathers;
  if (of.total <= 0) return {};
  const double last = cost.forward.last;
  const double slowed = in.slowdown * of.beside * std::clamp(gathered - start, 0.0, std::min(of.total, end - start));
  // Until the last layer begins, the communication of the layers takes turns with gathers that are under way.
  const double paused = takenTurns(std::max(0.0, gathered - start), held, end - start, end - start - last);
  const double late = std::max(gathered + paused + last - end, gathered - of.total + of.wait - start);
  return {slowed, std::max(0.0, late - slowed)};
}

double bookPortWaits(const PipelineInput& in, double seconds, bool hasTail, std::vector<HeldStage>& holds) {
  if (!(seconds > 0)) return 0;
  const auto transfer = [&](const HeldStage& held, ActionKind kind) {
    return priceOf(in, held.virtualStage, kind).transfer;
  };
  double all = 0;
  for (const HeldStage& held : holds) all += transfer(held, ActionKind::Forward) + transfer(held, ActionKind::Backward);
  const int64_t perRoute = std::max<int64_t>(1, in.microBatches / static_cast<int64_t>(in.devices.routes()));
  const double most = all * static_cast<double>(perRoute) * (1 - in.inlineSend);
  const double more = hasTail ? std::max(0.0, seconds - most) : 0;
  if (more > 0) seconds = most;
  for (HeldStage& held : holds) {
    held.booked[Cause::Send] += seconds * transfer(held, ActionKind::Forward) / all;
    held.booked[Cause::SendBack] += seconds * transfer(held, ActionKind::Backward) / all;
  }
  return more;
}

/// The steps of stages that do not wait for all are a max-plus linear system: what its vector of ends grows by on any
/// stage bounds the period from above, and comes down to it (Baccelli, Cohen, Olsder, Quadrat, *Synchronization and
/// Linearity*, 1992, chapter 3).
std::vector<StageTimes> runSteps(const PipelineInput& in,
                                 llvm::function_ref<std::vector<StageTimes>(const std::vector<double>& begins)> run) {
  std::vector<double> begins(static_cast<size_t>(in.stages));
  std::vector<StageTimes> times;
  for (int step = 0; step < kSteps; ++step) {
    times = run(begins);
    if (in.waitsForAll) break;
    double shortest = std::numeric_limits<double>::infinity(), longest = 0, first = shortest;
    for (size_t s = 0; s < times.size(); ++s) {
      const double between = in.between.empty() ? 0 : in.between[s];
      const double end = times[s].end + times[s].trailing + between;
      shortest = std::min(shortest, end - begins[s]), longest = std::max(longest, end - begins[s]);
      first = std::min(first, begins[s] = end);
    }
    if (longest - shortest <= kEqualGains * longest) break;
    for (double& begin : begins) begin -= first;
  }
  return times;
}

} // namespace planc::cost
