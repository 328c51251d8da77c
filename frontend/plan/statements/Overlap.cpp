// Reads how communication and computation slow each other down while they overlap: `overlap { … }`.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/facts/Schema.h"
#include "frontend/plan/Steps.h"

namespace planc::frontend {

void overlap(Elaboration& elab, MergedPlan& merged) {
  if (!merged.overlap && merged.edits.overlap.empty()) return;
  FactTree& tree = merged.overlapFacts.emplace(
      elab.ev, FactOwner{"`overlap`", merged.overlap ? merged.overlap->range : merged.decl.nameRange});
  if (merged.overlap) tree.add(*merged.overlap->syntax, *merged.overlap->scope, 0);
  applyEdits(elab.context, tree, tree.root(), merged.edits.overlap, elab.machines);
  FactReader(elab.ev, tree).read(ir::Statement::Overlap, tree.root(), elab.plan, [&](FactInput& in) {
    elab.plan.overlap.blockingShare[in.cls] = in.number;
  });
}

} // namespace planc::frontend
