// schedule-tasks: level comm to level task. Every node becomes tasks on the compute stream and on the communication
// stream of its port, split by the stack's inline shares. The schedule's row gives the order of the stages.
// SPDX-License-Identifier: Apache-2.0
#include "ir/facts/ClusterFacts.h"
#include "ir/facts/StackFacts.h"
#include "passes/Steps.h"
#include "support/Memo.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::passes {
using namespace ir;

namespace {

using Tasks = Few<uint32_t, 4>;

/// The tasks that later nodes wait for because of a node: its own tasks, and concurrent parts of its operands'
/// collectives.
struct Waits {
  Tasks own;    ///< a reader may begin after these
  Tasks beside; ///< still running; the readers of a reader wait for them
};

void append(Tasks& to, const Tasks& from) {
  for (uint32_t t : from)
    if (std::find(to.begin(), to.end(), t) == to.end()) to.push_back(t);
}

/// Returns the tasks of one list of nodes. A collective is issued at its place on the compute stream, which waits for
/// the inline share while the port is busy. The rest follows on the port and may overlap the operator that reads it,
/// because frameworks pipeline the pieces, but no later operator. An inline share of 0 is a task, too, so no reader
/// begins before the transfer does, whatever the share.
std::vector<Task> tasksOf(const Schedule& schedule, const std::vector<Node>& nodes, bool earlyStop) {
  std::vector<Task> tasks;
  std::vector<Waits> waits(nodes.size());
  tasks.reserve(nodes.size());
  for (size_t n = 0; n < nodes.size(); ++n) {
    const Node& node = nodes[n];
    Tasks deps, beside;
    for (NodeIndex d : node.deps) {
      append(deps, waits[d].own);
      append(nodes[d].isCollective() ? beside : deps, waits[d].beside);
    }
    Waits& mine = waits[n];
    auto add = [&](Stream stream, double fraction, const Tasks& after) {
      tasks.push_back({stream, static_cast<NodeIndex>(n), fraction, after});
      return static_cast<uint32_t>(tasks.size() - 1);
    };
    if (earlyStop && node.phase == Phase::Recompute && !node.needed) {
      mine = {deps, beside};
      continue;
    }
    const Collective* collective = node.asCollective();
    if (!collective) {
      mine = {{add(kComputeStream, 1, deps)}, beside};
      continue;
    }
    append(deps, beside); // a collective moves finished results
    const double share = schedule.blockingShare[collective->cls];
    mine.own = {add(kComputeStream, share, deps)};
    if (share < 1) mine.beside = {add(streamOf(*schedule.program, collective->level), 1 - share, mine.own)};
  }
  return tasks;
}

/// Returns the segment of a class in one direction. Programs that share the nodes share the tasks.
Segment segmentOf(const Schedule& schedule, LayerClassId layerClass, bool backward, bool earlyStop) {
  const LayerClass& of = schedule.program->classes[layerClass];
  const Shared<Indexed<Node>>& nodes = backward ? of.backward : of.forward;
  Reads reads; // the cluster has the ports of levels
  reads << nodes << schedule.program->plan->cluster << earlyStop;
  for (const double share : schedule.blockingShare) reads << share;
  return {layerClass, backward, remember(schedule.program->memos.get(), reads, [&] {
            return Shared<std::vector<Task>>(tasksOf(schedule, *nodes, earlyStop));
          })};
}

double clampShare(double s) {
  return std::min(1.0, std::max(0.0, s));
}

/// Reads the stack's shares, then the plan's `overlap`. A class without a share fully occupies the compute stream, and
/// statistics always do.
void readShares(Schedule& schedule) {
  const Plan& plan = *schedule.program->plan;
  schedule.blockingShare.fill(1);
  schedule.blockingShare[CollectiveClass::Offload] = 0; // copy engines work in parallel to kernels
  if (plan.stack)
    for (size_t c = 0; c < schedule.blockingShare.size(); ++c)
      if (const Number* share = plan.stack->number(StackFact::Inline, static_cast<CollectiveClass>(c)))
        schedule.blockingShare[c] = clampShare(share->value);
  for (const auto& [cls, share] : plan.overlap.blockingShare) schedule.blockingShare[cls] = clampShare(share.value);
  schedule.blockingShare[CollectiveClass::Statistic] = 1;
  static const Stack none;
  const Stack& stack = plan.stack ? *plan.stack : none;
  const auto of = [&](const OptNumber& own, StackFact fact) { return own ? &*own : stack.number(fact); };
  const Number* prefetch = of(plan.overlap.prefetch, StackFact::Prefetch);
  const Number* slowdown = of(plan.overlap.slowdown, StackFact::Slowdown);
  if (prefetch) schedule.prefetch = std::max<int64_t>(0, static_cast<int64_t>(prefetch->value));
  if (slowdown) schedule.slowdown = std::max(0.0, slowdown->value);
  const Number* bucket = of(plan.overlap.bucket, StackFact::Bucket);
  if (bucket) schedule.bucketBytes = bucket->value;
}

/// Sets the slowdown of computing next to each port. Collectives over a network use as many multiprocessors as its
/// cards need (docs/cost-model.md, section 2.4). If a node has fewer cards than the node with which the stack's
/// `slowdown` was measured, computing slows down less. A `slowdown` in the plan applies to all communication.
void readBesides(Schedule& schedule) {
  const Program& program = *schedule.program;
  const Plan& plan = *program.plan;
  if (!plan.cluster) return;
  const auto& levels = plan.cluster->levels;
  schedule.besides.assign(levels.size() + 1, 1);
  schedule.besides.back() = 0; // copies to and from the host use copy engines and no multiprocessors
  const Number* seen = plan.stack && !plan.overlap.slowdown ? plan.stack->number(StackFact::SlowdownCards) : nullptr;
  if (!seen) return;
  const auto first = llvm::find_if(levels, [](const ClusterLevel& l) { return l.isNetwork(); });
  const auto node = static_cast<size_t>(first - levels.begin());
  const double each = node == 0 ? 1 : static_cast<double>(program.mesh.levelSizes[node - 1]); // one card per device
  for (size_t l = node; l < levels.size(); ++l) {
    if (!levels[l].isNetwork()) continue;
    double& share = schedule.besides[plan.cluster->portOf(l)];
    share = std::min(share, levels[l].value(LevelFact::Cards, each) / seen->value);
  }
}

} // namespace

std::unique_ptr<Schedule> scheduleTasks(const Program& program) {
  auto result = std::make_unique<Schedule>();
  result->program = &program;
  result->kind = program.kind;
  readShares(*result);
  readBesides(*result);
  const bool earlyStop = program.plan->stack && program.plan->stack->truth(StackFact::EarlyStop);
  for (uint32_t b = 0; b < program.classes.size(); ++b)
    for (const bool backward : {false, true})
      (backward ? result->backward : result->forward)
          .push_back(segmentOf(*result, LayerClassId(b), backward, earlyStop));
  return result;
}

} // namespace planc::passes
