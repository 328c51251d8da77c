// Calls: arguments matched to parameters, defaults, `where` conditions, functions, and partially bound declarations.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/eval/Evaluator.h"
#include "frontend/eval/Sides.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(UnknownArgument, 204, "{callee} has no parameter `{name}`")
PLANC_ERROR(NotCallable, 312, "{what} cannot be called")
PLANC_ERROR(MissingArgument, 313, "{callee} needs {names}")
PLANC_ERROR(TooManyArguments, 314, "too many arguments: {callee} takes {count}")
PLANC_ERROR(ArgumentTwice, 315, "`{name}` is given twice")
PLANC_ERROR(WhereFails, 310, "{callee} needs {condition}, but `{name}` is {value}")
PLANC_ERROR(NoLayerName, 411, "{what} is called outside of a layer")
PLANC_ERROR(CyclicModel, 209, "model `{name}` is defined by itself: {cycle}")

namespace {

std::string calleeText(const DeclInfo& d) {
  return fmt::format("{} `{}`", describe(d.kind), d.name.view());
}

std::string counted(size_t n) {
  return n == 0 ? "no arguments" : n == 1 ? "one argument" : fmt::format("{} arguments", n);
}

} // namespace

void Evaluator::resolveParams(DeclInfo& decl) {
  if (decl.paramState != DeclInfo::State::Fresh) return;
  decl.paramState = DeclInfo::State::Running;
  if (decl.kind == DeclKind::Model && !decl.paramSyntax() && decl.as<syntax::ModelDecl>().value) {
    const Value base = unfold(BoundDecl{&decl, {}}, decl.nameRange);
    decl.broken = base.kind != ValueKind::Decl;
    context.evaluating.push_back(&decl);
    if (!decl.broken && base.decl->decl->paramState == DeclInfo::State::Running) {
      reportModelCycle(*base.decl->decl, decl.as<syntax::ModelDecl>().value->range);
      decl.broken = true;
    } else if (!decl.broken) {
      const auto inherited = params(*base.decl->decl);
      decl.params.assign(inherited.begin(), inherited.end());
    }
    context.evaluating.pop_back();
  } else if (const auto* written = decl.paramSyntax()) {
    for (const syntax::Parameter& p : *written) {
      static const TypeInfo kAny{};
      for (const ParamInfo& earlier : decl.params)
        if (earlier.name() == p.name.text)
          context.report(ArgumentTwice, p.name.range, {{"name", p.name.text.str()}})
              .label(earlier.syntax->name.range, "first here");
      decl.params.push_back({&p, p.type ? type(*p.type, *decl.module) : &kAny});
    }
  }
  decl.paramState = DeclInfo::State::Done;
}

std::span<const ParamInfo> Evaluator::params(DeclInfo& decl) {
  resolveParams(decl);
  return decl.params;
}

Arguments Evaluator::arguments(DeclInfo& callee, const Expr& call, Scope& caller) {
  const bool cyclic = callee.paramState == DeclInfo::State::Running; // its parameters are still being resolved
  const auto list = params(callee);
  Arguments result;
  if (cyclic) reportModelCycle(callee, call.range);
  if (cyclic || callee.broken) {
    ++context.failures;
    result.ok = false;
    return result;
  }
  result.values.resize(list.size());
  result.ranges.resize(list.size());
  size_t next = 0;
  for (const syntax::Arg& arg : call.args) {
    size_t at = next;
    if (arg.name) {
      at = 0;
      while (at < list.size() && list[at].name() != arg.name->text) ++at;
      if (at == list.size()) {
        auto report = context.report(UnknownArgument, arg.name->range,
                                     {{"callee", calleeText(callee)}, {"name", arg.name->text.str()}});
        std::vector<std::string> names;
        for (const ParamInfo& p : list) names.push_back(p.name().str());
        report.meant(arg.name->text.view(), names);
        report.label(callee.nameRange, "declared here");
        result.ok = false; // the argument's value is not checked: its type is unknown
        continue;
      }
    } else if (next >= list.size()) {
      context
          .report(TooManyArguments, arg.value->range, {{"callee", calleeText(callee)}, {"count", counted(list.size())}})
          .label(callee.nameRange, "declared here");
      result.ok = false;
      break;
    } else {
      ++next;
    }
    if (result.ranges[at].valid()) {
      context.report(ArgumentTwice, arg.name ? arg.name->range : arg.value->range, {{"name", list[at].name().str()}})
          .label(result.ranges[at], "first given here");
      result.ok = false;
      continue;
    }
    result.ranges[at] = arg.value->range;
    const std::string what = fmt::format("parameter `{}` of `{}`", list[at].name().view(), callee.name.view());
    result.values[at] = evaluateAs(*arg.value, caller, *list[at].type, what);
  }
  return result;
}

