// Writes an edit as plan text, statement by statement: existing statements are overridden, new ones added.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/format/PlanText.h"

#include "frontend/format/RecordText.h"
#include "frontend/format/RuleText.h"
#include "ir/plan/RecordPath.h"
#include "ir/plan/Settings.h"
#include "ir/plan/Space.h"
#include "support/Quantity.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::format {

PLANC_ERROR(NotWritable, 936, "{what} cannot be written as a plan: {why}")

void reportNotWritable(DiagnosticEngine& diagnostics, SourceRange where, std::string what, std::string why,
                       std::string help) {
  diagnostics.report(NotWritable, where, {{"what", std::move(what)}, {"why", std::move(why)}}).help(std::move(help));
}

namespace {

using ir::Plan;
using ir::PlanEdit;

/// Writes what a plan became by an edit, as against what it was.
class Writing {
public:
  Writing(const PlanEdit& edit, const Plan& plan, const Plan& changed, std::string_view name, std::string_view base,
          const SourceManager* sources, DiagnosticEngine& diagnostics)
      : edit_(edit), plan_(plan), changed_(changed), name_(name), base_(base), sources_(sources),
        diagnostics_(diagnostics) {}

  std::optional<std::string> run() {
    for (const ir::FactEdit& fact : edit_.facts) addFact(fact);
    mesh();
    batches();
    for (const ir::PlacementRule& r : changed_.placements) rule(r, plan_.placements);
    for (const ir::StateRule& r : changed_.states) rule(r, plan_.states);
    pipeline();
    recompute();
    for (size_t i = plan_.keeps.size(); i < changed_.keeps.size(); ++i)
      line(fmt::format("keep {} = {}", changed_.keeps[i].selector.str(),
                       changed_.keeps[i].host       ? ir::kHost
                       : changed_.keeps[i].gathered ? "gathered"
                                                    : "split"));
    const std::optional<std::string> before = records(); // adds lines of its own
    if (!before) return std::nullopt;
    return *before + fmt::format("plan {} extends {} {{\n{}}}\n", name_, base_, lines_);
  }

private:
  void line(const std::string& text) { lines_ += "  " + text + "\n"; }
  static void item(std::string& list, const std::string& text) { list += (list.empty() ? "" : "; ") + text; }

  // ---- numbers ----------------------------------------------------------------

  /// Facts of the mesh and the workload belong to the plan, all others to records that it derives.
  void addFact(const ir::FactEdit& fact) {
    const ir::SettingRow& row = *ir::settingAt(fact.path); // `apply` has read it
    const bool record = row.kind == ir::SettingKind::Record;
    if (!record && row.kind != ir::SettingKind::Number) return;
    const ir::OptNumber before = record ? ir::numberAt(plan_, fact.path) : ir::numberOf(row, plan_);
    std::string badUnit;
    const auto value = parseQuantity(fact.value, badUnit);
    if (before && value && value->value == before->value) return;
    if (record)
      records_.add(fact.path, before.has_value(), fact.value);
    else
      line(fmt::format("{}{} = {}", before ? "override " : "", fact.path, fact.value));
  }

  /// `tp = 4 within node`: an axis keeps its place.
  void mesh() {
    std::string items;
    for (const ir::AxisId id : plan_.mesh.order) {
      const ir::Axis& axis = changed_.mesh.axes[id];
      if (axis.size == plan_.mesh.axes[id].size) continue;
      std::string text = fmt::format("{} = {}", axis.name.view(), axis.size);
      for (const ir::AxisPlace& place : plan_.axisPlaces)
        if (place.axis == id)
          text += fmt::format(" {} {}", place.where == ir::AxisPlace::Where::Within ? "within" : "across",
                              place.level.view());
      item(items, text);
    }
    if (!items.empty()) line(fmt::format("override mesh {{ {} }}", items));
  }

