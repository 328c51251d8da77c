// Warns of facts of `overlap` about collectives that no layer, parameter or stage of the plan has.
// SPDX-License-Identifier: Apache-2.0
#include "passes/check/IdleOverlap.h"

#include "support/Indexed.h"

#include <array>
#include <fmt/format.h>
#include <string>

namespace planc::passes {
using namespace ir;

PLANC_WARNING(OverlapIdle, 924, "`overlap {{ {fact} }}` has no effect: {reason}")

namespace {

/// The kinds of communication in a step.
struct Traffic {
  EnumArray<CollectiveClass, bool, kCollectiveClasses> classes{};
  bool states = false;   ///< collectives of parameters and gradients, which form buckets
  bool gathers = false;  ///< gathers of parameters before their use, which can be prefetched
  bool anything = false; ///< apart from statistics inside operators

  explicit Traffic(const Program& program) {
    for (const LayerClass& layerClass : program.classes) {
      for (const auto* nodes : {&layerClass.forward, &layerClass.backward})
        for (const Node& node : *nodes)
          if (const Collective* c = node.asCollective()) add(c->cls);
      for (const StateCollective& s : layerClass.states) {
        add(s.cls);
        states = true;
        gathers |= s.phase != Phase::Step && s.cls != CollectiveClass::Gradient;
      }
    }
    for (const StageKind& s : program.stageKinds)
      if (!s.sends.empty()) add(CollectiveClass::Pipeline);
    for (const StageGroup& g : program.stageGroups) add(g.allReduce.cls);
  }

private:
  void add(CollectiveClass cls) {
    classes[cls] = true;
    anything |= cls != CollectiveClass::Statistic;
  }
};

} // namespace

void warnOfIdleOverlap(const Program& program, DiagnosticEngine& diagnostics) {
  const Overlap& overlap = program.plan->overlap;
  const Traffic traffic(program);
  auto warn = [&](const Number& number, std::string_view fact, const std::string& reason) {
    diagnostics.report(OverlapIdle, number.range, {{"fact", fact}, {"reason", reason}}).help("remove it");
  };
  for (const auto& [cls, share] : overlap.blockingShare)
    if (!traffic.classes[cls])
      warn(share, name(cls), fmt::format("the step has no collective of class `{}`", name(cls)));
  if (overlap.bucket && !traffic.states)
    warn(*overlap.bucket, "bucket", "no parameter is gathered and no gradient is reduced");
  if (overlap.prefetch && !traffic.gathers) warn(*overlap.prefetch, "prefetch", "no parameter is gathered for its use");
  if (overlap.slowdown && !traffic.anything) warn(*overlap.slowdown, "slowdown", "the plan has no communication");
}

} // namespace planc::passes
