// The session: one compilation from a file on disk to its plans.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/Session.h"
#include "frontend/eval/Literals.h"
#include "frontend/eval/Show.h"
#include "frontend/eval/Sides.h"
#include "frontend/model/Models.h"
#include "frontend/modules/UnusedImports.h"
#include "frontend/plan/Comparisons.h"
#include "frontend/plan/statements/Workload.h"
#include "support/text/Spelling.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(UnknownPlan, 212, "there is no plan `{name}` in `{file}`")
PLANC_ERROR(PlanChoiceForm, 213, "a plan is named by `NAME`, or by `NAME(nodes = 8)` if it has parameters")
PLANC_ERROR(AssertFalse, 338, "{reason}")
PLANC_ERROR(EnumMemberTwice, 214, "`{name}` is listed twice")

Session::Session(const ModuleSource& library) : impl_(std::make_unique<Impl>(library)) {}
Session::~Session() = default;
SourceManager& Session::sources() {
  return impl_->sources;
}
DiagnosticEngine& Session::diagnostics() {
  return impl_->diagnostics;
}
size_t Session::lastingValues() const {
  return impl_->context.arena.lasting();
}
size_t Session::libraryBytes() const {
  return impl_->loader.libraryBytes();
}

bool Session::load(const std::string& path, std::string& ioError) {
  impl_->setMain(impl_->loader.loadMain(path, ioError));
  return impl_->main != nullptr;
}

void Session::loadText(const std::string& path, std::string text) {
  impl_->setMain(impl_->loader.loadMainText(path, std::move(text)));
}

/// Returns whether a declaration has parameters without a default or a value.
bool Session::Impl::generic(DeclInfo& decl) {
  for (const ParamInfo& p : evaluator.params(decl))
    if (!p.syntax->defaultValue) {
      bool given = false; // `model X = Y(…)`: X gives some parameters of Y
      if (decl.kind == DeclKind::Model && !decl.paramSyntax())
        if (const BoundDecl* model = evaluator.resolveModel(BoundDecl{&decl, {}}, decl.nameRange))
          for (const BoundArg& arg : model->args) given |= arg.name == p.name();
      if (!given) return true;
    }
  return false;
}

/// Checks a declaration. Returns its plan; null if it is no plan, has open parameters, or has errors.
std::unique_ptr<ir::Plan> Session::Impl::check(DeclInfo& decl) {
  const Elaborating passing(*this);
  std::unique_ptr<ir::Plan> made;
  const bool isGeneric = generic(decl);
  evaluator.checking = isGeneric;
  Extents nominal = Extents::ofNoWorkload();
  switch (decl.kind) {
  case DeclKind::Let:
    evaluator.valueOf(decl, decl.nameRange);
    break;
  case DeclKind::Function:
    checkFunction(decl);
    break;
  case DeclKind::Enum:
    checkEnum(decl);
    break;
  case DeclKind::Op:
    checkOperator(evaluator, nominal, decl);
    break;
  case DeclKind::Block:
    evaluator.checking = true;
    checkBlock(evaluator, nominal, decl);
    break;
  case DeclKind::Model:
    isGeneric ? frontend::checkModel(evaluator, nominal, decl) : checkModel(decl);
    break;
  case DeclKind::Device:
  case DeclKind::Fabric:
  case DeclKind::Stack:
  case DeclKind::Cluster:
    machines.check(decl);
    break;
  case DeclKind::Plan:
    made = plan(*evaluator.valueOf(decl, decl.nameRange).decl, decl.nameRange, false);
    break;
  case DeclKind::Compare:
    for (const ComparedPlan& row : comparedPlans(evaluator, decl)) {
      const Elaborating its(*this);
      plan(row.decl, row.written, false);
    }
    break;
  case DeclKind::Test: // checked by Session::check
    break;
  case DeclKind::Policy: // checked by Session::check
    break;
  }
  evaluator.checking = false;
  return isGeneric ? nullptr : std::move(made);
}

void Session::Impl::checkFunction(DeclInfo& decl) {
  const auto& let = decl.as<syntax::LetDecl>();
  Scope scope(decl.module);
  evaluator.checking = true;
  evaluator.bind(BoundDecl{&decl, {}}, scope, decl.nameRange);
  evaluator.evaluate(*let.value, scope);
}