  void batches() {
    const ir::Workload &was = plan_.workload, &now = changed_.workload;
    std::string items;
    if (now.updatesParameters() && now.globalBatch != was.globalBatch) item(items, fmt::format("global_batch = {}", now.globalBatch));
    if (now.microBatch != was.microBatch)
      item(items, fmt::format("{} = {}", now.updatesParameters() ? "micro_batch" : "batch", now.microBatch));
    if (!items.empty()) line(fmt::format("override {} {{ {} }}", now.section.view(), items));
  }

  // ---- records ----------------------------------------------------------------

  /// The records that the plan derives, from the inside out; each is named by what holds it. Nothing after a report.
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
                                    : std::string("the file of its declaration is unknown")}})
          .help(fmt::format("write `export {} {} …` there, or change the fact in its declaration", bad->kind,
                            bad->name.view()));
      return std::nullopt;
    }
    const auto& done = std::get<RecordText::Declared>(made);
    for (const auto& [fact, record] :
         {std::pair{ir::Statement::Software, &done.software}, {ir::Statement::Cluster, &done.cluster}})
      if (!record->empty()) lines_ = fmt::format("  override {} = {}\n{}", ir::name(fact), *record, lines_);
    return done.text;
  }

  // ---- statements -------------------------------------------------------------

  template <class Rule> void rule(const Rule& rule, const std::vector<Rule>& rules) {
    if (const auto text = ruleChange(rule, ir::replacedBy(rule, rules))) line(*text);
  }

  /// A pipeline is replaced as a whole, so every fact of it is written.
  void pipeline() {
    if (!plan_.pipeline) return;
    const ir::Pipeline &was = *plan_.pipeline, &now = *changed_.pipeline;
    const auto cutOf = [](const ir::Pipeline& p) { return p.cut ? ir::cutText(*p.cut) : std::string(); };
    if (ir::scheduleText(was.schedule, was.arguments) == ir::scheduleText(now.schedule, now.arguments) &&
        cutOf(was) == cutOf(now))
      return;
    std::string facts = "schedule = " + ir::scheduleAsWritten(now.schedule, now.arguments);
    if (now.scatter) item(facts, fmt::format("scatter = {}", now.scatter->view()));
    if (now.cut) item(facts, "stages = " + cutOf(now));
    for (const ir::StageLine& s : now.stages) {
      std::string layers;
      for (const ir::Selector& one : s.selectors) layers += (layers.empty() ? "" : ", ") + one.str();
      item(facts, fmt::format("stage {} = {}", s.index, layers));
    }
    std::string axes;
    for (const Symbol axis : now.axes) axes += (axes.empty() ? "" : ", ") + axis.str();
    line(fmt::format("override pipeline {} {{ {} }}", axes, facts));
  }

  /// All statements are replaced together.
  void recompute() {
    std::vector<std::string> now, before;
    for (const ir::Recompute& r : changed_.recompute) now.push_back(r.str());
    for (const ir::Recompute& r : plan_.recompute) before.push_back(r.str());
    if (now == before) return;
    for (const std::string& text : recomputeLines(std::move(now), !before.empty())) line(text);
  }

  const PlanEdit& edit_;
  const Plan &plan_, &changed_;
  std::string_view name_, base_;
  const SourceManager* sources_;
  DiagnosticEngine& diagnostics_;
  std::string lines_;
  RecordText records_;
};

} // namespace

std::optional<std::string> planText(const PlanEdit& edit, const Plan& plan, std::string_view name,
                                    std::string_view base, const SourceManager* sources,
                                    DiagnosticEngine& diagnostics) {
  Plan changed = plan;
  if (!ir::apply(edit, changed, diagnostics)) return std::nullopt;
  if (base.empty()) {
    diagnostics
        .report(NotWritable, plan.range,
                {{"what", fmt::format("a change of `{}`", plan.title)},
                 {"why", "it is a line of a comparison, which no plan can extend"}})
        .help("declare it as a plan, and name that in the comparison");
    return std::nullopt;
  }
  return Writing(edit, plan, changed, name, base, sources, diagnostics).run();
}

} // namespace planc::format
