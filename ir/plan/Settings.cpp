// The statements of plans, and what of them can be set: a row each.
// SPDX-License-Identifier: Apache-2.0
#include "ir/plan/Settings.h"

#include "ir/facts/FactPath.h"
#include "ir/facts/StackFacts.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace planc::ir {

std::span<const StatementRow> statements() {
  using enum StatementForm;
  // clang-format off
  static constexpr StatementRow kRows[] = {
      //                                             readable ofWords ofPlan addable
      {Statement::Model,      "model",      Named,   true, false, false, true},
      {Statement::Cluster,    "cluster",    Named,   true, false, false, true},
      {Statement::Software,   "software",   Named,   true, false, false, true},
      {Statement::Train,      "train",      Section, true, false, false, false},
      {Statement::Precision,  "precision",  Section, true, true, true, true},
      {Statement::Infer,      "infer",      Section, true, false, false, false},
      {Statement::Finetune,   "finetune",   Section, true, false, false, false},
      {Statement::Run,        "run",        Section, true, false, true, false},
      {Statement::Mesh,       "mesh",       Block,   true, false, true, false},
      {Statement::Place,      "place",      Block,   false, true, false, false},
      {Statement::States,     "states",     Block,   false, true, false, false},
      {Statement::Pipeline,   "pipeline",   Block,   true, true, true, false},
      {Statement::Recompute,  "recompute",  Block,   true, true, true, true},
      {Statement::Keep,       "keep",       Block,   false, false, false, false},
      {Statement::Overlap,    "overlap",    Block,   false, true, true, true},
      {Statement::Search,     "search",     Block,   false, false, false, false},
  };
  // clang-format on
  return kRows;
}

