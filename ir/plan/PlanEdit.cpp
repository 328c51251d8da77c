// Changes an elaborated plan: what its text would have said otherwise, put where the frontend puts it.
// SPDX-License-Identifier: Apache-2.0
#include "ir/plan/PlanEdit.h"

#include "ir/facts/FactPath.h"
#include "ir/facts/FactTable.h"
#include "ir/plan/RecordPath.h"
#include "ir/plan/Settings.h"
#include "ir/vocabulary/Schedules.h"
#include "support/Shared.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace planc::ir {

PLANC_ERROR(NothingToSet, 930, "{owner} has no `{name}` to set")
PLANC_ERROR(ChangedValue, 934, "`{fact}` takes {expected}; this is `{value}`")
PLANC_ERROR(SettledInText, 935, "`{fact}` cannot change after the plan was read")

namespace {

std::string ownerOf(const RecordPath& at) {
  switch (at.record) {
  case RecordKind::Stack:
    return "the stack";
  case RecordKind::Device:
    return "the device";
  case RecordKind::Cluster:
    return "the cluster";
  case RecordKind::Fabric:
    return fmt::format("the fabric of `{}`", at.level);
  case RecordKind::Level:
    return fmt::format("level `{}`", at.level);
  }
  return {};
}

constexpr std::string_view kBatch = "infer.batch";

class Editing {
public:
  Editing(Plan& plan, DiagnosticEngine& diagnostics) : plan_(plan), diagnostics_(diagnostics) {}

  bool run(const PlanEdit& edit) {
    bool good = named(edit);
    for (const FactEdit& fact : edit.facts) good &= change(fact);
    for (const AxisEdit& axis : edit.axes) good &= resize(axis);
    if (edit.microBatch) good &= resizeBatch(*edit.microBatch);
    if (edit.globalBatch) good &= resizeGlobalBatch(*edit.globalBatch);
    if (edit.schedule) good &= reschedule(*edit.schedule);
    if (edit.cut) good &= recut(*edit.cut);
    for (const PlacementRule& rule : edit.placements) put(plan_.placements, rule);
    for (const StateRule& rule : edit.states) put(plan_.states, rule);
    if (edit.recompute) plan_.recompute = *edit.recompute;
    plan_.keeps.insert(plan_.keeps.end(), edit.keeps.begin(), edit.keeps.end());
    return settle() && good;
  }

private:
  bool missing(std::string owner, std::string_view name, const std::vector<std::string>& known) {
    auto report = diagnostics_.report(NothingToSet, plan_.range, {{"owner", std::move(owner)}, {"name", name}});
    report.meant(name, known, "there are ");
    return false;
  }
  bool wrong(std::string_view fact, std::string_view expected, std::string_view value) {
    diagnostics_.report(ChangedValue, plan_.range, {{"fact", fact}, {"expected", expected}, {"value", value}});
    return false;
  }

  bool count(std::string_view fact, int64_t& to, int64_t value) {
    if (value < 1) return wrong(fact, "at least 1", std::to_string(value));
    to = value;
    return true;
  }

  /// Sets the batch. In a plan that does not train this is the batch of one replica; the batch of all replicas follows.
  bool resizeBatch(int64_t to) {
    Workload& w = plan_.workload;
    return count(w.updatesParameters() ? "train.micro_batch" : kBatch, w.microBatch, to);
  }
  bool resizeGlobalBatch(int64_t to) {
    Workload& w = plan_.workload;
    return w.updatesParameters() ? count("train.global_batch", w.globalBatch, to)
                                 : missing(fmt::format("plan `{}`", plan_.name.view()), "global_batch", {});
  }

  bool resize(const AxisEdit& edit) {
    std::vector<std::string> names;
    for (AxisId id : plan_.mesh.order) {
      Axis& axis = plan_.mesh.axes[id];
      if (axis.name == edit.axis) return count("mesh." + axis.name.str(), axis.size, edit.size);
      names.push_back(axis.name.str());
    }
    return missing("the mesh", edit.axis.view(), names);
  }

