// Checks the names and types of a `search` block; running a search is not the frontend's.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/Conditions.h"
#include "frontend/plan/Mesh.h"
#include "frontend/plan/Steps.h"

#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(VaryPath, 676, "`{path}` is nothing that a search varies")
PLANC_ERROR(VaryValues, 677, "`vary` goes over a list; this is {type}")
PLANC_ERROR(SearchFact, 678, "a search has no `{fact}`")
PLANC_WARNING(SearchNotRun, 921, "the search of plan `{plan}` is not run: the plan is priced as it stands")

namespace {

/// A selector that stands as an expression: `decoder.attn.core`, `decoder[0:20]`.
std::optional<syntax::Selector> selectorOf(const Expr& e) {
  syntax::Selector s;
  s.range = e.range;
  const Expr* at = &e;
  const Expr* sliced = nullptr;
  for (;;) {
    if (at->kind == ExprKind::Index) {
      sliced = at;
      at = at->kids[0];
      continue;
    }
    if (at->kind != ExprKind::Member && at->kind != ExprKind::Name) return std::nullopt;
    syntax::SelectorStep step;
    step.name = at->name;
    step.range = at->range;
    if (sliced) {
      step.hasIndex = true;
      step.slice = sliced->kids.size() > 2;
      step.begin = sliced->kids[1];
      step.end = sliced->kids.size() > 2 ? sliced->kids[2] : nullptr;
      step.step = sliced->kids.size() > 3 ? sliced->kids[3] : nullptr;
      sliced = nullptr;
    }
    s.steps.insert(s.steps.begin(), std::move(step));
    if (at->kind == ExprKind::Name) return s;
    at = at->kids[0];
  }
}

void vary(Elaboration& elab, MergedPlan& merged, PathTree* paths, const syntax::VaryItem& v, Scope& scope) {
  static const Symbol kMesh("mesh"), kTrain("train"), kRecompute("recompute");
  const auto& steps = v.path.steps;
  const Symbol root = steps.front().name.text;
  if (v.placement) { // `decoder.mlp.ffn -> in [tp, dp]`: the last step is a dimension, the values are axes
    syntax::Selector layer = v.path;
    layer.steps.pop_back();
    if (auto made = makeSelector(elab.ev, layer, scope)) elab.ok &= paths ? paths->check(*made, elab.context) : true;
    for (const Expr* kid : v.values->kind == ExprKind::List ? v.values->kids : std::vector<const Expr*>{})
      if (kid->kind == ExprKind::Name && kid->name.text != Symbol("replicate"))
        elab.ok &= knownAxis(elab.context, merged.mesh, kid->name.text, kid->range);
    return;
  }
  if (root == kRecompute && steps.size() == 1) {
    for (const Expr* kid : v.values->kind == ExprKind::List ? v.values->kids : std::vector<const Expr*>{}) {
      if (kid->kind == ExprKind::None) continue;
      const auto selector = selectorOf(*kid);
      if (!selector) {
        elab.context.report(VaryValues, kid->range, {{"type", "no path of a layer"}})
            .help("write `none` or a path: `recompute in [none, decoder]`");
        elab.ok = false;
      } else if (auto made = makeSelector(elab.ev, *selector, scope); made && paths) {
        elab.ok &= paths->check(*made, elab.context);
      }
    }
    return;
  }
  if (root == kMesh && steps.size() == 2) {
    elab.ok &= knownAxis(elab.context, merged.mesh, steps[1].name.text, steps[1].range);
  } else {
    FactNode* at = &merged.facts.root();
    for (const syntax::SelectorStep& s : steps) at = at ? at->find(s.name.text) : nullptr;
    if (!at || at->section()) {
      auto report = elab.context.report(VaryPath, v.path.range, {{"path", v.path.str()}});
      report.help(root == kMesh || root == kTrain
                      ? fmt::format("name one that the plan gives: `{}.…`", root.view())
                      : "a search varies `mesh.AXIS`, `train.FACT`, `recompute` and placements (`LAYER.DIM ->`)");
      elab.ok = false;
    }
  }
  const Value values = elab.ev.evaluate(*v.values, scope);
  if (values.kind != ValueKind::List && !values.invalid())
    elab.context.report(VaryValues, v.values->range, {{"type", describe(values)}});
  elab.ok &= values.kind == ValueKind::List;
}

} // namespace

void search(Elaboration& elab, MergedPlan& merged, PathTree* paths) {
  if (!merged.search) return;
  for (const auto& item : merged.search->syntax->items) {
    Scope& scope = *merged.search->scope;
    if (const auto* v = std::get_if<syntax::VaryItem>(&item)) vary(elab, merged, paths, *v, scope);
    if (const auto* w = std::get_if<syntax::WhereItem>(&item)) conditionTree(elab, merged, paths, *w->condition, scope);
    if (const auto* g = std::get_if<syntax::GoalItem>(&item)) conditionTree(elab, merged, paths, *g->value, scope);
    if (const auto* f = std::get_if<syntax::Fact>(&item)) {
      elab.context.report(SearchFact, f->name.range, {{"fact", f->name.text.str()}})
          .help("a search has `vary`, `where`, `minimize` and `maximize` lines");
      elab.ok = false;
    }
  }
  elab.context.report(SearchNotRun, merged.search->range, {{"plan", merged.decl.name.str()}})
      .help("this version only checks it: write the alternatives as plans that extend this one, and `planc estimate` "
            "prices all of them");
}

} // namespace planc::frontend
