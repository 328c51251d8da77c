// Which defaults of the plan that a plan extends still hold where values were set beside them.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/derived/Derived.h"
#include "frontend/eval/Literals.h"
#include "frontend/facts/Facts.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <utility>

namespace planc::frontend {

namespace {

void addWords(std::string_view text, std::set<std::string>& words) {
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    while (at < text.size() && isWordChar(text[at])) ++at;
    if (at > begin)
      words.emplace(text.substr(begin, at - begin));
    else
      ++at;
  }
}

const syntax::Arg* argumentOf(Evaluator& ev, const ChainLink& heir, const ChainLink& base, Symbol name) {
  const syntax::Expr* call = heir.decl.as<syntax::PlanDecl>().extends;
  if (!call) return nullptr;
  const auto params = ev.params(base.decl);
  for (size_t i = 0; i < call->args.size(); ++i) {
    const syntax::Arg& arg = call->args[i];
    if ((arg.name ? arg.name->text : i < params.size() ? params[i].name() : Symbol()) == name) return &arg;
  }
  return nullptr;
}

} // namespace

bool isDefault(Elaboration& elab, const ChainLink& heir, const ChainLink& base, const Edit& edit,
               std::string_view text) {
  const Symbol name = edit.path[0].text;
  if (argumentOf(elab.ev, heir, base, name)) return false;
  for (const ParamInfo& p : elab.ev.params(base.decl)) {
    const syntax::Expr* value = p.syntax->defaultValue;
    if (p.name() != name || !value) continue;
    const bool truth = value->kind == syntax::ExprKind::True || value->kind == syntax::ExprKind::False;
    return (truth || isLiteral(*value)) && elab.context.text(value->range) == text;
  }
  return false;
}

NamedTexts stillAssumed(Elaboration& elab, MergedPlan& now, const std::vector<SourceRange>& replaced,
                        const std::set<std::string>& set) {
  NamedTexts out;
  if (now.chain.size() < 2) return out;
  std::set<std::string> read; // by what does not hold any more, through arguments of plans between
  for (const SourceRange& range : replaced) addWords(elab.context.text(range), read);
  const size_t heir = now.chain.size() - 1;
  for (size_t i = 1; i < heir; ++i)
    for (const ParamInfo& p : elab.ev.params(now.chain[i - 1].decl))
      if (read.contains(p.name().str()))
        if (const syntax::Arg* arg = argumentOf(elab.ev, now.chain[i], now.chain[i - 1], p.name()))
          addWords(elab.context.text(arg->value->range), read);
  const ChainLink& base = now.chain[heir - 1];
  for (const ParamInfo& p : elab.ev.params(base.decl)) {
    const std::string name = p.name().str();
    const NameTable::Entry* entry = base.scope.names.find(p.name());
    if (!entry || read.contains(name) || set.contains(name)) continue;
    if (argumentOf(elab.ev, now.chain[heir], base, p.name())) continue;
    std::string text = literalText(entry->value);
    out.emplace_back(name, text.empty() ? show(entry->value) : std::move(text));
  }
  return out;
}

} // namespace planc::frontend