bool Evaluator::complete(DeclInfo& callee, const Arguments& args, SourceRange call) {
  if (!args.ok) return false; // a misspelt argument may be the missing one
  const auto list = params(callee);
  std::vector<const syntax::Parameter*> missing;
  for (size_t i = 0; i < list.size(); ++i)
    if (!args.ranges[i].valid() && !list[i].syntax->defaultValue) missing.push_back(list[i].syntax);
  if (missing.empty()) return true;
  std::vector<std::string> names;
  for (const syntax::Parameter* p : missing) names.push_back(p->name.text.str());
  auto report = context.report(MissingArgument, call, {{"callee", calleeText(callee)}, {"names", quotedSeries(names)}});
  for (const syntax::Parameter* p : missing) report.label(p->name.range, "declared here without a default");
  if (const std::string_view text = context.text(call); !text.empty() && text.find('\n') == std::string_view::npos) {
    std::string rest;
    for (const syntax::Parameter* p : missing)
      rest += fmt::format("{}{} = …", rest.empty() ? "" : ", ", p->name.text.view());
    const size_t end = text.ends_with(')') ? text.size() - 1 : text.size(); // `base(tp = 8)` or `base`
    const bool given = end < text.size(), some = given && text[end - 1] != '(';
    report.help(fmt::format("write `{}{}{})`", text.substr(0, end), some ? ", " : given ? "" : "(", rest));
  }
  return false;
}

bool Evaluator::bind(DeclInfo& callee, const Arguments& args, Scope& scope, SourceRange call) {
  const auto list = params(callee);
  const bool itself =
      checking && call == callee.nameRange; // a generic declaration under check: its parameters are unknown
  if (!itself && !complete(callee, args, call)) return false;
  bool ok = args.ok;
  for (size_t i = 0; i < list.size(); ++i) // given arguments first: any default may use them
    if (args.ranges[i].valid()) scope.names.add(list[i].name(), args.values[i], list[i].syntax->name.range);
  for (size_t i = 0; i < list.size(); ++i) {
    if (args.ranges[i].valid()) continue;
    const syntax::Parameter& p = *list[i].syntax;
    Value v;
    if (p.defaultValue) {
      const std::string what = fmt::format("parameter `{}`", p.name.text.view());
      v = evaluateAs(*p.defaultValue, scope, *list[i].type, what);
    } else {
      v.type = list[i].type;
    }
    scope.names.add(p.name.text, v, p.name.range);
  }
  return checkWhere(callee, args, scope, call) && ok;
}

