// Reads the workload of a plan: batch sizes, extents of dimensions, optimizer. Extents.cpp checks it against the model.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/statements/Workload.h"

#include "frontend/facts/Schema.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(WorkloadCount, 670, "`{fact}` is {value}; it must be at least 1")
PLANC_ERROR(BatchTooLarge, 673, "the batch of one micro-batch on all replicas is out of range: {micro} x {replicas}")
PLANC_ERROR(ExpertImbalance, 680,
            "`expert_imbalance` is the largest load over the mean, so it must be at least 1; this is {value}")
PLANC_ERROR(TwoWorkloads, 786, "plan `{plan}` has two workloads, `{first}` and `{second}`")
PLANC_ERROR(GenerateWithoutEffect, 736,
            "`generate` has no effect: a plan without training is one forward pass over its prompt")

namespace {

const Symbol kGlobal("global_batch"), kMicro("micro_batch"), kOptimizer("optimizer"),
    kTableOptimizer("table_optimizer"), kImbalance("expert_imbalance"), kBatch("batch"), kPrompt("prompt"),
    kSequence("sequence"), kGenerate("generate"), kPrecision("precision"), kForward("forward");

/// Returns whether a value may be the extent of a dimension. An unknown value may be one.
bool isNumber(const Value& v) {
  return v.invalid() || v.numeric();
}

} // namespace

std::optional<int64_t> count(Elaboration& elab, FactTree& facts, FactNode& node, std::string_view what) {
  static const TypeInfo kInt{.kind = TypeInfo::Kind::Int, .name = "int"};
  const Value v = node.section() ? Value{} : elab.ev.coerce(facts.value(node, &kInt), kInt, fmt::format("`{}`", what));
  if (v.invalid()) {
    elab.ok = false;
    return std::nullopt;
  }
  if (v.integer >= 1) return v.integer;
  elab.context.report(WorkloadCount, node.value->range, {{"fact", what}, {"value", v.integer}});
  elab.ok = false;
  return std::nullopt;
}

