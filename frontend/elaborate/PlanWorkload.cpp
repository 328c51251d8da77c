// Workload and precision of a plan: batch sizes, extents of dimensions, optimizer, element types. Whether they are what
// the model needs is checked in PlanExtents.cpp.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/elaborate/PlanBuilder.h"
#include "frontend/elaborate/Schema.h"
#include "frontend/elaborate/Workloads.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(WorkloadCount, 670, "`{fact}` is {value}; it takes at least 1")
PLANC_ERROR(BatchTooLarge, 673, "the batch of one micro-batch on all replicas is out of range: {micro} x {replicas}")
PLANC_ERROR(UnknownPrecision, 674, "`{name}` is neither a precision nor an operator of model `{model}`")
PLANC_ERROR(ExpertImbalance, 680, "`expert_imbalance` is the largest load over the mean, at least 1; this is {value}")
PLANC_ERROR(GenerateWithoutEffect, 736,
            "`generate` has no effect: a plan without training is one forward pass over its prompt")
PLANC_ERROR(NoFloatType, 728, "`{precision}` is a floating-point type; this is `{type}`")
PLANC_ERROR(StorageOnlyType, 782,
            "`{type}` is a type to store frozen parameters in; `{precision}` needs one to compute with")

namespace {

const Symbol kGlobal("global_batch"), kMicro("micro_batch"), kOptimizer("optimizer"),
    kTableOptimizer("table_optimizer"), kImbalance("expert_imbalance"), kFrozen("frozen"), kBatch("batch"),
    kPrompt("prompt"), kGenerate("generate"), kPrecision("precision");

struct PrecisionRow {
  std::string_view name;
  ir::DType ir::Precision::*field;
};
constexpr PrecisionRow kPrecisions[] = {
    {"compute", &ir::Precision::compute}, {"activations", &ir::Precision::activations},
    {"params", &ir::Precision::params},   {"grads", &ir::Precision::grads},
    {"reduce", &ir::Precision::reduce},   {"optimizer", &ir::Precision::optimizer},
};

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
    } else if (n || ev_.checking) { // an unknown extent does not hide what else can be said of the model
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

/// Numbers with fractions are computed, accumulated and averaged in floating point; integers can only store, with a
/// scale that brings them back, and `bool` holds none.
bool PlanBuilder::storable(const FactNode& fact, ir::DType type, bool stores) {
  if (ir::isFloat(type) || ir::isStorageOnly(type) || (stores && type != ir::DType::boolean)) return true;
  std::string list;
  for (ir::DType t : ir::allDTypes())
    if (ir::isFloat(t) && !ir::isStorageOnly(t)) list += fmt::format("{}`{}`", list.empty() ? "" : ", ", ir::name(t));
  context_.report(NoFloatType, fact.value->range, {{"precision", fact.name.str()}, {"type", ir::name(type)}})
      .help("write one of " + list);
  ok_ = false;
  return false;
}

// Defaults of docs/language.md, section 9: each follows from one before it.
void PlanBuilder::precision() {
  ir::Precision& p = plan_->precision;
  FactNode* node = factNode("precision");
  std::vector<std::string_view> given;
  static const TypeInfo kDType{.kind = TypeInfo::Kind::DType, .name = "dtype"};
  if (node && !node->section()) node = nullptr;
  if (node) {
    p.range = node->range;
    for (FactNode& fact : node->children) {
      if (fact.section()) {
        reportUnknownFact(context_, fact.nameRange, fact.name.view(), {"`precision`", node->nameRange},
                          {"compute", "activations", "params", "frozen", "grads", "reduce", "optimizer"});
        continue;
      }
      const Value v = ev_.coerce(facts_->value(fact, &kDType), kDType, fmt::format("`precision.{}`", fact.name.view()));
      if (v.invalid()) {
        ok_ = false;
        continue;
      }
      const bool stores = fact.name == kFrozen || (fact.name == Symbol("params") && !plan_->workload.train);
      if (!storable(fact, v.dtype, stores)) continue;
      if (!stores && ir::isStorageOnly(v.dtype)) {
        context_
            .report(StorageOnlyType, fact.value->range, {{"type", ir::name(v.dtype)}, {"precision", fact.name.str()}})
            .help(
                fmt::format("write `frozen = {}`: frozen weights are unpacked before each product", ir::name(v.dtype)));
        ok_ = false;
        continue;
      }
      bool known = fact.name == kFrozen;
      if (known) p.frozen = v.dtype, p.frozenRange = fact.value->range;
      for (const PrecisionRow& row : kPrecisions)
        if (row.name == fact.name.view()) {
          p.*(row.field) = v.dtype;
          given.push_back(row.name);
          known = true;
        }
      if (!known) p.onWire[fact.name] = v.dtype; // checked against the operators of the model
    }
  }
  auto has = [&](std::string_view name) { return std::find(given.begin(), given.end(), name) != given.end(); };
  if (!has("activations")) p.activations = ir::width(p.compute) < 2 ? ir::DType::bf16 : p.compute;
  if (!has("params")) p.params = p.activations;
  if (!has("grads")) p.grads = ir::DType::fp32;
  if (!has("reduce")) p.reduce = p.grads;
  if (!has("optimizer")) p.optimizer = ir::DType::fp32;
}

void PlanBuilder::checkWireNames() {
  FactNode* node = factNode("precision");
  for (const auto& [name, dtype] : plan_->precision.onWire) {
    bool known = false;
    for (const ir::Op& op : plan_->model->ops) known |= op.name == name;
    if (known) continue;
    std::vector<std::string> names;
    for (const PrecisionRow& row : kPrecisions) names.emplace_back(row.name);
    names.emplace_back(kFrozen.view());
    for (const ir::Op& op : plan_->model->ops)
      if (op.kind != ir::OpKind::Carry && std::find(names.begin(), names.end(), op.name.str()) == names.end())
        names.push_back(op.name.str());
    FactNode* fact = node ? node->find(name) : nullptr;
    auto report = context_.report(UnknownPrecision, fact ? fact->nameRange : decl_->nameRange,
                                  {{"name", name.str()}, {"model", plan_->model->name.str()}});
    if (auto meant = didYouMean(name.view(), names); !meant.empty()) report.help(meant);
    ok_ = false;
  }
}

} // namespace planc::frontend
