// The session: one compilation from a file on disk to its plans.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/Frontend.h"

#include "frontend/eval/Sides.h"
#include "frontend/model/Models.h"
#include "frontend/parse/Parse.h"
#include "frontend/plan/Comparisons.h"
#include "frontend/plan/Plans.h"
#include "frontend/plan/SharedParts.h"
#include "support/Spelling.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>
#include <mutex>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(UnknownPlan, 212, "there is no plan `{name}` in `{file}`")
PLANC_ERROR(PlanChoiceForm, 213, "a plan is chosen by its name, with arguments if it takes any: `NAME(nodes = 8)`")
PLANC_ERROR(SetForm, 932, "what is set is written `PATH = VALUE`, as in `train.micro_batch = 2`")
PLANC_ERROR(NoSearchedPlan, 694, "{problem}: say which one is searched")
PLANC_ERROR(SearchWordForm, 695, "`{text}` is no line of a search")
PLANC_ERROR(AssertFalse, 338, "{reason}")
PLANC_ERROR(EnumMemberTwice, 214, "`{name}` is listed twice")

/// Plans as they are chosen, `NAME(nodes = 8)`: the text stands in a file of its own, so that messages can show it.
struct Choice {
  FileId file;
  std::unique_ptr<syntax::File> tree; ///< null: it could not be read, which was reported
};

struct Session::Impl {
  SourceManager sources;
  DiagnosticEngine diagnostics;
  Loader loader;
  Context context;
  Evaluator evaluator;
  Machines machines;
  Module* main = nullptr;
  std::vector<Edit> edits;
  Symbol editsOf;
  /// The plan whose candidates are asked for.
  struct Searched {
    Choice choice;
    SearchRequest request;
    SearchedSpace found;
    SharedParts parts;
  };
  std::optional<Searched> search;
  std::mutex givenBackLock;
  std::vector<FileId> givenBack; ///< texts of choices that nothing points to any more

  /// The values of one elaboration, which are given back with it.
  struct Elaborating {
    Impl& impl;
    Arena::Passing values;
    explicit Elaborating(Impl& i) : impl(i), values(i.context.arena) {}
    ~Elaborating() { impl.machines.forgetPassing(); }
  };

  explicit Impl(const ModuleSource& library)
      : loader(sources, diagnostics, library), context(sources, diagnostics, loader), evaluator(context),
        machines(evaluator) {
    evaluator.factMembers = &machines;
  }

  bool generic(DeclInfo& decl);
  std::unique_ptr<ir::Plan> check(DeclInfo& decl);
  void checkFunction(DeclInfo& decl);
  void checkEnum(DeclInfo& decl);
  void checkModel(DeclInfo& decl);
  void checkAssert(const syntax::AssertStmt& statement);
  bool edit(const ir::FactEdit& written);
  std::optional<Edit> ruleEdit(const std::string& name, const ir::FactEdit& written);
  std::optional<Edit> factEdit(const std::string& name, const ir::FactEdit& written);
  std::unique_ptr<ir::Plan> plan(const BoundDecl& decl, SourceRange use, bool edited);
  std::optional<PlanChoice> searchedChoice(const PlanChoice& choice);
  const syntax::SearchBlock* wordsOf(const ir::SearchWords& words);
  Choice read(const PlanChoice& choice);
  std::optional<Value> choose(const Choice& choice);
  void giveBack(FileId text);
  std::string comparedAs(Symbol label);
  const BoundDecl* record(std::string_view constant, DeclKind kind, std::string_view what);
};

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
  impl_->main = impl_->loader.loadMain(path, ioError);
  return impl_->main != nullptr;
}

void Session::loadText(const std::string& path, std::string text) {
  impl_->main = impl_->loader.loadText(path, std::move(text));
}

