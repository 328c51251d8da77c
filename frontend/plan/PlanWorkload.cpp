// Workload of a plan: batch sizes, extents of dimensions, optimizer. Whether they are what the model needs is checked
// in PlanExtents.cpp.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/facts/Schema.h"
#include "frontend/plan/PlanBuilder.h"
#include "frontend/plan/Workloads.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(WorkloadCount, 670, "`{fact}` is {value}; it takes at least 1")
PLANC_ERROR(BatchTooLarge, 673, "the batch of one micro-batch on all replicas is out of range: {micro} x {replicas}")
PLANC_ERROR(ExpertImbalance, 680, "`expert_imbalance` is the largest load over the mean, at least 1; this is {value}")
PLANC_ERROR(GenerateWithoutEffect, 736,
            "`generate` has no effect: a plan without training is one forward pass over its prompt")

namespace {

const Symbol kGlobal("global_batch"), kMicro("micro_batch"), kOptimizer("optimizer"),
    kTableOptimizer("table_optimizer"), kImbalance("expert_imbalance"), kBatch("batch"), kPrompt("prompt"),
    kGenerate("generate"), kPrecision("precision");

/// What may be the extent of a dimension; what is not known may be anything.
bool isNumber(const Value& v) {
  return v.invalid() || v.numeric();
}

} // namespace

std::optional<int64_t> PlanBuilder::count(FactNode& node, std::string_view what) {
  static const TypeInfo kInt{.kind = TypeInfo::Kind::Int, .name = "int"};
  const Value v = node.section() ? Value{} : ev_.coerce(facts_->value(node, &kInt), kInt, fmt::format("`{}`", what));
  if (v.invalid()) {
    ok_ = false;
    return std::nullopt;
  }
  if (v.integer >= 1) return v.integer;
  context_.report(WorkloadCount, node.value->range, {{"fact", what}, {"value", v.integer}});
  ok_ = false;
  return std::nullopt;
}

void PlanBuilder::train(FactNode& node) {
  ir::Workload& w = plan_->workload;
  w.train = true;
  w.range = node.range;
  const bool tuning = node.name == Symbol("finetune");
  for (FactNode& fact : node.children) {
    if (tuning && finetuneFact(fact)) continue;
    if (fact.name == kPrecision && !fact.section()) {
      reportSectionForm(context_, fact.range, kPrecision.view());
      ok_ = false;
      continue;
    }
    if (fact.name == kOptimizer || fact.name == kTableOptimizer) {
      optimizer(fact, fact.name == kOptimizer ? w.optimizer : w.tableOptimizer);
      continue;
    }
    if (fact.section() || fact.name == kBatch || // which follows from the two below
        (!nearest(fact.name.view(), factsOf(node.name.view())).empty() && !isNumber(facts_->value(fact)))) {
      unknownWorkloadFact(node, fact.name, fact.nameRange);
      continue;
    }
    if (fact.name == kImbalance) {
      expertImbalance(fact);
      continue;
    }
    const auto n = count(fact, fmt::format("{}.{}", node.name.view(), fact.name.view()));
    if (fact.name == kGlobal) {
      w.globalBatch = n.value_or(0);
      w.globalBatchRange = fact.value->range;
    } else if (fact.name == kMicro) {
      w.microBatch = n.value_or(0);
      w.microBatchRange = fact.value->range;
    } else if (n || ev_.checking) { // an unknown extent does not hide what else can be stated of the model
      w.extents.emplace_back(fact.name, n.value_or(Extents::kNominal));
      extentFacts_.emplace_back(fact.name, &fact);
    } else {
      extents_.failed.push_back(fact.name);
    }
  }
}

/// Routing that sends the busiest device more than the mean: a number, since no text says what the data will do.
void PlanBuilder::expertImbalance(FactNode& node) {
  static const TypeInfo kFloat{.kind = TypeInfo::Kind::Float, .name = "float"};
  const Value v = ev_.coerce(facts_->value(node, &kFloat), kFloat, "`train.expert_imbalance`");
  if (v.invalid()) {
    ok_ = false;
    return;
  }
  if (v.asDouble() >= 1) {
    plan_->workload.expertImbalance = v.asDouble();
    plan_->workload.imbalanceRange = node.range;
    return;
  }
  context_.report(ExpertImbalance, node.value->range, {{"value", show(v)}})
      .help("1.0 is balanced routing; 1.2 gives the busiest device a fifth more than the mean");
  ok_ = false;
}

void PlanBuilder::infer(FactNode& node) {
  ir::Workload& w = plan_->workload;
  w.range = node.range;
  for (FactNode& fact : node.children) {
    if (fact.section()) {
      unknownWorkloadFact(node, fact.name, fact.nameRange);
      continue;
    }
    if (fact.name == kGenerate) {
      context_.report(GenerateWithoutEffect, fact.range)
          .help("leave it out: what is priced is reading the prompt, and nothing is said of the tokens after it");
      ok_ = false;
      continue;
    }
    const auto n = count(fact, fmt::format("infer.{}", fact.name.view()));
    if (!n) {
      fact.name == kPrompt ? void(extents_.promptFailed = true) : extents_.failed.push_back(fact.name);
      continue;
    }
    if (fact.name == kBatch) {
      w.microBatch = w.globalBatch = *n;
    } else if (fact.name == kPrompt) {
      extents_.prompt = *n;
      promptFact_ = &fact;
    } else {
      w.extents.emplace_back(fact.name, *n);
      extentFacts_.emplace_back(fact.name, &fact);
    }
  }
}

void PlanBuilder::workload() {
  if (FactNode* node = factNode("train"); node && node->section()) train(*node);
  if (FactNode* node = factNode("infer"); node && node->section()) infer(*node);
  if (FactNode* node = factNode("finetune"); node && node->section()) train(*node);
  oneWorkload();
  precision();
  ir::Workload& w = plan_->workload;
  extents_.bound = w.extents;
  const int64_t micro = std::max<int64_t>(w.microBatch, 1), copies = replicas();
  int64_t batch = 0;
  if (__builtin_mul_overflow(micro, copies, &batch) || batch > (int64_t(1) << 53)) {
    context_.report(BatchTooLarge, w.microBatchRange.valid() ? w.microBatchRange : decl_->nameRange,
                    {{"micro", micro}, {"replicas", copies}});
    ok_ = false;
    batch = 1;
  }
  if (!w.train && w.globalBatch > 0) w.globalBatch = batch; // `infer`: what all replicas run at once
  extents_.bound.emplace_back(Symbol("batch"), batch);
  extents_.nominal = !w.range.valid(); // no workload: shapes are still checked
}

// docs/language.md, section 11: the product of the axes that the outermost rule gives to `batch`.
int64_t PlanBuilder::replicas() const {
  int64_t product = 1;
  for (const ir::PlacementRule& r : plan_->placements) {
    if (!r.selector.steps.empty() || r.dim != Symbol("batch")) continue;
    for (Symbol t : r.targets)
      if (auto axes = plan_->mesh.resolve(t)) product *= plan_->mesh.size(*axes);
  }
  return product;
}

} // namespace planc::frontend
