// Reads `run { … }`: the length of a run, its failures, and the emissions of its energy.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/facts/Schema.h"
#include "frontend/plan/Steps.h"
#include "ir/facts/ClusterFacts.h"
#include "ir/facts/DeviceFacts.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(RunWithoutAmount, 950, "`run` has no `{fact}`: its length is unknown")
PLANC_ERROR(RunOfTwoAmounts, 951, "`run` has both `tokens` and `samples`")
PLANC_ERROR(RunOfNoTokens, 952, "no input of `{model}` counts tokens, so `run` cannot have {tokens}")
PLANC_ERROR(RunOfNoTraining, 953, "`run` needs training, but plan `{plan}` is a forward pass")
PLANC_ERROR(RunWithoutCheckpoint, 954, "the time of a checkpoint is not given")
PLANC_ERROR(RunFactWithoutEffect, 955, "`{fact}` has no effect without {needed}")
PLANC_ERROR(CheckpointTooLong, 956, "a checkpoint every {every} takes {checkpoint}")
PLANC_ERROR(RunWithoutPower, 957, "`{fact}` needs the power of the device, but `{device}` has no `power`")

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
        .help(counts ? "state the tokens of the run: `tokens = 15e12tokens`"
                     : "state the samples of the run: `samples = 300e6samples`");
  if (tokens && samples)
    elab.context.report(RunOfTwoAmounts, samples->nameRange, {})
        .label(tokens->nameRange, "the other one")
        .help("remove one of them: it follows from the other and the length of a sample");
  if (!tokens || samples || counts) return;
  elab.context
      .report(
          RunOfNoTokens, tokens->range,
          {{"model", elab.plan.model->name.str()}, {"tokens", std::string(elab.context.text(tokens->value->range))}})
      .help("count samples (`samples = …`), or declare in the model which input counts tokens: `in tokens: [batch, "
            "seq] int32 counts seq`");
}

/// Reads failures, checkpoints and restarts, which need each other.
void runFailures(Elaboration& elab, FactNode& section) {
  FactNode *mtbf = given(section, "mtbf"), *every = given(section, "every"), *restart = given(section, "restart"),
           *checkpoint = given(section, "checkpoint");
  if (FactNode* saved = mtbf ? mtbf : every;
      saved && !checkpoint && elab.plan.cluster && !elab.plan.cluster->has(ir::ClusterFact::Storage))
    elab.context.report(RunWithoutCheckpoint, saved->range, {})
        .label(elab.plan.cluster->range, "this cluster has no `storage`")
        .help("state it (`checkpoint = 3min`), or give the cluster the rate at which its storage takes the states of "
              "all devices: `storage = 2TB/s`");
  auto idle = [&](const FactNode& fact, std::string_view needed) {
    elab.context.report(RunFactWithoutEffect, fact.range, {{"fact", fact.name.str()}, {"needed", needed}})
        .help("state the mean time between failures of one device (`mtbf = 50000h`), or remove it");
  };
  if (restart && !mtbf) idle(*restart, "`mtbf`: no device fails");
  if (checkpoint && !mtbf && !every) idle(*checkpoint, "`mtbf` or `every`: no checkpoint is taken");
  const ir::Run& run = *elab.plan.run;
  if (run.every && run.checkpoint && run.every->value < run.checkpoint->value)
    elab.context
        .report(CheckpointTooLong, run.every->range,
                {{"every", formatQuantity(run.every->value, units::time)},
                 {"checkpoint", formatQuantity(run.checkpoint->value, units::time)}})
        .label(run.checkpoint->range, "longer than the interval")
        .help("save less often, or remove `every` to use the best interval");
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
        .help("remove `run`: the report of the step has the time of a forward pass");
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
          .help("give the device its power, with a source: `power = 700W`");
}

} // namespace planc::frontend