/// Has parameters that a use must give.
bool Session::Impl::generic(DeclInfo& decl) {
  for (const ParamInfo& p : evaluator.params(decl))
    if (!p.syntax->defaultValue) {
      bool given = false; // of `model X = Y(…)` some are given by X
      if (decl.kind == DeclKind::Model && !decl.paramSyntax())
        if (const BoundDecl* model = evaluator.resolveModel(BoundDecl{&decl, {}}, decl.nameRange))
          for (const BoundArg& arg : model->args) given |= arg.name == p.name();
      if (!given) return true;
    }
  return false;
}

/// Gives the plan that it elaborated; null: it is none, or one with open parameters, or it has errors.
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

/// A model whose parameters all have values is built for a nominal workload, so that its shapes are checked.
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

void Session::check(const PlanUse& use) {
  Impl& s = *impl_;
  if (!s.main || !s.main->tree) return;
  s.context.renew();
  for (DeclInfo& decl : s.main->decls) {
    if (s.context.exhausted()) return;
    std::unique_ptr<ir::Plan> made = s.check(decl);
    if (made && use && s.edits.empty()) use(std::move(made));
  }
  for (const syntax::Decl& decl : s.main->tree->decls)
    if (const auto* statement = std::get_if<syntax::AssertStmt>(&decl.item)) s.checkAssert(*statement);
  for (Import& import : s.main->imports) // a library module that nothing uses is still read
    if (import.module) s.loader.parse(*import.module);
  if (use && !s.edits.empty()) eachPlan(std::nullopt, use);
}

std::unique_ptr<ir::Plan> Session::Impl::plan(const BoundDecl& decl, SourceRange use, bool edited) {
  return buildPlan(evaluator, machines, decl, use, edited ? edits : std::vector<Edit>{}, editsOf);
}

namespace {

/// The statements of a text that is the `search` block of a plan alone; null where it is anything else.
const syntax::SearchBlock* searchBlockOf(const Module& text) {
  if (!text.tree || text.tree->broken || text.tree->decls.size() != 1) return nullptr;
  const auto* plan = std::get_if<syntax::PlanDecl>(&text.tree->decls[0].item);
  return plan && plan->items.size() == 1 ? std::get_if<syntax::SearchBlock>(&plan->items[0].item) : nullptr;
}

constexpr std::string_view kArrow = "->";

} // namespace

/// `decoder.seq -> tp`: read as the line of a search that has this one value.
std::optional<Edit> Session::Impl::ruleEdit(const std::string& name, const ir::FactEdit& written) {
  Module* text = loader.loadText(
      name, fmt::format("plan set {{ search {{\nvary {} in ({})\n}} }}\n", written.path, written.value));
  if (!text->tree || text->tree->broken) return std::nullopt; // reported by the parser
  const syntax::SearchBlock* block = searchBlockOf(*text);
  const auto* line = block && block->items.size() == 1 ? std::get_if<syntax::VaryItem>(&block->items[0]) : nullptr;
  if (line && line->placement) return editOf(*line, *line->values);
  context.report(SetForm, {text->file, 0, 0});
  return std::nullopt;
}

/// The text stands as a record of one fact, so that a mistake shows what was written.
std::optional<Edit> Session::Impl::factEdit(const std::string& name, const ir::FactEdit& written) {
  Module* text = loader.loadText(name, fmt::format("let set = {{\n{} = {}\n}}\n", written.path, written.value));
  if (!text->tree || text->tree->broken) return std::nullopt; // reported by the parser
  const auto* let = text->tree->decls.size() == 1 ? std::get_if<syntax::LetDecl>(&text->tree->decls[0].item) : nullptr;
  const bool one = let && let->value->kind == ExprKind::Record && let->value->facts.size() == 1;
  if (!one || let->value->facts[0].args) {
    const bool more = let && let->value->kind == ExprKind::Record && let->value->facts.size() > 1;
    context.report(SetForm, one || more ? let->value->facts[more].range : SourceRange{text->file, 0, 0});
    return std::nullopt;
  }
  const syntax::Fact& fact = let->value->facts[0];
  Edit made;
  made.path.push_back(fact.name);
  made.path.insert(made.path.end(), fact.members.begin(), fact.members.end());
  made.value = fact.value;
  made.range = fact.range;
  return made;
}