void Session::Impl::checkEnum(DeclInfo& decl) {
  const auto& members = decl.as<syntax::EnumDecl>().members;
  std::unordered_map<Symbol, SourceRange> seen;
  for (const syntax::Name& m : members)
    if (auto [at, fresh] = seen.emplace(m.text, m.range); !fresh)
      context.report(EnumMemberTwice, m.range, {{"name", m.text.str()}}).label(at->second, "first listed here");
}

/// Builds a model whose parameters all have values with nominal extents, to check its shapes.
void Session::Impl::checkModel(DeclInfo& decl) {
  Extents nominal = Extents::ofNoWorkload();
  buildModel(evaluator, nominal, *evaluator.valueOf(decl, decl.nameRange).decl, decl.nameRange);
}

void Session::Impl::checkAssert(const syntax::AssertStmt& statement) {
  Scope scope(main);
  const auto met = evaluator.condition(*statement.condition, scope);
  if (!met || *met) return;
  auto report = context.report(
      AssertFalse, statement.condition->range,
      {{"reason", statement.reason ? "assertion failed: " + statement.reason->text : std::string("assertion failed")}});
  for (std::string& side : sidesOf(evaluator, *statement.condition, scope)) report.note(std::move(side));
}

void Session::check(const PlanUse& use, const PlanUse& tests) {
  Impl& s = *impl_;
  if (!s.main || !s.main->tree) return;
  s.context.renew();
  for (DeclInfo& decl : s.main->decls) // before the plans that are judged by them
    if (decl.kind == DeclKind::Policy && !checkPolicy(s.evaluator, decl)) s.demands.drop(&decl);
  for (DeclInfo& decl : s.main->decls) {
    if (s.context.exhausted()) return;
    std::unique_ptr<ir::Plan> made = s.check(decl);
    if (decl.kind == DeclKind::Test)
      if (auto tested = s.checkTest(decl); tested && tests) tests(std::move(tested));
    if (made && use && s.edits.empty()) use(std::move(made));
  }
  for (const syntax::Decl& decl : s.main->tree->decls)
    if (const auto* statement = std::get_if<syntax::AssertStmt>(&decl.item)) s.checkAssert(*statement);
  for (Import& import : s.main->imports) // also read library modules that nothing uses
    if (import.module) s.loader.parse(*import.module);
  if (!s.diagnostics.hasErrors()) reportUnusedImports(*s.main, s.sources, s.diagnostics);
  if (use && !s.edits.empty()) eachPlan(std::nullopt, use);
}

std::unique_ptr<ir::Plan> Session::Impl::plan(const BoundDecl& decl, SourceRange use, bool edited) {
  return buildPlan(evaluator, machines, decl, use, edited ? edits : std::vector<Edit>{}, editsOf, {}, demands);
}

/// Advice on what to write for a plan that is a row of a comparison; empty if no row has this label.
std::string Session::Impl::comparedAs(Symbol label) {
  for (const DeclInfo& d : main->decls) {
    if (d.kind != DeclKind::Compare) continue;
    for (const syntax::Binding& row : d.as<syntax::CompareDecl>().rows)
      if (row.name.text == label)
        return fmt::format("`{}` is a row of comparison `{}`: write `--plan '{}'`, or `--plan {}` for all of them",
                           label.view(), d.name.view(), context.text(row.value->range), d.name.view());
  }
  return "";
}

/// Parses a choice. The text has a line of its own, as the value of a constant, so that messages show only the user's
/// text.
Choice Session::Impl::read(const PlanChoice& choice) {
  std::string text = choice.text;
  Choice made;
  if (const std::lock_guard guard(givenBackLock); !givenBack.empty()) {
    made.file = givenBack.back();
    givenBack.pop_back();
  }
  if (made.file.valid())
    sources.replace(made.file, std::move(text));
  else
    made.file = sources.add("--plan", std::move(text));
  made.tree = parse::parseLine(sources, made.file, parse::LineKind::Minimize, diagnostics);
  return made;
}

