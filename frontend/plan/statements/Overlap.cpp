// Reads how communication and computation slow each other down while they overlap: `overlap { … }`.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/facts/Schema.h"
#include "frontend/plan/Steps.h"
#include "ir/facts/StackFacts.h"

namespace planc::frontend {

void overlap(Elaboration& elab, MergedPlan& merged) {
  if (!merged.overlap && merged.edits.overlap.empty()) return;
  FactTree& tree = merged.overlapFacts.emplace(
      elab.ev, FactOwner{"`overlap`", merged.overlap ? merged.overlap->range : merged.decl.nameRange});
  if (merged.overlap) tree.add(*merged.overlap->syntax, *merged.overlap->scope, 0);
  applyEdits(elab.context, tree, tree.root(), merged.edits.overlap, elab.machines);
  using O = ir::Overlap;
  const auto of = [](ir::StackFact fact) { return ir::factRow(fact).type; }; // default from the stack
  static const std::vector<FactRow<O>> kRows{
      {"prefetch", of(ir::StackFact::Prefetch), [](O& o, FactInput& in) { o.prefetch = in.number; }},
      {"slowdown", of(ir::StackFact::Slowdown), [](O& o, FactInput& in) { o.slowdown = in.number; }},
      {"bucket", of(ir::StackFact::Bucket), [](O& o, FactInput& in) { o.bucket = in.number; }},
      {"*", of(ir::StackFact::Inline), [](O& o, FactInput& in) { o.blockingShare[in.cls] = in.number; }},
  };
  FactReader(elab.ev, tree).read<O>(kRows, elab.plan.overlap);
}

} // namespace planc::frontend
