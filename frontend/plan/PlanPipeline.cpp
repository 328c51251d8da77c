// Pipeline, what is kept gathered, and overlap; and the check of every selector against the model.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/facts/Schema.h"
#include "frontend/plan/PlanBuilder.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(UnknownPipelineFact, 751, "a pipeline has no `{fact}`")
PLANC_ERROR(ScheduleForm, 752,
            "a schedule is a name, with named arguments where it takes them: `interleaved_1f1b(chunks = 3)`")
PLANC_ERROR(SmallArgument, 753, "`{argument}` is {value}; it takes at least 1")
PLANC_ERROR(MissingSchedule, 754, "the pipeline has no `schedule`")
PLANC_ERROR(StageNumber, 755, "stage {index} {problem}")
PLANC_ERROR(UnknownSide, 756, "`{side}` is no side of a reshard to keep")
PLANC_ERROR(ScatterForm, 757, "`scatter` names an axis")
PLANC_ERROR(CutTwice, 773, "`stages = …` and `stage` lines both say how the layers are cut")

void PlanBuilder::pipeline() {
  if (!pipeline_) return;
  ir::Pipeline out;
  out.range = pipeline_->range;
  for (const syntax::DottedName& axis : pipeline_->syntax->axes) {
    const Symbol name = axis.parts.size() == 1 ? axis.parts[0].text : Symbol(axis.str());
    ok_ &= knownAxis(name, axis.range, pipeline_->layer, "pipeline");
    out.axes.push_back(name);
  }
  SourceRange scheduled, scattered, cut;
  for (const auto& item : pipeline_->syntax->items) {
    if (const auto* s = std::get_if<syntax::StageItem>(&item)) {
      stage(*s, *pipeline_->scope, out);
      continue;
    }
    const auto& f = std::get<syntax::Fact>(item);
    if (pipelineEdit(f.name.text)) continue;
    SourceRange& seen = f.name.text == Symbol("schedule") ? scheduled
                        : f.name.text == Symbol("stages") ? cut
                                                          : scattered;
    if (seen.valid())
      reportGivenTwice(context_, f.name.range, f.name.text.view(), seen);
    else
      pipelineFact(f, *pipeline_->scope, out);
    seen = f.name.range;
  }
  for (const EditBelow& e : pipelineEdits_) {
    if (e.name().text == Symbol("schedule")) scheduled = e.name().range;
    pipelineFact(e.edit->fact(), *e.edit->scope, out);
  }
  if (!scheduled.valid()) {
    std::string schedule = "schedule = one_f_one_b";
    if (replacedPipeline_)
      for (const auto& item : replacedPipeline_->syntax->items)
        if (const auto* f = std::get_if<syntax::Fact>(&item); f && f->name.text == Symbol("schedule"))
          schedule = context_.text(f->range);
    auto report = context_.report(MissingSchedule, pipeline_->range);
    if (replacedPipeline_)
      report.label(replacedPipeline_->range, "replaced as a whole")
          .help(fmt::format("nothing of the inherited pipeline is left: say its schedule again, `{}`", schedule));
    else
      report.help(fmt::format("for example `{}`", schedule));
    ok_ = false;
  }
  if (cut.valid() && !out.stages.empty()) {
    context_.report(CutTwice, cut).label(out.stages.front().range, "the first line").help("leave one of them out");
    ok_ = false;
  }
  plan_->pipeline = std::move(out);
}

void PlanBuilder::pipelineFact(const syntax::Fact& f, Scope& scope, ir::Pipeline& out) {
  if (f.name.text == Symbol("schedule") && f.members.empty() && !f.args) {
    schedule(*f.value, scope, out);
  } else if (f.name.text == Symbol("stages") && f.members.empty() && !f.args) {
    stageCut(*f.value, scope, out);
  } else if (f.name.text == Symbol("scatter") && f.members.empty() && !f.args) {
    out.scatterRange = f.value->range;
    if (f.value->kind == ExprKind::Name) {
      ok_ &= knownAxis(f.value->name.text, f.value->range);
      out.scatter = f.value->name.text;
    } else {
      context_.report(ScatterForm, f.value->range);
      ok_ = false;
    }
  } else {
    auto report = context_.report(UnknownPipelineFact, f.name.range, {{"fact", f.name.text.str()}});
    if (auto meant = didYouMean(f.name.text.view(), {"schedule", "scatter", "stages", "stage"}); !meant.empty())
      report.help(meant);
    else
      report.note("a pipeline has `schedule`, `scatter`, `stages` and `stage` lines");
    ok_ = false;
  }
}

