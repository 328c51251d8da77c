// The private members of a session. Its methods are defined in Frontend.cpp, SessionWords.cpp and SessionSearch.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/Frontend.h"
#include "frontend/parse/Parse.h"
#include "frontend/plan/Plans.h"
#include "frontend/plan/Tests.h"
#include "frontend/search/SharedParts.h"
#include "frontend/syntax/Tree.h"

#include <functional>
#include <mutex>

namespace planc::frontend {

/// A parsed choice of a plan, `NAME(nodes = 8)`. Its text is a file of its own, so that messages can show it.
struct Choice {
  FileId file;
  std::unique_ptr<syntax::File> tree; ///< null if it could not be parsed, which was reported
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
  std::vector<std::unique_ptr<syntax::File>> lines; ///< syntax trees of options
  /// The plan whose candidates are requested.
  struct Searched {
    Choice choice;
    syntax::SearchBlock words; ///< from the command line
    SearchRequest request;
    SearchedSpace found;
    SharedParts parts;
  };
  std::optional<Searched> search;
  Demands demands; ///< policies that apply to all plans
  std::mutex givenBackLock;
  std::vector<FileId> givenBack; ///< released texts of choices, for reuse

  /// Owns the values of one elaboration and frees them with it.
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
  void setMain(Module* loaded);
  std::unique_ptr<ir::Plan> testedPlan(const syntax::TestDecl& test, Scope& values);
  std::unique_ptr<ir::Plan> checkTest(DeclInfo& decl);
  void checkAssert(const syntax::AssertStmt& statement);
  const syntax::File* line(const std::string& option, size_t number, std::string text, parse::LineKind kind);
  bool edit(const ir::FactEdit& written);
  std::unique_ptr<ir::Plan> plan(const BoundDecl& decl, SourceRange use, bool edited);
  std::optional<PlanChoice> searchedChoice(const PlanChoice& choice, const ir::SearchWords& words);
  /// Calls `make` with the searched plan and the edits of a candidate. Does not call it after a report.
  void withCandidate(std::span<const uint32_t> digits, std::optional<int64_t> filled,
                     const std::function<void(const Value&, std::vector<Edit>)>& make);
  syntax::SearchBlock wordsOf(const ir::SearchWords& words);
  bool addNumbers(const ir::VariedNumbers& numbers, size_t number, syntax::SearchBlock& words);
  bool addWord(std::string_view name, const std::string& text, size_t number, syntax::SearchBlock& words);
  Choice read(const PlanChoice& choice);
  std::optional<Value> choose(const Choice& choice);
  void giveBack(FileId text);
  std::string comparedAs(Symbol label);
  const BoundDecl* record(std::string_view constant, DeclKind kind, std::string_view what);
};

} // namespace planc::frontend
