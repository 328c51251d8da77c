// Walks the lists of a search: words and paths of the model name nothing of the plan.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/search/ListReading.h"

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

bool isOfWords(ir::SettingKind kind) {
  return kind == ir::SettingKind::Placement || kind == ir::SettingKind::State || kind == ir::SettingKind::Recompute ||
         kind == ir::SettingKind::Schedule;
}

bool isCount(ir::SettingKind kind) {
  return kind == ir::SettingKind::Axis || kind == ir::SettingKind::Batch || kind == ir::SettingKind::GlobalBatch;
}

namespace {

/// Adds the facts that elements of words read: numbers in their arguments and slices.
void walkWords(const Expr& e, Scope& scope, Reading& reading) {
  switch (e.kind) {
  case ExprKind::Name:
  case ExprKind::Member:
  case ExprKind::None:
    return;
  case ExprKind::List:
    for (const Expr* kid : e.kids) walkWords(*kid, scope, reading);
    return;
  case ExprKind::Call:
    walkWords(*e.kids[0], scope, reading);
    for (const syntax::Arg& arg : e.args)
      if (!arg.name || arg.name->text != Symbol("save")) reading.walk(*arg.value, scope);
    return;
  case ExprKind::Index:
    walkWords(*e.kids[0], scope, reading);
    for (size_t i = 1; i < e.kids.size(); ++i)
      if (e.kids[i]) reading.walk(*e.kids[i], scope);
    return;
  case ExprKind::If:
    reading.walk(*e.kids[0], scope);
    walkWords(*e.kids[1], scope, reading);
    walkWords(*e.kids[2], scope, reading);
    return;
  default:
    reading.walk(e, scope);
  }
}

} // namespace

void walkList(const VariedLine& line, const Expr& e, Scope& scope, Reading& which, Reading& elements) {
  if (e.kind == ExprKind::If) {
    which.walk(*e.kids[0], scope);
    walkList(line, *e.kids[1], scope, which, elements);
    walkList(line, *e.kids[2], scope, which, elements);
  } else if (e.kind == ExprKind::List && isOfWords(line.kind)) {
    walkWords(e, scope, elements);
  } else {
    elements.walk(e, scope);
  }
}

} // namespace planc::frontend
