// Changes an elaborated plan: what its text would have said otherwise, put where the frontend puts it.
// SPDX-License-Identifier: Apache-2.0
#include "ir/plan/PlanEdit.h"

#include "ir/facts/FactPath.h"
#include "ir/facts/FactTable.h"
#include "ir/vocabulary/Schedules.h"
#include "support/Shared.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace planc::ir {

PLANC_ERROR(NothingToChange, 933, "{owner} has no `{name}` to change")
PLANC_ERROR(ChangedValue, 934, "`{fact}` takes {expected}; this is `{value}`")
PLANC_ERROR(SettledInText, 935, "`{fact}` is settled when the text of a plan is read")

namespace {

bool keyOf(const FactRow& row, std::string_view star, FactKey& key) {
  switch (row.type.star) {
  case StarKey::None:
    return true;
  case StarKey::Name:
    key = Symbol(star);
    return true;
  case StarKey::DType:
    if (const auto type = parseDType(star)) key = *type;
    return parseDType(star).has_value();
  case StarKey::Class:
    if (const auto cls = parseCollectiveClass(star)) key = *cls;
    return parseCollectiveClass(star).has_value();
  }
  return false;
}

/// The number of a record by the path of its row.
template <class Id> const Number* numberIn(const FactsOf<Id>& record, std::string_view path) {
  for (const FactRow& row : factRows(recordOf(Id()))) {
    std::string_view star;
    FactKey key;
    if (fitsPath(row.path, path, PathEnd::Whole, &star) && keyOf(row, star, key))
      return record.number(static_cast<Id>(row.id.index), key);
  }
  return nullptr;
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
    auto report = diagnostics_.report(NothingToChange, plan_.range, {{"owner", std::move(owner)}, {"name", name}});
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

  /// Of a plan that does not train what one replica runs at once: all of them together follow from it.
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
          return wrong("pipeline.schedule." + edit.arguments[i].name.str(), "one value", "given twice");
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
    if (lines) return wrong("pipeline.stages", "a pipeline without `stage` lines", "beside them");
    plan_.pipeline->cut = cut;
    plan_.pipeline->stages.clear();
    return true;
  }