bool Session::Impl::edit(const ir::FactEdit& written) {
  // Which of several options is meant, messages say by its number.
  const std::string name = edits.empty() ? "--set" : fmt::format("--set ({})", edits.size() + 1);
  std::optional<Edit> made = written.path.ends_with(kArrow) ? ruleEdit(name, written) : factEdit(name, written);
  if (!made) return false;
  for (const Edit& earlier : edits)
    if (earlier.text() == made->text()) {
      reportGivenTwice(context, made->range, made->text(), earlier.range);
      return false;
    }
  edits.push_back(std::move(*made));
  return true;
}

bool Session::set(const ir::PlanEdit& edit, std::string_view of) {
  bool good = true;
  for (const ir::FactEdit& fact : edit.facts) good &= impl_->edit(fact);
  impl_->editsOf = Symbol(of);
  return good;
}

/// What to write for the plan that stands behind a label of a comparison; empty if there is none.
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

/// What a mistake shows is what was written: the text stands on a line of its own, as the value of a constant.
Choice Session::Impl::read(const PlanChoice& choice) {
  std::string text = "let choice = (\n" + choice.text + "\n)\n";
  Choice made;
  if (const std::lock_guard guard(givenBackLock); !givenBack.empty()) {
    made.file = givenBack.back();
    givenBack.pop_back();
  }
  if (made.file.valid())
    sources.replace(made.file, std::move(text));
  else
    made.file = sources.add("--plan", std::move(text));
  made.tree = parse::parseFile(sources, made.file, diagnostics);
  return made;
}

