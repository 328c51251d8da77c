// Reads the machine and the software of a plan.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/Steps.h"
#include "frontend/plan/Texts.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"
#include "support/Quantity.h"

namespace planc::frontend {

PLANC_ERROR(NothingLeft, 834, "stack `{stack}` reserves {reserved} of the {memory} of device `{device}`")

namespace {

/// Checks that the memory reserved by other software leaves memory for the plan.
bool checkReserved(Context& context, const ir::Stack& stack, const ir::Device& device) {
  const ir::Number *reserved = stack.number(ir::StackFact::Reserved), *memory = device.number(ir::DeviceFact::Memory);
  if (!reserved || !memory || reserved->value < memory->value) return true;
  context
      .report(NothingLeft, reserved->range,
              {{"stack", stack.name.str()},
               {"reserved", formatQuantity(reserved->value, units::bytes)},
               {"memory", formatQuantity(memory->value, units::bytes)},
               {"device", device.name.str()}})
      .label(memory->range, "memory of the device")
      .help("`reserved` is the memory of the context, libraries and other programs on one device: this leaves no "
            "memory for training");
  return false;
}

} // namespace

void machine(Elaboration& elab, MergedPlan& merged) {
  elab.plan.clusterText = written(elab, merged, ir::name(ir::Statement::Cluster));
  elab.plan.softwareText = written(elab, merged, ir::name(ir::Statement::Software));
  if (FactNode* node = merged.fact(ir::Statement::Cluster); node && !node->section()) {
    const BoundDecl* decl = elab.machines.expect(merged.facts.value(*node), DeclKind::Cluster, "`cluster`");
    if (auto made = decl ? elab.machines.cluster(*decl, node->value->range) : std::nullopt)
      elab.plan.cluster = std::make_shared<const ir::Cluster>(std::move(*made));
    elab.ok &= elab.plan.cluster != nullptr;
  }
  merged.mesh.machine = merged.fact(ir::Statement::Cluster) ? MachineState::Read : MachineState::Without;
  if (elab.plan.cluster) merged.mesh.devices = elab.plan.cluster->devices();
  if (FactNode* node = merged.fact(ir::Statement::Software); node && !node->section()) {
    const BoundDecl* decl = elab.machines.expect(merged.facts.value(*node), DeclKind::Stack, "`software`");
    if (auto made = decl ? elab.machines.stack(*decl, node->value->range) : std::nullopt)
      elab.plan.stack = std::make_shared<const ir::Stack>(std::move(*made));
    elab.ok &= elab.plan.stack != nullptr;
  }
  if (elab.plan.cluster && elab.plan.stack)
    elab.ok &= checkReserved(elab.context, *elab.plan.stack, elab.plan.cluster->device);
}

} // namespace planc::frontend
