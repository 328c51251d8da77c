// Writes an edit as plan text, statement by statement: existing statements are overridden, new ones added.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/format/PlanText.h"

#include "frontend/format/RecordText.h"
#include "frontend/format/RuleText.h"
#include "support/Quantity.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::format {

PLANC_ERROR(NotWritable, 936, "{what} cannot be written down as a plan: {why}")

void reportNotWritable(DiagnosticEngine& diagnostics, SourceRange where, std::string what, std::string why,
                       std::string help) {
  diagnostics.report(NotWritable, where, {{"what", std::move(what)}, {"why", std::move(why)}}).help(std::move(help));
}

namespace {

using ir::Plan;
using ir::PlanEdit;

std::string listOf(const std::vector<std::string>& names) {
  if (names.size() == 1) return names[0];
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return "[" + text + "]";
}

std::string selectorsOf(const std::vector<ir::Selector>& selectors) {
  std::string text;
  for (const ir::Selector& s : selectors) text += (text.empty() ? "" : ", ") + s.str();
  return text;
}

class Writing {
public:
  Writing(const PlanEdit& edit, const Plan& plan, std::string_view name, std::string_view base,
          const SourceManager* sources, DiagnosticEngine& diagnostics)
      : edit_(edit), plan_(plan), name_(name), base_(base), sources_(sources), diagnostics_(diagnostics) {}

  std::optional<std::string> run() {
    for (const ir::FactEdit& fact : edit_.facts) addFact(fact);
    for (const ir::AxisEdit& axis : edit_.axes) addAxis(axis.axis, axis.size);
    if (edit_.globalBatch) train(plan_.workload.globalBatch, "global_batch", *edit_.globalBatch);
    if (edit_.microBatch) train(plan_.workload.microBatch, "micro_batch", *edit_.microBatch);
    if (!mesh_.empty()) line(fmt::format("override mesh {{ {} }}", mesh_));
    if (!train_.empty()) line(fmt::format("override {} {{ {} }}", plan_.workload.section.view(), train_));
    for (const ir::PlacementRule& rule : edit_.placements) place(rule);
    for (const ir::StateRule& rule : edit_.states) state(rule);
    if ((edit_.schedule && !runsAlready(*edit_.schedule)) || (edit_.cut && !cutsAlready(*edit_.cut))) pipeline();
    if (edit_.recompute) recompute();
    for (const ir::Keep& keep : edit_.keeps)
      line(fmt::format("keep {} = {}", keep.selector.str(),
                       keep.host       ? ir::kHost
                       : keep.gathered ? "gathered"
                                       : "split"));
    const std::optional<std::string> before = records(); // adds lines to the plan
    if (!before) return std::nullopt;
    return *before + fmt::format("plan {} extends {} {{\n{}}}\n", name_, base_, lines_);
  }

private:
  void line(const std::string& text) { lines_ += "  " + text + "\n"; }
  static void item(std::string& list, const std::string& text) { list += (list.empty() ? "" : "; ") + text; }

  // ---- facts ------------------------------------------------------------------

  /// Facts of the mesh and the workload belong to the plan, all others to records that it derives.
  void addFact(const ir::FactEdit& fact) {
    const size_t dot = fact.path.find('.');
    const std::string_view first = std::string_view(fact.path).substr(0, dot);
    const std::string_view path = dot == std::string::npos ? "" : std::string_view(fact.path).substr(dot + 1);
    if (first == "mesh") return addAxis(Symbol(path), countOf(fact));
    if (first == "train" || first == "finetune" || first == "infer")
      return train(path == "global_batch" ? plan_.workload.globalBatch : plan_.workload.microBatch, path,
                   countOf(fact));
    const ir::Number* before = ir::numberAt(plan_, fact.path);
    std::string badUnit;
    const auto value = parseQuantity(fact.value, badUnit);
    if (before && value && value->value == before->value) return;
    records_.add(fact.path, before != nullptr, fact.value);
  }

  /// The value of a fact that is a count. `apply` has validated it.
  static int64_t countOf(const ir::FactEdit& fact) {
    std::string badUnit;
    const auto value = parseQuantity(fact.value, badUnit);
    return value ? static_cast<int64_t>(value->value) : 0;
  }

  /// The records that the plan derives, innermost first; each is named by the record that contains it. Returns nullopt
  /// after a report.
  std::optional<std::string> records() {
    const auto naming = [&](SourceRange declared, Symbol name, const std::string& alias) {
      return sources_ ? recordName(*sources_, declared, name, plan_.range.file, alias) : std::nullopt;
    };
    const auto made = records_.declare(name_, plan_.cluster.get(), {plan_.clusterText, plan_.softwareText}, naming);
    if (const RecordText::Unnamed* bad = std::get_if<RecordText::Unnamed>(&made)) {
      diagnostics_
          .report(NotWritable, plan_.range,
                  {{"what", fmt::format("a fact of {} `{}`", bad->kind, bad->name.view())},
                   {"why", sources_ ? fmt::format("`{}` does not export it", sources_->path(bad->declared.file))
                                    : std::string("where that stands is not known")}})
          .help(fmt::format("write `export {} {} …` there, or change the fact where it stands", bad->kind,
                            bad->name.view()));
      return std::nullopt;
    }
    const auto& done = std::get<RecordText::Declared>(made);
    for (const auto& [fact, record] : {std::pair{"software", &done.software}, {"cluster", &done.cluster}})
      if (!record->empty()) lines_ = fmt::format("  override {} = {}\n{}", fact, *record, lines_);
    return done.text;
  }

  // ---- sizes ------------------------------------------------------------------