bool Evaluator::checkWhere(DeclInfo& callee, const Arguments& args, Scope& scope, SourceRange call) {
  const auto list = params(callee);
  bool ok = true;
  for (size_t i = 0; i < list.size(); ++i) {
    const syntax::Parameter& p = *list[i].syntax;
    if (!p.where) continue;
    const auto met = condition(*p.where, scope);
    if (!met || *met) continue;
    const NameTable::Entry* value = scope.names.find(p.name.text);
    auto report = context.report(WhereFails, args.ranges[i].valid() ? args.ranges[i] : call,
                                 {{"callee", calleeText(callee)},
                                  {"condition", context.text(p.where->range)},
                                  {"name", p.name.text.str()},
                                  {"value", show(value->value)}});
    report.label(p.where->range, "demanded here");
    for (const std::string& side : sidesOf(*this, *p.where, scope))
      if (!side.starts_with(fmt::format("`{}` ", p.name.text.view()))) report.note(side);
    ok = false;
  }
  return ok;
}

Arguments Evaluator::argumentsOf(const BoundDecl& decl) {
  const auto list = params(*decl.decl);
  Arguments result;
  result.values.resize(list.size());
  result.ranges.resize(list.size());
  for (const BoundArg& arg : decl.args)
    for (size_t i = 0; i < list.size(); ++i)
      if (list[i].name() == arg.name) {
        result.values[i] = arg.value;
        result.ranges[i] = arg.range;
      }
  return result;
}

bool Evaluator::bind(const BoundDecl& decl, Scope& scope, SourceRange use) {
  return bind(*decl.decl, argumentsOf(decl), scope, use);
}

Value Evaluator::call(const Expr& e, const Value& callee, Scope& scope) {
  if (callee.invalid()) { // the arguments are still evaluated
    for (const syntax::Arg& arg : e.args) evaluate(*arg.value, scope);
    return {};
  }
  if (callee.kind == ValueKind::Function) return callBuiltin(e, *callee.function, scope);
  if (callee.kind == ValueKind::Decl) {
    DeclInfo& decl = *callee.decl->decl;
    switch (decl.kind) {
    case DeclKind::Function:
      return callFunction(e, decl, scope);
    case DeclKind::Op:
    case DeclKind::Block:
      if (scope.host)
        return decl.kind == DeclKind::Op ? scope.host->callOperator(decl, e, scope)
                                         : scope.host->callBlock(decl, e, scope);
      reportNoLayer(decl, e.range);
      return {};
    case DeclKind::Let:
    case DeclKind::Enum:
    case DeclKind::Compare:
    case DeclKind::Test:
    case DeclKind::Policy:
      break;
    default:
      return bindMore(e, *callee.decl, scope);
    }
  }
  context.report(NotCallable, e.kids[0]->range, {{"what", describe(callee)}});
  return {};
}

Value Evaluator::callFunction(const Expr& e, DeclInfo& function, Scope& scope) {
  const Arguments args = arguments(function, e, scope);
  // Unknown arguments in a generic declaration give an unknown result. The body is checked at its own declaration.
  if (!complete(function, args, e.range) || !args.known() || !context.enter(function, e.range)) return {};
  Scope inner(function.module);
  const bool wasChecking = std::exchange(checking, false);
  Value result;
  if (bind(function, args, inner, e.range)) {
    const auto& let = function.as<syntax::LetDecl>();
    result = let.type ? evaluateAs(*let.value, inner, *type(*let.type, *function.module),
                                   fmt::format("the result of `{}`", function.name.view()))
                      : evaluate(*let.value, inner);
  }
  checking = wasChecking;
  context.leave();
  result.range = e.range;
  return result;
}

Value Evaluator::bindMore(const Expr& e, const BoundDecl& decl, Scope& scope) {
  const Arguments args = arguments(*decl.decl, e, scope);
  if (!args.ok) return {};
  BoundDecl more = decl;
  const auto list = params(*decl.decl);
  for (size_t i = 0; i < list.size(); ++i) {
    if (!args.ranges[i].valid()) continue;
    if (args.values[i].invalid() && !checking) return {};
    auto known =
        std::find_if(more.args.begin(), more.args.end(), [&](const BoundArg& a) { return a.name == list[i].name(); });
    BoundArg arg{list[i].name(), args.values[i], args.ranges[i]};
    if (known == more.args.end())
      more.args.push_back(arg);
    else
      *known = arg;
  }
  Value v;
  v.kind = ValueKind::Decl;
  v.decl = context.arena.make(std::move(more));
  v.range = e.range;
  return v;
}

