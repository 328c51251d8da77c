// Reads the pipeline of a plan: its axes, schedule, and stage lines.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/Steps.h"
#include "frontend/plan/Words.h"
#include "frontend/plan/statements/Mesh.h"
#include "frontend/plan/statements/Stages.h"
#include "ir/vocabulary/Schedules.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(UnknownPipelineFact, 751, "a pipeline has no `{fact}`")
PLANC_ERROR(ScheduleForm, 752, "a schedule must be a name, or a name with arguments: `interleaved_1f1b(chunks = 3)`")
PLANC_ERROR(ArgumentRange, 753, "`{argument}` is {value}; expected {expected}")
PLANC_ERROR(MissingSchedule, 754, "the pipeline has no `schedule`")
PLANC_ERROR(StageNumber, 755, "stage {index} {problem}")
PLANC_ERROR(ScatterForm, 757, "`scatter` must name an axis")
PLANC_ERROR(CutTwice, 773, "the layers are cut twice: by `stages = …` and by `stage` lines")

namespace {

/// Returns whether a fact of the pipeline is set from outside of the file.
bool isEdited(const PlanEdits& edits, Symbol fact) {
  return std::any_of(edits.pipeline.begin(), edits.pipeline.end(),
                     [&](const EditBelow& e) { return e.name().text == fact; });
}

void scheduleArgument(Elaboration& elab, const syntax::Arg& arg, Scope& scope, ir::Pipeline& out) {
  const Symbol name = arg.name->text;
  for (const ir::ScheduleArgument& earlier : out.arguments)
    if (earlier.name == name) {
      reportGivenTwice(elab.context, arg.name->range, name.view(), earlier.range);
      elab.ok = false;
      return;
    }
  const auto value = elab.ev.integer(*arg.value, scope, fmt::format("`{}`", name.view()));
  // Unknown parameters are reported later, when the schedule is looked up. Until then any positive number is valid.
  const ir::Word* word = ir::scheduleWords().find(out.schedule.view());
  const ir::Parameter* parameter = word ? word->find(name.view()) : nullptr;
  const bool taken = value && (parameter ? parameter->takes(static_cast<double>(*value)) : *value >= 1);
  if (value && !taken) {
    const std::string expected = parameter ? parameter->expected(static_cast<double>(*value)) : "1 or more";
    elab.context.report(ArgumentRange, arg.value->range,
                        {{"argument", name.str()}, {"value", *value}, {"expected", expected}});
    elab.ok = false;
  }
  out.arguments.push_back({name, taken ? *value : 1, arg.name->range});
}

/// Reads a schedule. The pass that runs it checks its name and its arguments.
void schedule(Elaboration& elab, const Expr& written, Scope& scope, ir::Pipeline& out) {
  const Expr* chosen = chosenWord(elab, written, scope);
  if (!chosen) return;
  const Expr& e = *chosen;
  const Expr* name = e.kind == ExprKind::Call ? e.kids[0] : &e;
  bool good = name->kind == ExprKind::Name;
  if (good) out.schedule = name->name.text;
  out.arguments.clear(); // the replaced schedule's arguments
  out.scheduleRange = e.range;
  if (good && e.kind == ExprKind::Call)
    for (const syntax::Arg& arg : e.args) {
      good = arg.name.has_value();
      if (!good) break;
      scheduleArgument(elab, arg, scope, out);
    }
  if (!good)
    elab.context.report(ScheduleForm, e.range)
        .help("write `schedule = one_f_one_b`, or `if CONDITION then one_f_one_b else gpipe` to choose by a parameter");
  elab.ok &= good;
}

void pipelineFact(Elaboration& elab, MergedPlan& merged, const syntax::Fact& f, Scope& scope, ir::Pipeline& out) {
  if (f.name.text == Symbol("schedule") && f.members.empty() && !f.args) {
    schedule(elab, *f.value, scope, out);
  } else if (f.name.text == Symbol("stages") && f.members.empty() && !f.args) {
    stageCut(elab, *f.value, scope, out);
  } else if (f.name.text == Symbol("scatter") && f.members.empty() && !f.args) {
    out.scatterRange = f.value->range;
    if (f.value->kind == ExprKind::Name) {
      elab.ok &= knownAxis(elab.context, merged.mesh, f.value->name.text, f.value->range);
      out.scatter = f.value->name.text;
    } else {
      elab.context.report(ScatterForm, f.value->range);
      elab.ok = false;
    }
  } else {
    auto report = elab.context.report(UnknownPipelineFact, f.name.range, {{"fact", f.name.text.str()}});
    const std::vector<std::string> facts{"schedule", "scatter", "stages", "stage"};
    report.meant(f.name.text.view(), facts);
    if (nearest(f.name.text.view(), facts).empty())
      report.note("a pipeline has `schedule`, `scatter`, `stages` and `stage` lines");
    elab.ok = false;
  }
}

void stage(Elaboration& elab, const syntax::StageItem& s, Scope& scope, ir::Pipeline& out) {
  const auto index = elab.ev.integer(*s.index, scope, "the number of a stage");
  ir::StageLine line;
  line.index = index.value_or(0);
  line.range = s.range;
  for (const syntax::Selector& sel : s.selectors)
    if (auto made = makeSelector(elab.ev, sel, scope)) line.selectors.push_back(std::move(*made));
  if (!index) return;
  for (const ir::StageLine& earlier : out.stages)
    if (earlier.index == line.index) {
      elab.context.report(StageNumber, s.range, {{"index", line.index}, {"problem", "is given twice"}})
          .label(earlier.range, "first given here");
      elab.ok = false;
    }
  if (line.index < 0) {
    elab.context.report(StageNumber, s.index->range,
                        {{"index", line.index}, {"problem", "does not exist: stages are numbered from 0"}});
    elab.ok = false;
  }
  out.stages.push_back(std::move(line));
}

} // namespace

