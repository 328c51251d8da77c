// The machine and the software that a plan names.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/Steps.h"
#include "frontend/plan/Texts.h"

namespace planc::frontend {

void machine(Elaboration& elab, MergedPlan& merged) {
  elab.plan.clusterText = written(elab, merged, "cluster");
  elab.plan.softwareText = written(elab, merged, "software");
  if (FactNode* node = merged.fact("cluster"); node && !node->section()) {
    const BoundDecl* decl = elab.machines.expect(merged.facts.value(*node), DeclKind::Cluster, "`cluster`");
    if (auto made = decl ? elab.machines.cluster(*decl, node->value->range) : std::nullopt)
      elab.plan.cluster = std::make_shared<const ir::Cluster>(std::move(*made));
    elab.ok &= elab.plan.cluster != nullptr;
  }
  if (FactNode* node = merged.fact("software"); node && !node->section()) {
    const BoundDecl* decl = elab.machines.expect(merged.facts.value(*node), DeclKind::Stack, "`software`");
    if (auto made = decl ? elab.machines.stack(*decl, node->value->range) : std::nullopt)
      elab.plan.stack = std::make_shared<const ir::Stack>(std::move(*made));
    elab.ok &= elab.plan.stack != nullptr;
  }
}

} // namespace planc::frontend