const StatementRow* statementNamed(std::string_view name) {
  const auto rows = statements();
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const StatementRow& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

std::string_view name(Statement statement) {
  return statements()[static_cast<size_t>(statement)].name;
}

std::span<const SettingRow> settings() {
  using enum SettingKind;
  static constexpr FactRange kLoad{1, std::numeric_limits<double>::max(), "at least 1"};
  static const auto run = [](std::string_view path, const Unit& unit, const FactRange& range, OptNumber Run::*field) {
    return SettingRow{path, Number, number(unit, range), field};
  };
  static const auto overlap = [](std::string_view path, StackFact same, SettingField field) {
    return SettingRow{path, Text, factRow(same).type, field}; // what the stack says otherwise
  };
  static constexpr std::string_view kGlobalBatch =
                                        "samples of one optimizer step, over all replicas: `global_batch = 64`",
                                    kMicroBatch = "samples that one replica computes at a time: `micro_batch = 1`",
                                    kOptimizer = "the update of the parameters: `import std.optimizers`, `optimizer = "
                                                 "optimizers.adamw`; `optimizer = none` for passes without an update",
                                    kBatch = "samples that one replica reads at a time: `batch = 8`";
  static const std::vector<SettingRow> rows{
      {"mesh.*", Axis},
      {"train.global_batch", GlobalBatch, {}, {}, kGlobalBatch},
      {"train.micro_batch", Batch, {}, {}, kMicroBatch},
      {"train.sequence"},
      {"train.documents"},
      {"train.optimizer", Text, {}, {}, kOptimizer},
      {"train.table_optimizer"},
      {"train.expert_imbalance", Number, number({}, kLoad),
       WorkloadField{&Workload::expertImbalance, &Workload::imbalanceRange}},
      {"train.expert_gini", Number, number({}, ranges::kInequality),
       WorkloadField{&Workload::expertGini, &Workload::giniRange}},
      {"finetune.freeze"},
      {"finetune.lora"},
      {"infer.batch", Batch, {}, {}, kBatch},
      {"infer.prompt"},
      {"infer.sequence"},
      {"infer.documents"},
      run("run.tokens", units::tokens, ranges::kAmount, &Run::tokens),
      run("run.samples", units::samples, ranges::kAmount, &Run::samples),
      run("run.mtbf", units::time, ranges::kLife, &Run::mtbf),
      run("run.checkpoint", units::time, ranges::kTime, &Run::checkpoint),
      run("run.every", units::time, ranges::kLife, &Run::every),
      run("run.restart", units::time, ranges::kTime, &Run::restart),
      run("run.utilisation", {}, ranges::kEfficiency, &Run::utilisation),
      run("run.pue", {}, ranges::kSurcharge, &Run::pue),
      run("run.carbon", units::intensity, ranges::kIntensity, &Run::carbon),
      overlap("overlap.prefetch", StackFact::Prefetch, &Overlap::prefetch),
      overlap("overlap.slowdown", StackFact::Slowdown, &Overlap::slowdown),
      overlap("overlap.bucket", StackFact::Bucket, &Overlap::bucket),
      overlap("overlap.*", StackFact::Inline, {}),
      {"cluster", Record},
      {"software", Record},
      {"pipeline.schedule", Schedule},
      {"pipeline.stages", Stages},
      {"pipeline.scatter"},
      {"recompute", Recompute},
      {"states.* ->", State},
      {"* ->", Placement},
  };
  return rows;
}

const SettingRow* settingAt(std::string_view path) {
  constexpr std::string_view kArrow = "->", kTuning = "finetune.";
  const bool rule = path.ends_with(kArrow), state = path.starts_with("states.");
  for (const SettingRow& row : settings()) {
    const bool found =
        rule || row.path.ends_with(kArrow) ? rule && row.kind == (state ? SettingKind::State : SettingKind::Placement)
        : row.kind == SettingKind::Record  ? path.starts_with(row.path) && path.substr(row.path.size()).starts_with('.')
                                           : fitsPath(row.path, path, PathEnd::Whole);
    if (found) return &row;
  }
  if (!path.starts_with(kTuning)) return nullptr;
  return settingAt(fmt::format("{}.{}", name(Statement::Train), path.substr(kTuning.size())));
}

std::vector<const SettingRow*> settingsIn(std::string_view statement) {
  std::vector<const SettingRow*> rows;
  if (statement == name(Statement::Finetune)) rows = settingsIn(name(Statement::Train));
  for (const SettingRow& row : settings())
    if (row.path.starts_with(statement) && row.path.substr(statement.size()).starts_with('.')) rows.push_back(&row);
  return rows;
}

std::vector<std::string> settingNames(std::string_view statement) {
  std::vector<std::string> names;
  for (const SettingRow* row : settingsIn(statement)) names.emplace_back(nameOf(*row));
  return names;
}

std::string_view nameOf(const SettingRow& row) {
  return row.path.substr(row.path.rfind('.') + 1);
}

bool isBatch(std::string_view path) {
  const SettingRow* row = settingAt(path);
  return row && (row->kind == SettingKind::Batch || row->kind == SettingKind::GlobalBatch);
}

namespace {

/// The optional number of a row; null for other rows, and without the section.
template <class P> auto* optionalOf(const SettingRow& row, P& plan) {
  const auto* run = std::get_if<OptNumber Run::*>(&row.field);
  const auto* overlap = std::get_if<OptNumber Overlap::*>(&row.field);
  return run && plan.run ? &((*plan.run).**run) : overlap ? &(plan.overlap.**overlap) : nullptr;
}

} // namespace

OptNumber numberOf(const SettingRow& row, const Plan& plan) {
  if (const OptNumber* number = optionalOf(row, plan)) return *number;
  const auto* field = std::get_if<WorkloadField>(&row.field);
  if (!field || !(plan.workload.*field->range).valid()) return std::nullopt;
  return Number{plan.workload.*field->value, plan.workload.*field->range};
}

bool putNumber(const SettingRow& row, Plan& plan, Number number) {
  const auto* field = std::get_if<WorkloadField>(&row.field);
  if (field && plan.workload.updatesParameters()) {
    plan.workload.*field->value = number.value;
    plan.workload.*field->range = number.range;
    return true;
  }
  OptNumber* optional = optionalOf(row, plan);
  if (optional) *optional = std::move(number);
  return optional != nullptr;
}

std::string cutText(const Stages& cut) {
  if (cut.cut == StageCut::Balanced) return cut.cuts ? fmt::format("balanced(cuts = {})", *cut.cuts) : "balanced";
  if (cut.cut == StageCut::Counts) return fmt::format("[{}]", fmt::join(cut.counts, ", "));
  std::string counted;
  for (const CountedLayer& c : cut.counted)
    counted += fmt::format("{}{} = {}", counted.empty() ? "" : ", ", c.layer.view(), c.count);
  return counted.empty() ? "even" : "even(" + counted + ")";
}

std::string scheduleAsWritten(Symbol schedule, const std::vector<ScheduleArgument>& arguments) {
  std::string text;
  for (const ScheduleArgument& a : arguments)
    text += (text.empty() ? "(" : ", ") + a.name.str() + " = " + std::to_string(a.value);
  return schedule.str() + (text.empty() ? "" : text + ")");
}

} // namespace planc::ir
