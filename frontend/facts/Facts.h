// Facts of records and plans: a tree of the written facts, merged along `extends` by the override rules of
// docs/language.md, sections 8 and 9.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/eval/Evaluator.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <deque>
#include <set>
#include <string>

namespace planc::frontend {

/// A fact, or a section of facts. A record literal is a section, too: `x = {a = 1}` and `x { a = 1 }` are equivalent.
struct FactNode {
  Symbol name;
  SourceRange nameRange;
  SourceRange range;                                 ///< of the whole statement
  const syntax::Expr* value = nullptr;               ///< null: a section
  const std::vector<syntax::Selector>* at = nullptr; ///< set for a section `at SELECTORS`, whose name is its text
  Scope* scope = nullptr;                            ///< scope for evaluating the value
  std::string source;                                ///< the text after `:`, or the enclosing section's
  int layer = 0;                                     ///< position in the `extends` chain: 0 is the root
  bool evaluated = false;
  bool running = false;              ///< being evaluated; meeting it again is a cycle
  bool told = false;                 ///< `cached` was set by the caller, from more than `value`
  bool replaced = false;             ///< an earlier layer stated it, too
  bool lapsed = false;               ///< stated by an earlier layer, and not inherited: a layer may state it anew
  bool edited = false;               ///< its value, or a part of the record that it names, was set outside of the file
  const CurveValue* curve = nullptr; ///< the curve that a value set outside of the file replaced
  Value cached;
  std::deque<FactNode> children;

  bool section() const { return value == nullptr; }
  FactNode* find(Symbol name);
};

/// Whether a value is a number, quantity or string that needs no computation.
bool isLiteral(const syntax::Expr& value);

/// The owner of the facts, for messages: `device `a100``.
struct FactOwner {
  std::string text;
  SourceRange range;
};

class FactTree {
public:
  FactTree(Evaluator& evaluator, FactOwner owner) : ev_(evaluator), owner_(std::move(owner)) {
    root_.nameRange = owner_.range;
  }

  /// Adds the items of a section, written at one layer of the `extends` chain. With `isOverride` all of them override.
  void add(const syntax::Section& section, Scope& scope, int layer, bool isOverride = false);
  /// Adds one statement; `isOverride` if it has `override`.
  void addFact(const syntax::Fact& fact, Scope& scope, int layer, bool isOverride) {
    addFact(root_, fact, scope, layer, isOverride, "");
  }
  void addSection(const syntax::Section& section, Scope& scope, int layer, bool isOverride) {
    addSection(root_, section, scope, layer, isOverride);
  }
  /// Marks the facts of all layers so far whose path is chosen as not inherited. The next layer may state them with or
  /// without `override`.
  void lapse(llvm::function_ref<bool(std::string_view path)> chosen);
  /// Sets the value of a fact, whichever layer stated it. Adds the fact if there is none.
  FactNode& put(FactNode& section, const syntax::Fact& fact, Scope& scope);
  /// Marks facts to be evaluated again on their next use, because something that they depend on has changed.
  void forget();
  /// Whether two facts have different values. Unknown values count as different.
  bool differ(FactNode& before, FactNode& after);
  /// The value of a fact for messages; literals, words and sections as written.
  std::string shown(FactNode& node);
  FactNode& root() { return root_; }
  /// The value of a fact, computed once; Invalid after a report.
  Value value(FactNode& node, const TypeInfo* expected = nullptr);
  /// Whether the fact begins with a name that is not a value, as in `fat_tree(oversubscription = 1)`.
  bool isWord(const FactNode& node);
  const FactOwner& owner() const { return owner_; }
  Evaluator& evaluator() { return ev_; }
  /// A plan or record of the chain has parameters. An override that repeats the inherited value is then reported only
  /// if neither value names a parameter.
  bool parametric = false;
  /// Receives the paths of facts that expressions read; null: not recorded.
  std::set<std::string>* reads = nullptr;
  /// The tree and its values live as long as the session.
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

/// The members of one section of facts.
class SectionSpace final : public Namespace {
public:
  SectionSpace(Context& context, FactTree& tree, FactNode& node, std::string path)
      : context_(context), tree_(tree), node_(node), path_(std::move(path)) {}
  bool has(Symbol name) const override { return node_.find(name) != nullptr; }
  Value member(Symbol name, SourceRange use) override;
  /// The value of a node; for a section a namespace with its members. `path`: the node's path, for recording reads.
  static Value valueOf(Context& context, FactTree& tree, FactNode& node, SourceRange use, std::string path = {});
  std::vector<std::string> memberNames() const override;

private:
  Context& context_;
  FactTree& tree_;
  FactNode& node_;
  std::string path_;
};

/// Whether the expression names anything that a parameter may decide: a parameter, a constant or another fact. Such
/// values may be equal by chance.
bool varies(const syntax::Expr& e, const Scope& scope);
bool varies(const std::vector<syntax::Selector>& selectors, const Scope& scope);

/// Reports on override rules; shared with placements, axes and statements of plans.
void reportNeedsOverride(Context& context, SourceRange at, std::string_view what, SourceRange inherited);
void reportGivenTwice(Context& context, SourceRange at, std::string_view what, SourceRange first);
DiagnosticEngine::Builder reportNothingToOverride(Context& context, SourceRange at, std::string_view what,
                                                  std::string_view owner);
void reportOverrideChangesNothing(Context& context, SourceRange at, std::string_view what, SourceRange inherited);
/// Reports an unknown member of a namespace, with a suggestion.
void reportNoMember(Context& context, const Namespace& space, std::string_view owner, Symbol name, SourceRange use);
/// Reports a value that a fact cannot have. `expected` describes the valid values.
DiagnosticEngine::Builder reportOutOfRange(Context& context, SourceRange at, std::string_view fact,
                                           std::string_view value, std::string_view expected);
DiagnosticEngine::Builder reportUnknownFact(Context& context, SourceRange at, std::string_view fact,
                                            const FactOwner& owner, const std::vector<std::string>& known);

} // namespace planc::frontend
