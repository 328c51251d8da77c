// Facts of records and plans: a tree of what was written, merged along `extends` under the override rules of
// docs/language.md, sections 8 and 9.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/eval/Evaluator.h"

#include <deque>
#include <set>
#include <string>

namespace planc::frontend {

/// A fact, or a section of facts. Record literals are sections, too: `x = {a = 1}` and `x { a = 1 }` say the same.
struct FactNode {
  Symbol name;
  SourceRange nameRange;
  SourceRange range;                                 ///< of the whole statement
  const syntax::Expr* value = nullptr;               ///< null: a section
  const std::vector<syntax::Selector>* at = nullptr; ///< a section `at SELECTORS`, which its name repeats
  Scope* scope = nullptr;                            ///< in which the value is evaluated
  std::string source;                                ///< the text after `:`, or that of the section around it
  int layer = 0;                                     ///< of the `extends` chain: 0 is the root
  bool evaluated = false;
  bool running = false;              ///< being evaluated: meeting it again is a cycle
  bool told = false;                 ///< `cached` was computed by who added it, from more than `value`
  bool replaced = false;             ///< an earlier layer said it, too
  bool edited = false;               ///< its value, or a part of the record that it names, was set beside the file
  const CurveValue* curve = nullptr; ///< that a value set beside the file replaced
  Value cached;
  std::deque<FactNode> children;

  bool section() const { return value == nullptr; }
  FactNode* find(Symbol name);
};

/// A number, quantity or text with nothing to compute.
bool isLiteral(const syntax::Expr& value);

/// What the facts belong to, for messages: `device `a100``.
struct FactOwner {
  std::string text;
  SourceRange range;
};

class FactTree {
public:
  FactTree(Evaluator& evaluator, FactOwner owner) : ev_(evaluator), owner_(std::move(owner)) {
    root_.nameRange = owner_.range;
  }

  /// Adds the items of a section, written at one layer of the `extends` chain; `isOverride`: all of them override.
  void add(const syntax::Section& section, Scope& scope, int layer, bool isOverride = false);
  /// Adds one statement below a path; `override` as written on it.
  void addFact(const syntax::Fact& fact, Scope& scope, int layer, bool isOverride) {
    addFact(root_, fact, scope, layer, isOverride, "");
  }
  void addSection(const syntax::Section& section, Scope& scope, int layer, bool isOverride) {
    addSection(root_, section, scope, layer, isOverride);
  }
  /// Puts a value in the place of a fact, whichever layer gave it; a fact that nobody gave is added.
  FactNode& put(FactNode& section, const syntax::Fact& fact, Scope& scope);
  /// Facts are evaluated anew when they are next asked for: what they depend on was changed.
  void forget();
  /// Do the two say different things? Unknown values count as different.
  bool differ(FactNode& before, FactNode& after);
  /// The value of a fact as messages show it; literals, words and sections as they were written.
  std::string shown(FactNode& node);
  FactNode& root() { return root_; }
  /// The value of a fact, computed once; Invalid after a report.
  Value value(FactNode& node, const TypeInfo* expected = nullptr);
  /// Does the fact begin with a name that is no value, as `fat_tree(oversubscription = 1)`?
  bool isWord(const FactNode& node);
  const FactOwner& owner() const { return owner_; }
  Evaluator& evaluator() { return ev_; }
  /// Some plan or record of the chain has parameters: an override that repeats the inherited value is reported only
  /// where none of them is named.
  bool parametric = false;
  /// Told the paths of facts that expressions ask for; null: nobody wants to know.
  std::set<std::string>* reads = nullptr;
  /// It is kept as long as the session, and so are its values.
  bool lasting = false;

private:
  void addFact(FactNode& parent, const syntax::Fact& fact, Scope& scope, int layer, bool isOverride,
               const std::string& source);
  void addItems(FactNode& node, const syntax::Section& section, Scope& scope, int layer, bool isOverride);
  void addSection(FactNode& parent, const syntax::Section& section, Scope& scope, int layer, bool isOverride);
  void fill(FactNode& node, const syntax::Fact& fact, Scope& scope, int layer, const std::string& source);
  FactNode* settle(FactNode& parent, const syntax::Name& name, SourceRange range, int layer, bool isOverride);
  bool varies(const FactNode& node) const;
  bool partOfRecord(FactNode& node, const Scope& scope, SourceRange at, const std::string& part);

  Evaluator& ev_;
  FactOwner owner_;
  FactNode root_;
};

/// Members of one section of facts.
class SectionSpace final : public Namespace {
public:
  SectionSpace(Context& context, FactTree& tree, FactNode& node, std::string path)
      : context_(context), tree_(tree), node_(node), path_(std::move(path)) {}
  bool has(Symbol name) const override { return node_.find(name) != nullptr; }
  Value member(Symbol name, SourceRange use) override;
  /// The value of a node: of a section, the section as a place with members.
  /// `path`: of the node, for who wants to know what is read.
  static Value valueOf(Context& context, FactTree& tree, FactNode& node, SourceRange use, std::string path = {});
  std::vector<std::string> memberNames() const override;

private:
  Context& context_;
  FactTree& tree_;
  FactNode& node_;
  std::string path_;
};

/// Does the expression name anything that a parameter may decide: a parameter, a constant or another fact? Such values
/// may be equal by chance.
bool varies(const syntax::Expr& e, const Scope& scope);
bool varies(const std::vector<syntax::Selector>& selectors, const Scope& scope);

/// Override rules, shared with placements, axes and statements of plans.
void reportNeedsOverride(Context& context, SourceRange at, std::string_view what, SourceRange inherited);
void reportGivenTwice(Context& context, SourceRange at, std::string_view what, SourceRange first);
DiagnosticEngine::Builder reportNothingToOverride(Context& context, SourceRange at, std::string_view what,
                                                  std::string_view owner);
void reportOverrideChangesNothing(Context& context, SourceRange at, std::string_view what, SourceRange inherited);
/// A place without such a member, with a suggestion.
void reportNoMember(Context& context, const Namespace& space, std::string_view owner, Symbol name, SourceRange use);
/// A value that a fact cannot have; `expected` says which it takes.
DiagnosticEngine::Builder reportOutOfRange(Context& context, SourceRange at, std::string_view fact,
                                           std::string_view value, std::string_view expected);
DiagnosticEngine::Builder reportUnknownFact(Context& context, SourceRange at, std::string_view fact,
                                            const FactOwner& owner, const std::vector<std::string>& known);

} // namespace planc::frontend