void Evaluator::reportNoLayer(const DeclInfo& callee, SourceRange call) {
  context.report(NoLayerName, call, {{"what", calleeText(callee)}})
      .help("call operators and blocks in the bodies of models and blocks, and name their results: `name = …`");
}

/// Reports `model X = Y(…)` where Y resolves to X again.
void Evaluator::reportModelCycle(DeclInfo& info, SourceRange use) {
  ++context.failures;
  std::string cycle;
  const auto begin = std::find(context.evaluating.begin(), context.evaluating.end(), &info);
  for (auto at = begin; at != context.evaluating.end(); ++at) cycle += (*at)->name.str() + " -> ";
  if (begin == context.evaluating.end()) cycle = info.name.str() + " -> ";
  context.report(CyclicModel, info.nameRange, {{"name", info.name.str()}, {"cycle", cycle + info.name.str()}})
      .label(use, "needed again here");
}

/// The call `Y(…)` of `model X = Y(…)`, with the arguments of X replacing Y's.
Value Evaluator::unfold(const BoundDecl& decl, SourceRange use) {
  DeclInfo& info = *decl.decl;
  const auto& model = info.as<syntax::ModelDecl>();
  if (std::find(context.evaluating.begin(), context.evaluating.end(), &info) != context.evaluating.end()) {
    reportModelCycle(info, use);
    return {};
  }
  context.evaluating.push_back(&info);
  Scope scope(info.module);
  Value base;
  if (!info.paramSyntax() || bind(decl, scope, use)) base = evaluate(*model.value, scope);
  if (base.kind == ValueKind::Decl && base.decl->decl->kind == DeclKind::Model) {
    if (!info.paramSyntax() && !decl.args.empty()) {
      BoundDecl merged = *base.decl;
      for (const BoundArg& arg : decl.args) {
        std::erase_if(merged.args, [&](const BoundArg& a) { return a.name == arg.name; });
        merged.args.push_back(arg);
      }
      base.decl = context.arena.make(std::move(merged));
    }
  } else if (!base.invalid()) {
    static const TypeInfo kModel{
        .kind = TypeInfo::Kind::Decl, .declKind = static_cast<int>(DeclKind::Model), .name = "model"};
    base.range = model.value->range;
    base = coerce(base, kModel, fmt::format("model `{}`", info.name.view()));
  }
  context.evaluating.pop_back();
  return base;
}

bool isLawOfParameters(const DiagnosticKind& kind) {
  return kind.code == WhereFails.code;
}

const Value* Evaluator::argumentOf(const BoundDecl& decl, Symbol parameter, SourceRange use) {
  for (const BoundDecl* at = &decl;;) {
    for (const BoundArg& arg : at->args)
      if (arg.name == parameter) return &arg.value;
    const DeclInfo& info = *at->decl;
    if (info.kind != DeclKind::Model || info.broken || info.paramSyntax() || info.as<syntax::ModelDecl>().body)
      return nullptr;
    const Value next = unfold(*at, use);
    if (next.kind != ValueKind::Decl) return nullptr;
    at = next.decl;
  }
}

const BoundDecl* Evaluator::resolveModel(const BoundDecl& decl, SourceRange use) {
  const BoundDecl* at = &decl;
  while (!at->decl->as<syntax::ModelDecl>().body) {
    resolveParams(*at->decl); // detects models that resolve to themselves
    context.failures += at->decl->broken;
    const Value next = at->decl->broken ? Value{} : unfold(*at, use);
    if (next.kind != ValueKind::Decl) return nullptr;
    at = next.decl;
  }
  return at;
}

} // namespace planc::frontend