/// The value of `NAME` or `NAME(…)`, evaluated as an expression of the loaded file.
std::optional<Value> Session::Impl::choose(const Choice& choice) {
  if (!choice.tree) return std::nullopt; // reported by the parser
  const auto* chosen = choice.tree->line.empty() ? nullptr : std::get_if<syntax::GoalItem>(&choice.tree->line.front());
  const Expr* name = chosen ? chosen->value : nullptr;
  if (name && name->kind == ExprKind::Call) name = name->kids[0];
  if (!name || name->kind != ExprKind::Name) {
    context.report(PlanChoiceForm, {choice.file, 0, 0});
    return std::nullopt;
  }
  auto found = main->names.find(name->name.text);
  if (found == main->names.end() && main->lost(name->name.text)) return std::nullopt;
  if (found == main->names.end() || found->second->kind != DeclKind::Plan) {
    std::vector<std::string> plans;
    for (const DeclInfo& d : main->decls)
      if (d.kind == DeclKind::Plan) plans.push_back(d.name.str());
    auto report = context.report(UnknownPlan, name->range, {{"name", name->name.text.str()}, {"file", main->path}});
    if (found != main->names.end() && found->second->kind == DeclKind::Compare) {
      report.help(fmt::format(
          "`{}` is a comparison: `planc estimate --plan {}` prices all of its plans; otherwise name one of its plans",
          name->name.text.view(), name->name.text.view()));
    } else if (const std::string row = comparedAs(name->name.text); !row.empty()) {
      report.help(row);
    } else {
      report.meant(name->name.text.view(), plans, "its plans are ");
      if (plans.empty()) report.note("it has no plans");
    }
    return std::nullopt;
  }
  Scope scope(main);
  const Value v = evaluator.evaluate(*chosen->value, scope);
  return v.invalid() ? std::nullopt : std::optional(v);
}

void Session::Impl::giveBack(FileId text) {
  const std::lock_guard guard(givenBackLock);
  givenBack.push_back(text);
}

/// If reports point into the text of the choice, the text is kept and not returned.
ChosenPlan Session::choose(const PlanChoice& choice) {
  Impl& s = *impl_;
  if (!s.main || !s.main->tree) return {};
  s.context.renew();
  const size_t reports = s.diagnostics.size();
  if (choice.text.find_first_not_of(" \t\n") == std::string::npos) {
    s.context.report(PlanChoiceForm, {});
    return {};
  }
  const Choice text = s.read(choice);
  ChosenPlan made;
  {
    const Impl::Elaborating passing(s);
    if (const auto value = s.choose(text)) made.plan = s.plan(*value->decl, value->range, true);
  }
  if (s.diagnostics.size() != reports) return made;
  if (made.plan)
    made.text = text.file;
  else
    s.giveBack(text.file);
  return made;
}

void Session::giveBack(FileId text) {
  impl_->giveBack(text);
}

void Session::eachPlan(const std::optional<PlanChoice>& choice, const PlanUse& use) {
  Impl& s = *impl_;
  if (!s.main || !s.main->tree) return;
  if (choice) {
    ChosenPlan chosen = choose(*choice);
    if (chosen.plan) use(std::move(chosen.plan));
    if (chosen.text.valid()) giveBack(chosen.text);
    return;
  }
  s.context.renew();
  const auto elaborate = [&](DeclInfo& decl) -> std::unique_ptr<ir::Plan> {
    const Impl::Elaborating passing(s);
    if (decl.kind != DeclKind::Plan || s.generic(decl)) return nullptr;
    return s.plan(*s.evaluator.valueOf(decl, decl.nameRange).decl, decl.nameRange, true);
  };
  for (DeclInfo& decl : s.main->decls)
    if (auto made = elaborate(decl)) use(std::move(made));
}

std::vector<std::unique_ptr<ir::Plan>> Session::plans(const std::optional<PlanChoice>& choice) {
  std::vector<std::unique_ptr<ir::Plan>> result;
  if (!choice)
    eachPlan(choice, [&](std::unique_ptr<ir::Plan> plan) { result.push_back(std::move(plan)); });
  else if (ChosenPlan chosen = choose(*choice); chosen.plan)
    result.push_back(std::move(chosen.plan));
  return result;
}