namespace {

/// Reads how much more than the mean the busiest device gets by routing. It is a number, because no text describes the
/// data.
void number(Elaboration& elab, MergedPlan& merged, FactNode& node, const ir::SettingRow& row) {
  static const TypeInfo kFloat{.kind = TypeInfo::Kind::Float, .name = "float"};
  const Value v = elab.ev.coerce(merged.facts.value(node, &kFloat), kFloat, fmt::format("`{}`", row.path));
  if (!v.invalid() && row.type.range.holds(v.asDouble())) {
    ir::putNumber(row, elab.plan, {v.asDouble(), node.range});
    return;
  }
  elab.ok = false;
  if (v.invalid()) return;
  if (node.name == kImbalance) // no text says what the data will do
    elab.context.report(ExpertImbalance, node.value->range, {{"value", show(v)}})
        .help("1.0 is balanced routing; 1.2 gives the busiest device a fifth more than the mean");
  else
    reportOutOfRange(elab.context, node.value->range, row.path, show(v), row.type.range.text);
}

void train(Elaboration& elab, MergedPlan& merged, WorkloadFacts& facts, FactNode& node) {
  ir::Workload& w = elab.plan.workload;
  w.section = node.name;
  w.phases.push_back({.name = node.name, .backward = true, .update = true});
  w.range = node.range;
  const bool tuning = ir::is(node.name, ir::Statement::Finetune);
  for (FactNode& fact : node.children) {
    if ((tuning && finetuneFact(elab, merged, fact)) || documentsFact(elab, merged, fact)) continue;
    if (fact.name == kPrecision && !fact.section()) {
      reportSectionForm(elab.context, fact.range, kPrecision.view());
      elab.ok = false;
      continue;
    }
    if (fact.name == kOptimizer || fact.name == kTableOptimizer) {
      const bool ofTables = fact.name == kTableOptimizer;
      (ofTables ? w.tableOptimizer : w.optimizer) = optimizer(elab, merged.facts, fact, ofTables);
      continue;
    }
    if (fact.section() || fact.name == kBatch || // which follows from the two below
        (!nearest(fact.name.view(), ir::settingNames(node.name.view())).empty() &&
         !isNumber(merged.facts.value(fact)))) {
      unknownWorkloadFact(elab, facts, node, fact.name, fact.nameRange);
      continue;
    }
    const std::string path = fmt::format("{}.{}", node.name.view(), fact.name.view());
    if (const ir::SettingRow* row = ir::settingAt(path); row && row->kind == ir::SettingKind::Number) {
      number(elab, merged, fact, *row);
      continue;
    }
    if (fact.name == kSequence && merged.facts.value(fact).kind == ValueKind::None) continue; // `none`: as if not given
    const auto n = count(elab, merged.facts, fact, path);
    if (fact.name == kSequence) {
      n ? void(facts.extents.prompt = *n) : void(facts.extents.promptFailed = true);
      facts.prompt = n ? &fact : nullptr;
    } else if (fact.name == kGlobal) {
      w.globalBatch = n.value_or(0);
      w.globalBatchRange = fact.value->range;
    } else if (fact.name == kMicro) {
      w.microBatch = n.value_or(0);
      w.microBatchRange = fact.value->range;
    } else if (n || elab.ev.checking) { // with an unknown extent the rest of the model is still checked
      w.phases.back().extents.emplace_back(fact.name, n.value_or(Extents::kNominal));
      facts.bound.emplace_back(fact.name, &fact);
    } else {
      facts.extents.failed.push_back(fact.name);
    }
  }
}

void infer(Elaboration& elab, MergedPlan& merged, WorkloadFacts& facts, FactNode& node) {
  ir::Workload& w = elab.plan.workload;
  w.section = node.name;
  w.phases.push_back({.name = kForward});
  w.range = node.range;
  for (FactNode& fact : node.children) {
    if (documentsFact(elab, merged, fact)) continue;
    if (fact.section()) {
      unknownWorkloadFact(elab, facts, node, fact.name, fact.nameRange);
      continue;
    }
    if (fact.name == kGenerate) {
      elab.context.report(GenerateWithoutEffect, fact.range)
          .help("remove it: only reading the prompt is priced, not the tokens after it");
      elab.ok = false;
      continue;
    }
    const bool sequence = fact.name == kSequence, ofAll = sequence || fact.name == kPrompt;
    if (sequence && merged.facts.value(fact).kind == ValueKind::None) continue; // `none`: as if not given
    if (ofAll && facts.prompt) {
      reportGivenTwice(elab.context, fact.nameRange, fact.name.view(), facts.prompt->nameRange);
      elab.ok = false;
      continue;
    }
    const auto n = count(elab, merged.facts, fact, fmt::format("infer.{}", fact.name.view()));
    if (!n) {
      ofAll ? void(facts.extents.promptFailed = true) : facts.extents.failed.push_back(fact.name);
      continue;
    }
    if (fact.name == kBatch) {
      w.microBatch = w.globalBatch = *n;
    } else if (ofAll) {
      facts.extents.prompt = *n;
      facts.prompt = &fact;
    } else {
      w.phases.back().extents.emplace_back(fact.name, *n);
      facts.bound.emplace_back(fact.name, &fact);
    }
  }
}

/// Reports more than one of `train`, `finetune` and `infer`.
void oneWorkload(Elaboration& elab, MergedPlan& merged) {
  const FactNode* first = nullptr;
  for (const ir::Statement kind : kWorkloads) {
    const FactNode* node = merged.section(kind);
    if (!node) continue;
    if (first) {
      elab.context
          .report(TwoWorkloads, node->nameRange,
                  {{"plan", merged.decl.name.str()}, {"first", first->name.str()}, {"second", node->name.str()}})
          .label(first->nameRange, "the other workload")
          .help("write two plans, of which one `extends` the other");
      elab.ok = false;
      return;
    }
    first = node;
  }
}

} // namespace

WorkloadFacts workload(Elaboration& elab, MergedPlan& merged) {
  WorkloadFacts facts;
  if (FactNode* node = merged.section(ir::Statement::Train)) train(elab, merged, facts, *node);
  if (FactNode* node = merged.section(ir::Statement::Infer)) infer(elab, merged, facts, *node);
  if (FactNode* node = merged.section(ir::Statement::Finetune)) train(elab, merged, facts, *node);
  oneWorkload(elab, merged);
  ir::Workload& w = elab.plan.workload;
  w.samples = kSamples;
  facts.extents.bound = w.extents();
  facts.extents.documents = w.documents;
  const int64_t micro = std::max<int64_t>(w.microBatch, 1), copies = ir::replicas(elab.plan);
  int64_t batch = 0;
  if (__builtin_mul_overflow(micro, copies, &batch) || batch > (int64_t(1) << 53)) {
    elab.context.report(BatchTooLarge, w.microBatchRange.valid() ? w.microBatchRange : merged.decl.nameRange,
                        {{"micro", micro}, {"replicas", copies}});
    elab.ok = false;
    batch = 1;
  }
  if (!w.updatesParameters() && w.globalBatch > 0) w.globalBatch = batch; // `infer`: the batch of all replicas
  facts.extents.bound.emplace_back(kSamples, batch);
  facts.extents.nominal = !w.range.valid(); // without a workload, shapes are still checked
  return facts;
}

} // namespace planc::frontend
