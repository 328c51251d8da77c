// What communication and computation do to each other while they overlap: `overlap { … }`.
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
  static const std::vector<FactRow<ir::Overlap>> kRows{
      {"prefetch",
       {},
       ranges::kCount,
       FactForm::Count,
       StarKey::None,
       [](ir::Overlap& o, FactInput& in) { o.prefetch = in.number; }},
      {"slowdown",
       {},
       ranges::kShare,
       FactForm::Number,
       StarKey::None,
       [](ir::Overlap& o, FactInput& in) { o.slowdown = in.number; }},
      {"bucket", units::bytes, ranges::kSize, FactForm::Number, StarKey::None,
       [](ir::Overlap& o, FactInput& in) { o.bucket = in.number; }},
      {"*",
       {},
       ranges::kShare,
       FactForm::Number,
       StarKey::Class,
       [](ir::Overlap& o, FactInput& in) { o.blockingShare[in.cls] = in.number; }},
  };
  FactReader(elab.ev, tree).read<ir::Overlap>(kRows, elab.plan.overlap);
}

} // namespace planc::frontend
