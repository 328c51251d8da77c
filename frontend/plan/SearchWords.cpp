// Words of schedules and of `recompute` in the conditions of a search.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/SearchWords.h"

#include "frontend/plan/Conditions.h"
#include "frontend/plan/Merge.h"
#include "frontend/plan/SearchMistakes.h"
#include "frontend/plan/Words.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

bool isWord(const Value& value) {
  constexpr ValueKind kWords[] = {ValueKind::Enum, ValueKind::DType, ValueKind::String, ValueKind::None,
                                  ValueKind::Decl};
  return std::find(std::begin(kWords), std::end(kWords), value.kind) != std::end(kWords);
}

bool isWordPath(std::string_view path) {
  const ir::SettingRow* row = ir::settingAt(path);
  return row && (row->kind == ir::SettingKind::Recompute || row->kind == ir::SettingKind::Schedule);
}

bool isOfBlocks(Symbol root) {
  const ir::StatementRow* row = ir::statementNamed(root.view());
  return row && row->ofWords;
}

namespace {

std::optional<std::string> scheduleWord(Elaboration& elab, const Expr& e, Scope& scope) {
  if (!knownSchedule(elab, e)) return std::nullopt;
  const Expr& name = e.kind == ExprKind::Call ? *e.kids[0] : e;
  bool good = name.kind == ExprKind::Name;
  std::vector<ir::ScheduleArgument> arguments;
  if (e.kind == ExprKind::Call)
    for (const syntax::Arg& arg : e.args) {
      good &= arg.name.has_value();
      if (!good) break;
      const auto count = elab.ev.integer(*arg.value, scope, fmt::format("`{}`", arg.name->text.view()));
      if (!count) return std::nullopt;
      arguments.push_back({arg.name->text, *count, arg.name->range});
    }
  if (good) return ir::scheduleText(name.name.text, std::move(arguments));
  reportConditionValue(elab.context, e.range, fmt::format("`{}`", elab.context.text(e.range)), true);
  return std::nullopt;
}

std::optional<std::string> recomputeWord(Elaboration& elab, PathTree* paths, const Expr& e, Scope& scope) {
  auto rules = recomputeOf(elab, e, scope);
  if (!rules) return std::nullopt;
  for (ir::Recompute& rule : *rules)
    for (ir::Selector& selector : rule.selectors)
      if (paths && !paths->settle(selector, elab.context)) return std::nullopt;
  return ir::recomputeText(*rules);
}

} // namespace

std::optional<std::string> wordText(Elaboration& elab, PathTree* paths, std::string_view path, const Expr& value,
                                    Scope& scope) {
  const Expr* chosen = chosenWord(elab, value, scope);
  if (!chosen) return std::nullopt;
  return path == ir::name(ir::Statement::Recompute) ? recomputeWord(elab, paths, *chosen, scope)
                                                    : scheduleWord(elab, *chosen, scope);
}

} // namespace planc::frontend