/// The value of `NAME` or `NAME(…)`, read as an expression of the loaded file.
std::optional<Value> Session::Impl::choose(const Choice& choice) {
  if (!choice.tree || choice.tree->broken) return std::nullopt; // reported by the parser
  const bool one = choice.tree->decls.size() == 1;
  const auto* let = one ? std::get_if<syntax::LetDecl>(&choice.tree->decls[0].item) : nullptr;
  const Expr* name = let ? let->value : nullptr;
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
      report.help(fmt::format("`{}` is a comparison: `planc estimate --plan {}` takes it whole; else name one of its "
                              "plans",
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
  const Value v = evaluator.evaluate(*let->value, scope);
  return v.invalid() ? std::nullopt : std::optional(v);
}

void Session::Impl::giveBack(FileId text) {
  const std::lock_guard guard(givenBackLock);
  givenBack.push_back(text);
}

/// A file that reports point to keeps its text, also if the plan is given back.
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

/// The plan that is meant where none is named; nothing after a report.
std::optional<PlanChoice> Session::Impl::searchedChoice(const PlanChoice& choice) {
  if (choice.text.find_first_not_of(" \t\n") != std::string::npos) return choice;
  std::vector<std::string> plans, searched;
  for (DeclInfo& d : main->decls) {
    if (d.kind != DeclKind::Plan) continue;
    plans.push_back(d.name.str());
    const auto& items = d.as<syntax::PlanDecl>().items;
    if (llvm::any_of(items,
                     [](const syntax::PlanItem& i) { return std::holds_alternative<syntax::SearchBlock>(i.item); }))
      searched.push_back(d.name.str());
  }
  const std::vector<std::string>& meant = searched.empty() ? plans : searched;
  if (meant.size() == 1) return PlanChoice{meant.front()};
  context
      .report(
          NoSearchedPlan, {},
          {{"problem", plans.empty()      ? fmt::format("`{}` has no plan", main->path)
                       : searched.empty() ? fmt::format("none of the plans of `{}` has a `search` block", main->path)
                                          : fmt::format("several plans of `{}` have a `search` block", main->path)}})
      .note(plans.empty() ? std::string("a search goes over the candidates of a plan")
                          : "they are " + quotedList(meant));
  return std::nullopt;
}

/// What a command line says, as a block of its own; null without words, or after a report.
const syntax::SearchBlock* Session::Impl::wordsOf(const ir::SearchWords& words) {
  std::string text;
  size_t count = 0;
  const auto add = [&](const std::vector<std::string>& lines, std::string_view keyword) {
    for (const std::string& line : lines) text += fmt::format("{}{}\n", keyword, line), ++count;
  };
  add(words.vary, "vary ");
  add(words.fill, "fill ");
  add(words.where, "where ");
  add(words.goals, "");
  if (count == 0) return nullptr;
  Module* read = loader.loadText("search", fmt::format("plan words {{ search {{\n{}}} }}\n", text));
  if (!read->tree || read->tree->broken) return nullptr; // reported by the parser
  const syntax::SearchBlock* block = searchBlockOf(*read);
  const bool facts =
      block && llvm::any_of(block->items, [](const auto& i) { return std::holds_alternative<syntax::Fact>(i); });
  if (block && !facts) return block;
  context.report(SearchWordForm, {read->file, 0, 0}, {{"text", text.substr(0, text.find('\n'))}})
      .help("each is one line of a `search` block, `vary mesh.tp in [1, 2]`");
  return nullptr;
}

SearchedPlan Session::searched(const PlanChoice& asked, const ir::SearchWords& words) {
  Impl& s = *impl_;
  s.search = std::nullopt;
  if (!s.main || !s.main->tree) return {};
  s.context.renew();
  const auto choice = s.searchedChoice(asked);
  if (!choice) return {};
  const uint64_t failures = s.diagnostics.size();
  s.search.emplace(Impl::Searched{s.read(*choice), {}, {}, {}});
  s.search->request.words = s.wordsOf(words);
  s.search->request.top = words.top;
  s.search->request.out = &s.search->found;
  if (s.diagnostics.size() != failures && s.diagnostics.hasErrors()) return {};
  SearchedPlan made;
  {
    const Impl::Elaborating passing(s);
    if (const auto value = s.choose(s.search->choice))
      made.plan = buildPlan(s.evaluator, s.machines, *value->decl, value->range, s.edits, s.editsOf, s.search->request);
  }
  made.text = s.search->choice.file;
  if (made.plan) made.space = std::make_shared<const ir::Space>(s.search->found.space);
  s.search->request.out = nullptr;
  s.search->request.termsOnly = true;
  return made;
}

std::unique_ptr<ir::Plan> Session::candidate(std::span<const uint32_t> digits, std::optional<int64_t> filled) {
  Impl& s = *impl_;
  if (!s.search) return nullptr;
  s.context.renew();
  const SearchedSpace& found = s.search->found;
  std::vector<Edit> edits = s.edits;
  for (size_t c = 0; c < digits.size(); ++c) {
    const std::vector<Edit>& values = found.edits[c][digits[c]];
    edits.insert(edits.end(), values.begin(), values.end());
  }
  Expr size;
  const std::string text = std::to_string(filled.value_or(1));
  if (filled && found.space.fill) {
    size.kind = ExprKind::Int;
    size.text = text;
    size.range = found.space.fillRange;
    Edit& edit = edits.emplace_back();
    edit.path = {{Symbol("mesh"), size.range}, {*found.space.fill, size.range}};
    edit.value = &size;
    edit.range = size.range;
    edit.shown = text;
    edit.writer = s.search->found.writer;
  }
  const Impl::Elaborating passing(s);
  const auto value = s.choose(s.search->choice);
  if (!value) return nullptr;
  auto plan =
      buildPlan(s.evaluator, s.machines, *value->decl, value->range, std::move(edits), s.editsOf, s.search->request);
  if (plan) s.search->parts.share(*plan, found.space, digits, filled);
  return plan;
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

} // namespace planc::frontend
