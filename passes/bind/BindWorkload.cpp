// bind-workload: sets the extent of the samples to one micro-batch of all replicas, and counts the micro-batches of a
// step.
// SPDX-License-Identifier: Apache-2.0
#include "ir/layout/Routed.h"
#include "ir/plan/MeshUse.h"
#include "passes/Steps.h"
#include "support/Memo.h"

#include <algorithm>

namespace planc::passes {
using namespace ir;

PLANC_ERROR(
    BatchNotDivisible, 710,
    "global_batch ({global}) is not divisible by micro_batch ({micro}) times the data-parallel size ({replicas})")
PLANC_ERROR(BadCount, 721, "{what} is {value}; it must be at least 1")

namespace {

/// Returns the load of the busiest device over the mean for the experts of a routed dim, as the workload states it.
/// `expert_gini` says how uneven experts are; more experts on a device even that out.
double skewOf(const Plan& plan, const Model& model, const Dim& d) {
  const Workload& w = plan.workload;
  if (!d.chosen.valid()) return 1; // the data chooses among the elements of one dimension
  if (w.expertGini <= 0) return w.expertImbalance;
  const Dim& experts = model.dims[d.chosen];
  return busiestLoad(w.expertGini, static_cast<double>(experts.extent),
                     static_cast<double>(devicesOver(plan, experts.name)));
}

/// Returns whether the model already has these extents, as it was written or from another program with the same layers.
bool isBound(const Plan& plan, const Model& model, Symbol name, int64_t extent) {
  return std::all_of(model.dims.begin(), model.dims.end(), [&](const Dim& d) {
    if (d.kind == DimKind::Pooled) return d.extent == wholeExtent(sizeOf(model, d));
    if (d.kind == DimKind::Routed)
      return d.extent == wholeExtent(sizeOf(model, d)) && (d.capacity != 0 || d.skew == skewOf(plan, model, d));
    return d.kind != DimKind::Basic || d.name != name || d.extent == extent;
  });
}

/// Sets the extent of every dim of that name and of the routed and pooled dims that contain it.
void bind(const Plan& plan, Model& model, Symbol name, int64_t extent) {
  for (Dim& d : model.dims)
    if (d.kind == DimKind::Basic && d.name == name) d.extent = extent;
  for (Dim& d : model.dims) {
    if (d.kind != DimKind::Routed && d.kind != DimKind::Pooled) continue;
    d.extent = wholeExtent(sizeOf(model, d));
    if (d.kind == DimKind::Routed && d.capacity == 0) d.skew = skewOf(plan, model, d);
  }
}

/// Binds the samples to the extent. Programs with the same layers share the bound model.
void bindSamples(ProgramHead& program, int64_t extent) {
  const Symbol name = program.plan->workload.samples;
  const Plan& plan = *program.plan;
  if (isBound(plan, program.model, name, extent)) return;
  Reads reads;
  reads << program.model << reinterpret_cast<uintptr_t>(name.key()) << extent;
  for (const Dim& d : program.model->dims)
    if (d.kind == DimKind::Routed) reads << skewOf(plan, program.model, d);
  program.model = remember(program.memos.get(), reads, [&] {
    Shared<Model> model = program.model;
    bind(plan, model.edit(), name, extent);
    return model;
  });
}

/// Freezes parameters that `freeze` reaches in every instance. If a slice reaches only some instances, their classes
/// decide (passes::trains).
void freezeWhole(ProgramHead& program) {
  for (const Selector& s : program.plan->workload.freeze) {
    bool sliced = false;
    for (const LayerStep& step : s.steps) sliced |= step.slice.has_value();
    if (sliced) continue;
    for (ValueId v : program.model->params)
      if (program.model->values[v].trainable && s.matches(program.model->values[v].path))
        program.model.edit().values[v].trainable = false;
  }
}

bool positive(int64_t value, const char* what, SourceRange range, DiagnosticEngine& diagnostics) {
  if (value >= 1) return true;
  diagnostics.report(BadCount, range, {{"what", what}, {"value", value}});
  return false;
}

} // namespace

bool bindWorkload(ProgramHead& program, DiagnosticEngine& diagnostics) {
  const Workload& w = program.plan->workload;
  if (!w.updatesParameters()) {
    // The batch of all replicas at once; without a workload the extent in the text.
    int64_t batch = 0;
    if (w.microBatch > 0 && !__builtin_mul_overflow(w.microBatch, replicas(*program.plan), &batch))
      bindSamples(program, batch);
    return true;
  }
  if (!positive(w.microBatch, "micro_batch", w.microBatchRange, diagnostics) ||
      !positive(w.globalBatch, "global_batch", w.globalBatchRange, diagnostics))
    return false;
  const int64_t split = replicas(*program.plan);
  int64_t batch = 0;
  if (__builtin_mul_overflow(w.microBatch, split, &batch) || w.globalBatch % batch != 0) {
    auto report = diagnostics.report(BatchNotDivisible, w.globalBatchRange,
                                     {{"global", w.globalBatch}, {"micro", w.microBatch}, {"replicas", split}});
    report.label(w.microBatchRange, "`micro_batch` is " + std::to_string(w.microBatch) + " here");
    if (const PlacementRule* rule = ruleOfSamples(*program.plan))
      report.label(rule->targetRange,
                   "`" + w.samples.str() + "` is split over " + std::to_string(split) + " devices here");
    if (batch > 0 && batch <= (int64_t(1) << 40)) {
      const int64_t below = w.globalBatch / batch * batch;
      int64_t above = 0;
      std::string such = below > 0 ? std::to_string(below) : "";
      if (!__builtin_add_overflow(below, batch, &above)) such += (below > 0 ? " or " : "") + std::to_string(above);
      report.help("set `global_batch` to a multiple of " + std::to_string(batch) + ", such as " + such);
    }
    return false;
  }
  bindSamples(program, batch);
  freezeWhole(program);
  program.microBatches = w.globalBatch / batch;
  return true;
}

} // namespace planc::passes