/// A word is no value in scope, but a parameter may choose one: `if pp == 1 then one_f_one_b else zero_bubble`. Null
/// after a report.
const Expr* PlanBuilder::chosenWord(const Expr& e, Scope& scope) {
  if (e.kind != ExprKind::If) return &e;
  static const TypeInfo kBool{.kind = TypeInfo::Kind::Bool, .name = "bool"};
  const Value condition = ev_.coerce(ev_.evaluate(*e.kids[0], scope), kBool, "the condition of `if`");
  if (!condition.invalid()) return chosenWord(*e.kids[condition.truth ? 1 : 2], scope);
  ok_ = false;
  return nullptr;
}

/// The names of schedules and of their arguments are rows of a table of the passes, which look them up.
void PlanBuilder::schedule(const Expr& written, Scope& scope, ir::Pipeline& out) {
  const Expr* chosen = chosenWord(written, scope);
  if (!chosen) return;
  const Expr& e = *chosen;
  const Expr* name = e.kind == ExprKind::Call ? e.kids[0] : &e;
  bool good = name->kind == ExprKind::Name;
  if (good) out.schedule = name->name.text;
  out.scheduleRange = e.range;
  if (good && e.kind == ExprKind::Call)
    for (const syntax::Arg& arg : e.args) {
      good = arg.name.has_value();
      if (!good) break;
      scheduleArgument(arg, scope, out);
    }
  if (!good)
    context_.report(ScheduleForm, e.range)
        .help(
            "write `schedule = one_f_one_b`, or `if CONDITION then one_f_one_b else gpipe` where a parameter chooses");
  ok_ &= good;
}

void PlanBuilder::scheduleArgument(const syntax::Arg& arg, Scope& scope, ir::Pipeline& out) {
  const Symbol name = arg.name->text;
  for (const ir::ScheduleArgument& earlier : out.arguments)
    if (earlier.name == name) {
      reportGivenTwice(context_, arg.name->range, name.view(), earlier.range);
      ok_ = false;
      return;
    }
  const auto value = ev_.integer(*arg.value, scope, fmt::format("`{}`", name.view()));
  if (value && *value < 1) {
    context_.report(SmallArgument, arg.value->range, {{"argument", name.str()}, {"value", *value}});
    ok_ = false;
  }
  out.arguments.push_back({name, std::max<int64_t>(value.value_or(1), 1), arg.name->range});
}

void PlanBuilder::stage(const syntax::StageItem& s, Scope& scope, ir::Pipeline& out) {
  const auto index = ev_.integer(*s.index, scope, "the number of a stage");
  ir::StageLine line;
  line.index = index.value_or(0);
  line.range = s.range;
  for (const syntax::Selector& sel : s.selectors)
    if (auto made = makeSelector(ev_, sel, scope)) line.selectors.push_back(std::move(*made));
  if (!index) return;
  for (const ir::StageLine& earlier : out.stages)
    if (earlier.index == line.index) {
      context_.report(StageNumber, s.range, {{"index", line.index}, {"problem", "is given twice"}})
          .label(earlier.range, "first given here");
      ok_ = false;
    }
  if (line.index < 0) {
    context_.report(StageNumber, s.index->range,
                    {{"index", line.index}, {"problem", "does not exist: stages are numbered from 0"}});
    ok_ = false;
  }
  out.stages.push_back(std::move(line));
}

namespace {

std::string keepText(const ir::Keep& keep) {
  return keep.selector.str() + (keep.host ? " = host" : keep.gathered ? " = gathered" : " = split");
}

} // namespace

