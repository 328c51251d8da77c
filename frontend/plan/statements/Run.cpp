// Reads `run { … }`: the length of a run, its failures, and the emissions of its energy.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/facts/Schema.h"
#include "frontend/plan/Steps.h"
#include "ir/facts/ClusterFacts.h"
#include "ir/facts/DeviceFacts.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(RunWithoutAmount, 950, "`run` does not say how much is trained on: it has no `{fact}`")
PLANC_ERROR(RunOfTwoAmounts, 951, "`run` has both `tokens` and `samples`")
PLANC_ERROR(RunOfNoTokens, 952, "no input of `{model}` counts tokens, so there is no run of {tokens}")
PLANC_ERROR(RunOfNoTraining, 953, "a `run` is one of training, and plan `{plan}` is a forward pass")
PLANC_ERROR(RunWithoutCheckpoint, 954, "nothing says how long a checkpoint takes")
PLANC_ERROR(RunFactWithoutEffect, 955, "`{fact}` has no effect without {needed}")
PLANC_ERROR(CheckpointTooLong, 956, "a checkpoint every {every} takes {checkpoint}")
PLANC_ERROR(RunWithoutPower, 957, "`{fact}` is about energy, and device `{device}` has no `power`")

namespace {

/// A fact that is there, known or not.
FactNode* given(FactNode& section, std::string_view name) {
  return section.find(Symbol(name));
}

/// Reads the amount of the run: tokens if the model counts them, else samples.
void runAmount(Elaboration& elab, FactNode& section) {
  FactNode *tokens = given(section, "tokens"), *samples = given(section, "samples");
  const bool counts = !elab.plan.model || elab.plan.model->tokensPerSample().has_value();
  if (!tokens && !samples)
    elab.context.report(RunWithoutAmount, section.nameRange, {{"fact", counts ? "tokens" : "samples"}})
        .help(counts ? "say how many tokens the run reads: `tokens = 15e12tokens`"
                     : "say how many samples the run reads: `samples = 300e6samples`");
  if (tokens && samples)
    elab.context.report(RunOfTwoAmounts, samples->nameRange, {})
        .label(tokens->nameRange, "the other one")
        .help("leave one of them out: the other follows from the length of a sample");
  if (!tokens || samples || counts) return;
  elab.context
      .report(
          RunOfNoTokens, tokens->range,
          {{"model", elab.plan.model->name.str()}, {"tokens", std::string(elab.context.text(tokens->value->range))}})
      .help("count samples (`samples = …`), or let the model say which of its inputs counts tokens: `in tokens: "
            "[batch, seq] int32 counts seq`");
}

/// Reads failures, checkpoints and restarts, which need each other.
void runFailures(Elaboration& elab, FactNode& section) {
  FactNode *mtbf = given(section, "mtbf"), *every = given(section, "every"), *restart = given(section, "restart"),
           *checkpoint = given(section, "checkpoint");
  if (FactNode* saved = mtbf ? mtbf : every;
      saved && !checkpoint && elab.plan.cluster && !elab.plan.cluster->has(ir::ClusterFact::Storage))
    elab.context.report(RunWithoutCheckpoint, saved->range, {})
        .label(elab.plan.cluster->range, "this cluster has no `storage`")
        .help("say it (`checkpoint = 3min`), or at which rate the cluster's storage takes the states of all devices: "
              "`storage = 2TB/s`");
  auto idle = [&](const FactNode& fact, std::string_view needed) {
    elab.context.report(RunFactWithoutEffect, fact.range, {{"fact", fact.name.str()}, {"needed", needed}})
        .help("say how long one device lasts in the mean (`mtbf = 50000h`), or leave it out");
  };
  if (restart && !mtbf) idle(*restart, "`mtbf`: nothing fails");
  if (checkpoint && !mtbf && !every) idle(*checkpoint, "`mtbf` or `every`: none is taken");
  const ir::Run& run = *elab.plan.run;
  if (run.every && run.checkpoint && run.every->value < run.checkpoint->value)
    elab.context
        .report(CheckpointTooLong, run.every->range,
                {{"every", formatQuantity(run.every->value, units::time)},
                 {"checkpoint", formatQuantity(run.checkpoint->value, units::time)}})
        .label(run.checkpoint->range, "longer than the work that it saves")
        .help("save less often; without `every` the best interval is taken");
}

} // namespace

void run(Elaboration& elab, MergedPlan& merged) {
  FactNode* section = merged.section(ir::Statement::Run);
  if (!section) return;
  elab.plan.run.emplace();
  elab.plan.run->range = section->nameRange;
  const uint64_t failures = elab.context.failures;
  FactReader(elab.ev, merged.facts).read(ir::Statement::Run, *section, elab.plan);
  if (elab.context.failures != failures) return; // a misspelt fact is not also reported as missing
  if (FactNode* infer = merged.section(ir::Statement::Infer)) {
    elab.context.report(RunOfNoTraining, section->nameRange, {{"plan", merged.decl.name.str()}})
        .label(infer->nameRange, "its workload")
        .help("leave `run` out: what a forward pass takes is in the report of its step");
    return;
  }
  runAmount(elab, *section);
  runFailures(elab, *section);
  for (const char* name : {"pue", "carbon"})
    if (FactNode* fact = given(*section, name);
        fact && elab.plan.cluster && !elab.plan.cluster->device.has(ir::DeviceFact::Power))
      elab.context
          .report(RunWithoutPower, fact->range, {{"fact", name}, {"device", elab.plan.cluster->device.name.str()}})
          .label(elab.plan.cluster->device.range, "declared here")
          .help("give the device what it draws, with its source: `power = 700W`");
}

} // namespace planc::frontend