std::vector<PlanComparison> Session::comparisons(const std::optional<PlanChoice>& choice) {
  Impl& s = *impl_;
  std::vector<PlanComparison> result;
  if (!s.main || !s.main->tree) return result;
  s.context.renew();
  const Impl::Elaborating passing(s);
  for (DeclInfo& decl : s.main->decls) {
    if (decl.kind != DeclKind::Compare || (choice && choice->text != decl.name.view())) continue;
    PlanComparison& out = result.emplace_back();
    out.name = decl.name.str();
    const std::vector<ComparedPlan> compared = comparedPlans(s.evaluator, decl);
    for (const ComparedPlan& row : compared) {
      const Impl::Elaborating its(s);
      if (auto plan = s.plan(row.decl, row.written, true))
        out.rows.push_back({row.label.str(), row.range, std::move(plan)});
    }
    for (const syntax::Binding& row : decl.as<syntax::CompareDecl>().rows)
      if (llvm::none_of(out.rows, [&](const PlanComparison::Row& r) { return r.range == row.name.range; }))
        out.failed.push_back(row.name.text.str());
  }
  return result;
}

std::vector<std::string> Session::openPlans() {
  Impl& s = *impl_;
  std::vector<std::string> result;
  if (!s.main) return result;
  const Impl::Elaborating passing(s);
  for (DeclInfo& decl : s.main->decls) {
    if (decl.kind != DeclKind::Plan || !s.generic(decl)) continue;
    std::string arguments;
    for (const ParamInfo& p : s.evaluator.params(decl))
      if (!p.syntax->defaultValue) arguments += fmt::format("{}{} = …", arguments.empty() ? "" : ", ", p.name().view());
    result.push_back(fmt::format("{}({})", decl.name.view(), arguments));
  }
  return result;
}

const BoundDecl* Session::Impl::record(std::string_view constant, DeclKind kind, std::string_view what) {
  const auto found = main ? main->names.find(Symbol(constant)) : std::unordered_map<Symbol, DeclInfo*>::iterator();
  if (!main || found == main->names.end()) return nullptr;
  const Value v = evaluator.valueOf(*found->second, found->second->nameRange);
  return v.invalid() ? nullptr : machines.expect(v, kind, what);
}

std::optional<ir::Device> Session::device(std::string_view constant) {
  const BoundDecl* decl = impl_->record(constant, DeclKind::Device, "a device");
  return decl ? impl_->machines.device(*decl, {}) : std::nullopt;
}
std::optional<ir::Fabric> Session::fabric(std::string_view constant) {
  const BoundDecl* decl = impl_->record(constant, DeclKind::Fabric, "a fabric");
  return decl ? impl_->machines.fabric(*decl, {}) : std::nullopt;
}
std::optional<ir::Stack> Session::stack(std::string_view constant) {
  const BoundDecl* decl = impl_->record(constant, DeclKind::Stack, "a stack");
  return decl ? impl_->machines.stack(*decl, {}) : std::nullopt;
}
std::optional<ir::Cluster> Session::cluster(std::string_view constant) {
  const BoundDecl* decl = impl_->record(constant, DeclKind::Cluster, "a cluster");
  return decl ? impl_->machines.cluster(*decl, {}) : std::nullopt;
}
std::optional<ir::PlanReference> Session::planReference(std::string_view constant) {
  const BoundDecl* decl = impl_->record(constant, DeclKind::Plan, "a plan");
  if (!decl) return std::nullopt;
  ir::PlanReference out{decl->decl->name.str(), decl->decl->module->path, {}};
  for (const BoundArg& argument : decl->args)
    out.arguments.emplace_back(argument.name.str(), literalText(argument.value));
  return out;
}
std::vector<std::pair<std::string, std::string>> Session::parameterValues(std::string_view constant) {
  std::vector<std::pair<std::string, std::string>> out;
  const BoundDecl* decl = impl_->record(constant, DeclKind::Plan, "a plan");
  if (!decl) return out;
  Scope scope(decl->decl->module);
  if (!impl_->evaluator.bind(*decl, scope, decl->decl->nameRange)) return out;
  for (const ParamInfo& parameter : impl_->evaluator.params(*decl->decl)) {
    const NameTable::Entry* entry = scope.names.find(parameter.name());
    if (!entry) continue;
    std::string text = literalText(entry->value);
    out.emplace_back(parameter.name().str(), text.empty() ? show(entry->value) : std::move(text));
  }
  return out;
}
std::optional<ir::Optimizer> Session::optimizer(std::string_view constant) {
  Impl& s = *impl_;
  const auto found = s.main->names.find(Symbol(constant));
  return found == s.main->names.end() ? std::nullopt
                                      : optimizerOf(s.evaluator.valueOf(*found->second, found->second->nameRange));
}

} // namespace planc::frontend