  bool reschedule(const ScheduleEdit& edit) {
    if (!plan_.pipeline) return missing(fmt::format("plan `{}`", plan_.name.view()), "pipeline", {});
    // Whether there is such a schedule, and what it takes, is said by the pass that runs it.
    const Word* word = scheduleWords().find(edit.schedule.view());
    for (size_t i = 0; i < edit.arguments.size(); ++i)
      for (size_t k = 0; k < i; ++k)
        if (edit.arguments[i].name == edit.arguments[k].name)
          return wrong("pipeline.schedule." + edit.arguments[i].name.str(), "one value", "two values");
    for (const ScheduleArgument& given : edit.arguments)
      if (const Parameter* known = word ? word->find(given.name.view()) : nullptr)
        if (const double value = static_cast<double>(given.value); !known->takes(value))
          return wrong("pipeline.schedule." + given.name.str(), known->expected(value), std::to_string(given.value));
    plan_.pipeline->schedule = edit.schedule;
    plan_.pipeline->arguments = edit.arguments;
    return true;
  }

  bool recut(const Stages& cut) {
    if (!plan_.pipeline) return missing(fmt::format("plan `{}`", plan_.name.view()), "pipeline", {});
    const bool lines =
        !plan_.pipeline->stages.empty() && !(plan_.pipeline->cut && plan_.pipeline->cut->cut == StageCut::Balanced);
    if (lines) return wrong("pipeline.stages", "a pipeline without `stage` lines", "a pipeline with them");
    plan_.pipeline->cut = cut;
    plan_.pipeline->stages.clear();
    return true;
  }

  template <class Rule> void put(std::vector<Rule>& rules, const Rule& rule) {
    if (const Rule* known = replacedBy(rule, rules))
      rules[static_cast<size_t>(known - rules.data())] = rule;
    else
      rules.push_back(rule);
  }

  // ---- what it names: layers and axes -----------------------------------------

  bool named(const PlanEdit& edit) {
    bool good = true;
    for (size_t i = 0; i < edit.axes.size(); ++i)
      for (size_t k = 0; k < i; ++k)
        if (edit.axes[i].axis == edit.axes[k].axis)
          good = wrong("mesh." + edit.axes[i].axis.str(), "one size",
                       fmt::format("{} and {}", edit.axes[k].size, edit.axes[i].size));
    const auto fits = [&](auto& r) { return (r.optional || hasLayers(r.selector)) && hasAxes(r.targets); };
    for (const PlacementRule& rule : edit.placements) good &= fits(rule);
    for (const StateRule& rule : edit.states) good &= fits(rule);
    for (const Keep& keep : edit.keeps) good &= hasLayers(keep.selector);
    if (edit.recompute)
      for (const Recompute& statement : *edit.recompute) good &= hasStatement(statement);
    return good;
  }
  bool hasStatement(const Recompute& statement) {
    if (statement.selectors.empty() ||
        std::ranges::any_of(statement.selectors, [](const Selector& s) { return s.steps.empty(); }))
      return wrong("recompute", "layers", "the whole model");
    bool good = !statement.first || *statement.first >= 1 ||
                wrong("recompute.first", "at least 1", std::to_string(*statement.first));
    for (const Selector& selector : statement.selectors) {
      good &= hasLayers(selector);
      for (const Selector& saved : statement.saves) {
        Selector whole = selector;
        whole.steps.insert(whole.steps.end(), saved.steps.begin(), saved.steps.end());
        good &= hasLayers(whole);
      }
    }
    return good;
  }

