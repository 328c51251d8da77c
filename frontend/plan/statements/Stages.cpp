// Reads `stages = …` of a pipeline: how the layers are cut if there are no stage lines.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/statements/Stages.h"

#include "frontend/plan/Steps.h"
#include "frontend/plan/Words.h"
#include "support/text/Spelling.h"

#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(NotACountedLayer, 771, "`even` counts plain layers of the model; `{layer}` is {what}")
PLANC_ERROR(
    StagesForm, 772,
    "`stages` must be `even`, `even(LAYER = n, …)`, `balanced`, `balanced(cuts = n)` or a list of numbers of layers")
PLANC_ERROR(SmallCount, 774, "`{layer}` counts as {count} layers; it must be at least 1")

namespace {

constexpr std::string_view kEven = "even", kBalanced = "balanced";

bool isWord(const Expr& e, std::string_view word) {
  return e.kind == ExprKind::Name && e.name.text.view() == word;
}

/// Reads `even(embed = 1, head = 1)`.
bool countedLayers(Elaboration& elab, const Expr& call, Scope& scope, ir::Stages& out) {
  for (const syntax::Arg& arg : call.args) {
    if (!arg.name) {
      elab.context.report(StagesForm, arg.value->range).help("name the layer that counts: `even(embed = 1)`");
      return false;
    }
    for (const ir::CountedLayer& earlier : out.counted)
      if (earlier.layer == arg.name->text) {
        reportGivenTwice(elab.context, arg.name->range, arg.name->text.view(), earlier.range);
        return false;
      }
    const auto count = elab.ev.integer(*arg.value, scope, fmt::format("`{}`", arg.name->text.view()));
    if (!count) return false;
    if (*count < 1) {
      elab.context.report(SmallCount, arg.value->range, {{"layer", arg.name->text.str()}, {"count", *count}})
          .help("remove it: a plain layer does not count by default");
      return false;
    }
    out.counted.push_back({arg.name->text, *count, arg.name->range});
  }
  return true;
}

/// Reads `balanced(cuts = 4)`.
bool comparedCuts(Elaboration& elab, const Expr& call, Scope& scope, ir::Stages& out) {
  out.cut = ir::StageCut::Balanced;
  if (call.args.size() != 1 || !call.args[0].name || call.args[0].name->text.view() != "cuts") {
    elab.context.report(StagesForm, call.range)
        .help("`balanced` prices every layer: write `balanced`, `balanced(cuts = 4)` to compare no more than four "
              "cuts, or "
              "`even(…)` to count layers");
    return false;
  }
  out.cuts = elab.ev.integer(*call.args[0].value, scope, "`cuts`");
  if (!out.cuts || *out.cuts >= 1) return out.cuts.has_value();
  elab.context.report(StagesForm, call.args[0].value->range).help("at least one cut is priced: `balanced(cuts = 1)`");
  return false;
}

/// Reads `[7, 8, 8, 7]`: the number of repeated layers in each virtual stage.
bool stageCounts(Elaboration& elab, const Expr& e, Scope& scope, ir::Stages& out) {
  out.cut = ir::StageCut::Counts;
  if (e.kind == ExprKind::Name && !elab.ev.find(e.name.text, scope, e.range)) {
    auto report = elab.context.report(StagesForm, e.range);
    report.meant(e.name.text.view(), {std::string(kEven), std::string(kBalanced)});
    return false;
  }
  const Value list = elab.ev.evaluate(e, scope);
  if (list.invalid()) return false;
  if (list.kind != ValueKind::List) {
    elab.context.report(StagesForm, e.range).note(fmt::format("this is {}", describe(list)));
    return false;
  }
  for (const Value& item : list.list->items) {
    if (item.kind != ValueKind::Int || item.integer < 0) {
      if (!item.invalid())
        elab.context.report(StagesForm, item.range.valid() ? item.range : e.range)
            .note(fmt::format("it holds `{}`, {}",
                              item.range.valid() ? elab.context.text(item.range) : std::string_view(show(item)),
                              item.kind == ValueKind::Int ? "which is negative" : describe(item)))
            .help("numbers of layers are whole and at least 0");
      return false;
    }
    out.counts.push_back(item.integer);
  }
  return true;
}

} // namespace

void stageCut(Elaboration& elab, const Expr& written, Scope& scope, ir::Pipeline& out) {
  const Expr* chosen = chosenWord(elab, written, scope);
  if (!chosen) return;
  const Expr& e = *chosen;
  ir::Stages stages;
  stages.range = e.range;
  bool good = true;
  if (isWord(e, kBalanced))
    stages.cut = ir::StageCut::Balanced;
  else if (e.kind == ExprKind::Call && isWord(*e.kids[0], kBalanced))
    good = comparedCuts(elab, e, scope, stages);
  else if (e.kind == ExprKind::Call && isWord(*e.kids[0], kEven))
    good = countedLayers(elab, e, scope, stages);
  else if (!isWord(e, kEven))
    good = stageCounts(elab, e, scope, stages);
  elab.ok &= good;
  if (good) out.cut = std::move(stages);
}

/// Checks that `even` counts layers of the model.
void checkStageCut(Elaboration& elab) {
  if (!elab.plan.pipeline || !elab.plan.pipeline->cut) return;
  std::vector<std::string> plain;
  for (const ir::Layer& layer : elab.plan.model->layers)
    if (!layer.repeat) plain.push_back(layer.name.str());
  for (const ir::CountedLayer& counted : elab.plan.pipeline->cut->counted) {
    const ir::Layer* found = nullptr;
    for (const ir::Layer& layer : elab.plan.model->layers)
      if (layer.name == counted.layer) found = &layer;
    if (found && !found->repeat) continue;
    elab.ok = false;
    auto report =
        elab.context.report(NotACountedLayer, counted.range,
                            {{"layer", counted.layer.str()}, {"what", found ? "repeated" : "not one of them"}});
    if (found) {
      report.label(found->range, fmt::format("repeated {} times here", found->count))
          .help("remove it: each of its instances counts as one layer");
    } else
      report.meant(counted.layer.view(), plain, "plain layers are ");
  }
}

} // namespace planc::frontend
