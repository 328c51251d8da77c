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
    if (decl) elab.plan.cluster = elab.machines.cluster(*decl, node->value->range);
    elab.ok &= elab.plan.cluster.has_value();
  }
  if (FactNode* node = merged.fact("software"); node && !node->section()) {
    const BoundDecl* decl = elab.machines.expect(merged.facts.value(*node), DeclKind::Stack, "`software`");
    if (decl) elab.plan.stack = elab.machines.stack(*decl, node->value->range);
    elab.ok &= elab.plan.stack.has_value();
  }
}

} // namespace planc::frontend