  /// `tp = 4 within node`: an axis keeps its mapping to the cluster.
  void addAxis(Symbol name, int64_t size) {
    const auto id = plan_.mesh.findAxis(name);
    if (!id || plan_.mesh.axes[*id].size == size) return;
    std::string text = fmt::format("{} = {}", name.view(), size);
    for (const ir::AxisPlace& place : plan_.axisPlaces)
      if (place.axis == *id)
        text += fmt::format(" {} {}", place.where == ir::AxisPlace::Where::Within ? "within" : "across",
                            place.level.view());
    item(mesh_, text);
  }

  void train(int64_t before, std::string_view fact, int64_t value) {
    if (before != value)
      item(train_, fmt::format("{} = {}", plan_.workload.updatesParameters() ? fact : "batch", value));
  }

  // ---- statements -------------------------------------------------------------

  void place(const ir::PlacementRule& rule) {
    const ir::PlacementRule* before = ir::replacedBy(rule, plan_);
    if (before && before->targets == rule.targets && before->ring == rule.ring && before->uneven == rule.uneven &&
        before->contiguous == rule.contiguous && before->optional == rule.optional)
      return;
    line(ruleText(rule, before != nullptr));
  }

  void state(const ir::StateRule& rule) {
    const ir::StateRule* before = ir::replacedBy(rule, plan_);
    if (before && before->targets == rule.targets && before->regather == rule.regather && before->host == rule.host &&
        before->optional == rule.optional)
      return;
    line(ruleText(rule, before != nullptr));
  }

  bool runsAlready(const ir::ScheduleEdit& edit) const {
    const auto same = [](const ir::ScheduleArgument& a, const ir::ScheduleArgument& b) {
      return a.name == b.name && a.value == b.value;
    };
    return plan_.pipeline->schedule == edit.schedule &&
           std::ranges::is_permutation(plan_.pipeline->arguments, edit.arguments, same);
  }

  bool cutsAlready(const ir::Stages& cut) const {
    return plan_.pipeline->cut && cutOf(*plan_.pipeline->cut) == cutOf(cut);
  }

  /// A pipeline is replaced as a whole, so every fact of it is written.
  void pipeline() {
    const ir::Pipeline& p = *plan_.pipeline;
    const ir::ScheduleEdit runs = edit_.schedule ? *edit_.schedule : ir::ScheduleEdit{p.schedule, p.arguments};
    const std::optional<ir::Stages>& cut = edit_.cut ? edit_.cut : p.cut;
    std::string arguments;
    for (const ir::ScheduleArgument& a : runs.arguments)
      arguments += fmt::format("{}{} = {}", arguments.empty() ? "" : ", ", a.name.view(), a.value);
    std::string facts = fmt::format("schedule = {}", runs.schedule.view());
    if (!arguments.empty()) facts += "(" + arguments + ")";
    if (p.scatter) item(facts, fmt::format("scatter = {}", p.scatter->view()));
    if (cut) item(facts, "stages = " + cutOf(*cut));
    if (!edit_.cut && (!p.cut || p.cut->cut != ir::StageCut::Balanced)) // a balanced cut has no stage lines of its own
      for (const ir::StageLine& s : p.stages)
        item(facts, fmt::format("stage {} = {}", s.index, selectorsOf(s.selectors)));
    std::string axes;
    for (Symbol axis : p.axes) axes += (axes.empty() ? "" : ", ") + axis.str();
    line(fmt::format("override pipeline {} {{ {} }}", axes, facts));
  }

  static std::string cutOf(const ir::Stages& cut) {
    std::vector<std::string> parts;
    switch (cut.cut) {
    case ir::StageCut::Balanced:
      return cut.cuts ? fmt::format("balanced(cuts = {})", *cut.cuts) : "balanced";
    case ir::StageCut::Even:
      break;
    case ir::StageCut::Counts:
      for (int64_t count : cut.counts) parts.push_back(std::to_string(count));
      return parts.size() == 1 ? "[" + parts[0] + "]" : listOf(parts);
    }
    std::string counted;
    for (const ir::CountedLayer& layer : cut.counted)
      counted += fmt::format("{}{} = {}", counted.empty() ? "" : ", ", layer.layer.view(), layer.count);
    return counted.empty() ? "even" : "even(" + counted + ")";
  }

  /// All recompute statements are replaced together; only the first one has `override`.
  void recompute() {
    std::vector<std::string> now, before;
    for (const ir::Recompute& r : *edit_.recompute) now.push_back(r.str());
    for (const ir::Recompute& r : plan_.recompute) before.push_back(r.str());
    if (now == before) return;
    std::string_view verb = before.empty() ? "recompute " : "override recompute ";
    if (now.empty()) now.emplace_back("none");
    for (const std::string& statement : now) {
      line(fmt::format("{}{}", verb, statement));
      verb = "recompute ";
    }
  }

  const PlanEdit& edit_;
  const Plan& plan_;
  std::string_view name_, base_;
  const SourceManager* sources_;
  DiagnosticEngine& diagnostics_;
  std::string lines_, mesh_, train_;
  RecordText records_;
};

} // namespace

std::optional<std::string> planText(const PlanEdit& edit, const Plan& plan, std::string_view name,
                                    std::string_view base, const SourceManager* sources,
                                    DiagnosticEngine& diagnostics) {
  if (Plan changed = plan; !ir::apply(edit, changed, diagnostics)) return std::nullopt;
  if (base.empty()) {
    diagnostics
        .report(NotWritable, plan.range,
                {{"what", fmt::format("a change of `{}`", plan.title)},
                 {"why", "it is a line of a comparison, which no plan can extend"}})
        .help("declare it as a plan, and name that in the comparison");
    return std::nullopt;
  }
  return Writing(edit, plan, name, base, sources, diagnostics).run();
}

} // namespace planc::format