  bool hasAxes(const std::vector<Symbol>& targets) {
    for (const Symbol target : targets) {
      if (plan_.mesh.resolve(target)) continue;
      std::vector<std::string> names;
      for (AxisId id : plan_.mesh.order) names.push_back(plan_.mesh.axes[id].name.str());
      for (const AxisGroup& group : plan_.mesh.groups) names.push_back(group.name.str());
      return missing("the mesh", target.view(), names);
    }
    return true;
  }
  /// Does anything of the model lie there, in instances that there are?
  bool hasLayers(const Selector& selector) {
    const Model& model = *plan_.model;
    const auto lies = [&](const auto& thing) { return selector.matches(thing.path).has_value(); };
    const bool found =
        selector.steps.empty() || std::any_of(model.ops.begin(), model.ops.end(), lies) ||
        std::any_of(model.params.begin(), model.params.end(), [&](ValueId p) { return lies(model.values[p]); }) ||
        std::any_of(model.layers.begin(), model.layers.end(),
                    [&](const Layer& layer) { return selector.matches({layer.name}).has_value(); });
    if (!found) return missing(fmt::format("model `{}`", model.name.view()), selector.str(), layersNear(selector));
    for (size_t i = 0; i < selector.steps.size(); ++i)
      if (selector.steps[i].slice && !selector.steps[i].isAllOfRepeats() && !hasInstances(selector.prefix(i + 1)))
        return false;
    return true;
  }
  bool hasInstances(const LayerRef& sliced) {
    int64_t count = 0;
    for (const Region& region : plan_.model->regions)
      if (region.path.size() == sliced.steps.size() && sliced.matches(region.path))
        count = std::max(count, region.count);
    for (const Range& range : sliced.steps.back().slice->ranges)
      if (!range.isRange())
        return wrong(LayerRef::of(sliced.names()).str(), "slices with begin < end and a step above 0",
                     fmt::format("[{}:{}:{}]", range.begin, range.end, range.step));
      else if (range.end > count)
        return wrong(sliced.str(), fmt::format("instances below {}", count), std::to_string(range.end - 1));
    return true;
  }
  /// Paths of as many steps as the selector has.
  std::vector<std::string> layersNear(const Selector& selector) const {
    std::vector<std::string> names;
    for (const Op& op : plan_.model->ops) {
      if (op.path.size() < selector.steps.size()) continue;
      std::string name =
          LayerRef::of({op.path.begin(), op.path.begin() + static_cast<std::ptrdiff_t>(selector.steps.size())}).str();
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    }
    return names;
  }

  // ---- facts by path ---------------------------------------------------------

  bool change(const FactEdit& edit) {
    const SettingRow* row = settingAt(edit.path);
    std::string_view below = edit.path;
    const bool served = takeStep(below) == name(Statement::Infer);
    switch (row ? row->kind : SettingKind::Text) {
    case SettingKind::Axis:
      return whole(edit, [&](int64_t size) { return resize({Symbol(below), size}); });
    case SettingKind::Batch:
      if (served ? !infers() : !plan_.workload.updatesParameters()) break;
      return whole(edit, [&](int64_t n) { return resizeBatch(n); });
    case SettingKind::GlobalBatch:
      if (!plan_.workload.updatesParameters()) break;
      return whole(edit, [&](int64_t n) { return resizeGlobalBatch(n); });
    case SettingKind::Number:
      return number(*row, edit);
    case SettingKind::Record:
      if (edit.path.starts_with(name(Statement::Cluster)) ? !plan_.cluster : !plan_.stack) break;
      return fact(recordPath(edit.path, plan_.cluster.get()), edit);
    default:
      break;
    }
    return settled(edit);
  }

  bool settled(const FactEdit& edit) {
    diagnostics_.report(SettledInText, plan_.range, {{"fact", edit.path}})
        .help("set it when the plan is loaded, before it is bound");
    return false;
  }

  bool number(const SettingRow& row, const FactEdit& edit) {
    std::optional<Number> value = valueOf(row.type, row.path, edit);
    return value && (putNumber(row, plan_, std::move(*value)) || settled(edit));
  }

  template <class Set> bool whole(const FactEdit& edit, Set set) {
    const std::optional<Quantity> read = quantity(edit);
    if (!read || !read->unit.plain() || read->value != std::floor(read->value) || std::abs(read->value) > 1e15)
      return wrong(edit.path, "a count", edit.value);
    return set(static_cast<int64_t>(read->value));
  }

  static std::optional<Quantity> quantity(const FactEdit& edit) {
    std::string badUnit;
    if (edit.value == "true" || edit.value == "false") return Quantity{edit.value == "true" ? 1.0 : 0.0, {}};
    return parseQuantity(edit.value, badUnit);
  }

  /// A number of a record, as the row of its path takes it.
  bool fact(const RecordPath& at, const FactEdit& edit) {
    FactKey key;
    const FactRow* row = rowAt(at, key);
    if (!row) {
      std::vector<std::string> known;
      for (const FactRow& one : factRows(at.record)) known.emplace_back(one.path);
      return missing(ownerOf(at), at.fact, known);
    }
    std::optional<Number> value = valueOf(row->type, row->path, edit);
    if (!value) return false;
    const auto put = [&]<class Id>(FactsOf<Id>& record, Id) {
      const Id id = static_cast<Id>(row->id.index);
      // A fact whose section has the statistics stays without statistics of its own.
      if (const Number* before = record.number(id, key); before && before->statistics.calibrated)
        value->statistics.record = before->statistics.record;
      record.set(id, key, *value);
    };
    if (at.record == RecordKind::Stack)
      put(planc::edit(plan_.stack), StackFact());
    else
      inRecord(at, &planc::edit(plan_.cluster), static_cast<Stack*>(nullptr), put);
    return true;
  }