  template <class Rule> void put(std::vector<Rule>& rules, const Rule& rule) {
    if (const Rule* known = replacedBy(rule, plan_))
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
    std::string_view rest = edit.path;
    const std::string_view first = takeStep(rest);
    if (first == "cluster" && plan_.cluster) return ofCluster(edit, rest);
    if (first == "software" && plan_.stack)
      return number(planc::edit(plan_.stack), StackFact(), "the stack", rest, edit);
    if (first == "mesh") return whole(edit, [&](int64_t size) { return resize({Symbol(rest), size}); });
    if ((first == "train" || first == "finetune") && plan_.workload.updatesParameters()) {
      if (rest == "micro_batch") return whole(edit, [&](int64_t n) { return resizeBatch(n); });
      if (rest == "global_batch") return whole(edit, [&](int64_t n) { return resizeGlobalBatch(n); });
    }
    if (edit.path == kBatch && infers()) return whole(edit, [&](int64_t n) { return resizeBatch(n); });
    diagnostics_.report(SettledInText, plan_.range, {{"fact", edit.path}})
        .help("set it where the plan is loaded, before it is bound");
    return false;
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

  bool ofCluster(const FactEdit& edit, std::string_view path) {
    Cluster& cluster = planc::edit(plan_.cluster);
    std::string_view rest = path;
    const std::string_view first = takeStep(rest);
    if (first == "device" && !rest.empty()) return number(cluster.device, DeviceFact(), "the device", rest, edit);
    for (ClusterLevel& level : cluster.levels) {
      if (level.name.view() != first || rest.empty()) continue;
      std::string_view below = rest;
      if (takeStep(below) == "link" && !below.empty())
        return number(level.fabric, FabricFact(), fmt::format("the fabric of `{}`", first), below, edit);
      return number(level, LevelFact(), fmt::format("level `{}`", first), rest, edit);
    }
    return number(cluster, ClusterFact(), "the cluster", path, edit);
  }

  /// A number of a record, as the row of its path takes it.
  template <class Id>
  bool number(FactsOf<Id>& record, Id, std::string owner, std::string_view path, const FactEdit& edit) {
    std::vector<std::string> known;
    for (const FactRow& row : factRows(recordOf(Id()))) {
      std::string_view star;
      known.emplace_back(row.path);
      if (!fitsPath(row.path, path, PathEnd::Whole, &star)) continue;
      FactKey key;
      if (!keyOf(row, star, key)) break;
      std::optional<Number> value = valueOf(row, edit);
      // Of a section with statistics of its own it stays a fact without any.
      if (const Number* before = record.number(static_cast<Id>(row.id.index), key); value && before)
        if (before->statistics.calibrated) value->statistics.record = before->statistics.record;
      if (value) record.set(static_cast<Id>(row.id.index), key, *value);
      return value.has_value();
    }
    return missing(std::move(owner), path, known);
  }

  /// As the reader of plan text makes it: a number that stands on no samples of its own.
  std::optional<Number> valueOf(const FactRow& row, const FactEdit& edit) {
    if (row.type.form == FactForm::Custom || row.type.form == FactForm::Text || row.type.form == FactForm::Curve) {
      diagnostics_.report(SettledInText, plan_.range, {{"fact", edit.path}})
          .help("set it where the plan is loaded, before it is bound");
      return std::nullopt;
    }
    const bool truth = row.type.form == FactForm::Bool;
    const std::optional<Quantity> read = quantity(edit);
    const bool word = edit.value == "true" || edit.value == "false";
    if (!read || word != truth || read->unit != row.type.unit ||
        (row.type.form == FactForm::Count && read->value != std::floor(read->value))) {
      const std::string expected = truth                              ? "true or false"
                                   : row.type.form == FactForm::Count ? "a count"
                                   : row.type.unit.plain()            ? "a number without a unit"
                                                                      : "a quantity of " + row.type.unit.name();
      wrong(edit.path, expected, edit.value);
      return std::nullopt;
    }
    if (!truth && !row.type.range.holds(read->value)) {
      wrong(edit.path, row.type.range.text, edit.value);
      return std::nullopt;
    }
    Number made{read->value, plan_.range, {}, row.type.unit};
    if (row.type.calibrated) {
      made.statistics.calibrated = true;
      made.statistics.record = row.path;
    }
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

const Number* numberAt(const Plan& plan, std::string_view path) {
  const std::string_view first = takeStep(path);
  if (first == "software" && plan.stack) return numberIn(*plan.stack, path);
  if (first != "cluster" || !plan.cluster) return nullptr;
  std::string_view rest = path;
  const std::string_view place = takeStep(rest);
  if (rest.empty()) return numberIn(*plan.cluster, path);
  if (place == "device") return numberIn(plan.cluster->device, rest);
  for (const ClusterLevel& level : plan.cluster->levels) {
    if (level.name.view() != place) continue;
    std::string_view below = rest;
    return takeStep(below) == "link" && !below.empty() ? numberIn(level.fabric, below) : numberIn(level, rest);
  }
  return numberIn(*plan.cluster, path);
}

const PlacementRule* replacedBy(const PlacementRule& rule, const Plan& plan) {
  for (const PlacementRule& known : plan.placements)
    if (known.dim == rule.dim && known.selector.str() == rule.selector.str()) return &known;
  return nullptr;
}

const StateRule* replacedBy(const StateRule& rule, const Plan& plan) {
  for (const StateRule& known : plan.states)
    if (known.state == rule.state && known.selector.str() == rule.selector.str()) return &known;
  return nullptr;
}

} // namespace planc::ir