void pipeline(Elaboration& elab, MergedPlan& merged) {
  if (!merged.pipeline) return;
  ir::Pipeline out;
  out.range = merged.pipeline->range;
  for (const syntax::DottedName& axis : merged.pipeline->syntax->axes) {
    const Symbol name = axis.parts.size() == 1 ? axis.parts[0].text : Symbol(axis.str());
    elab.ok &= knownAxis(elab.context, merged.mesh, name, axis.range, merged.pipeline->layer,
                         ir::name(ir::Statement::Pipeline));
    out.axes.push_back(name);
  }
  SourceRange scheduled, scattered, cut;
  for (const auto& item : merged.pipeline->syntax->items) {
    if (const auto* s = std::get_if<syntax::StageItem>(&item)) {
      stage(elab, *s, *merged.pipeline->scope, out);
      continue;
    }
    const auto& f = std::get<syntax::Fact>(item);
    if (isEdited(merged.edits, f.name.text)) continue;
    SourceRange& seen = f.name.text == Symbol("schedule") ? scheduled
                        : f.name.text == Symbol("stages") ? cut
                                                          : scattered;
    if (seen.valid())
      reportGivenTwice(elab.context, f.name.range, f.name.text.view(), seen);
    else
      pipelineFact(elab, merged, f, *merged.pipeline->scope, out);
    seen = f.name.range;
  }
  for (const EditBelow& e : merged.edits.pipeline) {
    if (e.name().text == Symbol("schedule")) scheduled = e.name().range;
    pipelineFact(elab, merged, e.edit->fact(), *e.edit->scope, out);
  }
  if (!scheduled.valid()) {
    std::string schedule = "schedule = one_f_one_b";
    if (merged.replacedPipeline)
      for (const auto& item : merged.replacedPipeline->syntax->items)
        if (const auto* f = std::get_if<syntax::Fact>(&item); f && f->name.text == Symbol("schedule"))
          schedule = elab.context.text(f->range);
    auto report = elab.context.report(MissingSchedule, merged.pipeline->range);
    if (merged.replacedPipeline)
      report.label(merged.replacedPipeline->range, "replaced as a whole")
          .help(fmt::format("this replaces the inherited pipeline: state its schedule again, `{}`", schedule));
    else
      report.help(fmt::format("for example `{}`", schedule));
    elab.ok = false;
  }
  if (cut.valid() && !out.stages.empty()) {
    elab.context.report(CutTwice, cut).label(out.stages.front().range, "the first line").help("remove one of them");
    elab.ok = false;
  }
  elab.plan.pipeline = std::move(out);
}

} // namespace planc::frontend