std::vector<std::string> PlanBuilder::keepTexts() const {
  std::vector<std::string> texts;
  for (const auto& [keep, layer] : keeps_) texts.push_back(keepText(keep));
  std::sort(texts.begin(), texts.end());
  return texts;
}

// All `keep` statements of a plan are overridden together; so are those of `recompute`.
void PlanBuilder::keep(const syntax::KeepStmt& s, const syntax::PlanItem& item, Scope& scope, int layer) {
  if (item.override_) {
    if (keeps_.empty())
      reportNothingToOverride(context_, item.range, "keep", fmt::format("plan `{}`", layers_.back()->name.view()))
          .help("leave `override` out to add it");
    else if (keeps_.front().second < layer)
      keepOverride_ = OverrideDraft{
          keepTexts(), item.range, keeps_.front().first.selector.range, layer,
          std::any_of(keeps_.begin(), keeps_.end(), [](const auto& k) { return choosesInstances(k.first.selector); })};
    std::erase_if(keeps_, [&](const auto& k) { return k.second < layer; });
  }
  bool gathered = true, host = false;
  if (s.side) {
    host = s.side->text == Symbol(ir::kHost);
    gathered = !host && s.side->text != Symbol("split");
    if (gathered && s.side->text != Symbol("gathered")) {
      auto report = context_.report(UnknownSide, s.side->range, {{"side", s.side->text.str()}});
      const auto meant = didYouMean(s.side->text.view(), {"gathered", "split", std::string(ir::kHost)});
      report.help(meant.empty() ? "sides are `gathered`, `split` and `host`" : meant);
      ok_ = false;
    }
  }
  for (const syntax::Selector& sel : s.selectors)
    if (auto made = makeSelector(ev_, sel, scope)) keeps_.push_back({{std::move(*made), gathered, host}, layer});
}

void PlanBuilder::overlap() {
  if (!overlap_ && overlapEdits_.empty()) return;
  FactTree& tree = overlapFacts_.emplace(ev_, FactOwner{"`overlap`", overlap_ ? overlap_->range : decl_->nameRange});
  if (overlap_) tree.add(*overlap_->syntax, *overlap_->scope, 0);
  frontend::applyEdits(context_, tree, tree.root(), overlapEdits_, machines_);
  static const std::vector<FactRow<ir::Overlap>> kRows{
      {"prefetch",
       {},
       ranges::kCount,
       FactForm::Count,
       StarKey::None,
       [](ir::Overlap& o, FactInput& in) { o.prefetch = in.number; }},
      {"slowdown",
       {},
       ranges::kShare,
       FactForm::Number,
       StarKey::None,
       [](ir::Overlap& o, FactInput& in) { o.slowdown = in.number; }},
      {"bucket", units::bytes, ranges::kSize, FactForm::Number, StarKey::None,
       [](ir::Overlap& o, FactInput& in) { o.bucket = in.number; }},
      {"*",
       {},
       ranges::kShare,
       FactForm::Number,
       StarKey::Class,
       [](ir::Overlap& o, FactInput& in) { o.blockingShare[in.cls] = in.number; }},
  };
  FactReader(ev_, tree).read<ir::Overlap>(kRows, plan_->overlap);
}

void PlanBuilder::checkSelectors() {
  auto check = [&](const ir::Selector& s) { ok_ &= paths_->check(s, context_); };
  for (const ir::PlacementRule& r : plan_->placements) check(r.selector);
  for (const ir::StateRule& r : plan_->states) check(r.selector);
  for (const ir::Recompute& r : plan_->recompute)
    for (const ir::Selector& s : r.selectors) check(s);
  for (const ir::Keep& k : plan_->keeps) check(k.selector);
  for (const ir::PrecisionRule& r : plan_->precisionRules) check(r.selector);
  for (const ir::Selector& s : plan_->workload.freeze) check(s);
  if (plan_->pipeline)
    for (const ir::StageLine& line : plan_->pipeline->stages)
      for (const ir::Selector& s : line.selectors) check(s);
  checkStageCut();
}

} // namespace planc::frontend