  /// As the reader of plan text makes it: a number that stands on no samples of its own. Nothing after a report.
  std::optional<Number> valueOf(const FactType& type, std::string_view row, const FactEdit& edit) {
    if (type.form == FactForm::Custom || type.form == FactForm::Text || type.form == FactForm::Curve) {
      settled(edit);
      return std::nullopt;
    }
    const bool truth = type.form == FactForm::Bool;
    const std::optional<Quantity> read = quantity(edit);
    const bool word = edit.value == "true" || edit.value == "false";
    if (!read || word != truth || read->unit != type.unit ||
        (type.form == FactForm::Count && read->value != std::floor(read->value))) {
      const std::string expected = truth                          ? "true or false"
                                   : type.form == FactForm::Count ? "a count"
                                   : type.unit.plain()            ? "a number without a unit"
                                                                  : "a quantity of " + type.unit.name();
      wrong(edit.path, expected, edit.value);
      return std::nullopt;
    }
    if (!truth && !type.range.holds(read->value)) {
      wrong(edit.path, type.range.text, edit.value);
      return std::nullopt;
    }
    Number made{read->value, plan_.range, {}, type.unit};
    made.statistics.calibrated = type.calibrated;
    if (type.calibrated) made.statistics.record = row;
    return made;
  }

  // ---- what follows -----------------------------------------------------------

  bool infers() const { return !plan_.workload.updatesParameters() && plan_.workload.globalBatch > 0; }

  /// Strides of axes, the batch of a plan that does not train, and what was told of the plan as it was.
  bool settle() {
    int64_t stride = 1;
    for (AxisId id : plan_.mesh.order) {
      plan_.mesh.axes[id].stride = stride;
      if (__builtin_mul_overflow(stride, plan_.mesh.axes[id].size, &stride)) stride = 1; // check-mesh refuses it
    }
    if (plan_.pipeline) {
      plan_.pipeline->offered.clear();
      if (plan_.pipeline->cut && plan_.pipeline->cut->cut == StageCut::Balanced) plan_.pipeline->stages.clear();
    }
    plan_.measured.clear();
    if (!infers()) return true;
    Workload& w = plan_.workload;
    constexpr int64_t kMost = int64_t(1) << 53;
    if (!__builtin_mul_overflow(w.microBatch, replicas(plan_), &w.globalBatch) && w.globalBatch <= kMost) return true;
    return wrong(kBatch, "at most 2^53 samples of all replicas together", std::to_string(w.microBatch));
  }

  Plan& plan_;
  DiagnosticEngine& diagnostics_;
};

} // namespace

bool apply(const PlanEdit& edit, Plan& plan, DiagnosticEngine& diagnostics) {
  return Editing(plan, diagnostics).run(edit);
}

void append(PlanEdit& edit, const PlanEdit& other) {
  const auto add = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  add(edit.facts, other.facts);
  add(edit.axes, other.axes);
  add(edit.placements, other.placements);
  add(edit.states, other.states);
  add(edit.keeps, other.keeps);
  if (other.microBatch) edit.microBatch = other.microBatch;
  if (other.globalBatch) edit.globalBatch = other.globalBatch;
  if (other.schedule) edit.schedule = other.schedule;
  if (other.cut) edit.cut = other.cut;
  if (other.recompute) edit.recompute = other.recompute;
}

const DiagnosticKind& nothingToSet() {
  return NothingToSet;
}

const PlacementRule* replacedBy(const PlacementRule& rule, const std::vector<PlacementRule>& rules) {
  for (const PlacementRule& known : rules)
    if (known.dim == rule.dim && known.selector.str() == rule.selector.str()) return &known;
  return nullptr;
}

const StateRule* replacedBy(const StateRule& rule, const std::vector<StateRule>& rules) {
  for (const StateRule& known : rules)
    if (known.state == rule.state && known.selector.str() == rule.selector.str()) return &known;
  return nullptr;
}

} // namespace planc::ir
