// A plan with values set beside it, written down as a file of its own: a plan that extends it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/Merged.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace planc::frontend {

/// Parameters with their values, as texts.
using NamedTexts = std::vector<std::pair<std::string, std::string>>;

/// Where a text is to stand, and how it gets at what the file of the plan declares.
struct DerivedHome {
  std::string path;     ///< of the file that it will be, which need not exist: imports are found from there
  bool copied = false;  ///< all that the plan needs of its file is in the text; else the file is imported
  std::string name;     ///< of the plan that is written
  std::string sentence; ///< that stands above it
  std::string* why;     ///< where it cannot be said: told why, where that is known
  /// Null: the plan that is written extends the one that the values are of. Else it stands in its place, in a copy of
  /// its file; told which parameters of the plan that both extend have their defaults, nothing that was set aside.
  NamedTexts* assumed = nullptr;
  bool inPlace() const { return assumed != nullptr; }
};

/// Names of what other files declare, with the imports that they need.
class DerivedNames {
public:
  DerivedNames(const Context& context, const Module& main, const DerivedHome& home);

  /// How the text names a declaration; nothing if its file keeps it for itself.
  std::optional<std::string> of(const DeclInfo& decl);
  /// The same of what is declared at a place of a file.
  std::optional<std::string> at(SourceRange declared, Symbol name);
  /// A value: a literal, or a declaration with its arguments. Nothing where no text says it.
  std::optional<std::string> of(const Value& value);
  /// `name(nodes = 8)`
  std::optional<std::string> of(const BoundDecl& decl);
  /// An expression of a module stands in the text as it is written: what it imports, the text imports. False if it
  /// reads what that file keeps for itself.
  bool take(const syntax::Expr& e, const Module& module);
  /// The line of an import of the plan's file, found from the text's place.
  std::string importLine(const Import& import) const;
  const std::string& imports() const { return imports_; }
  /// What a file keeps for itself, and the text would have to name; empty if there was nothing such.
  const std::string& unnamed() const { return unnamed_; }

private:
  std::string fileText(const std::string& path) const;
  std::string moduleText(const std::string& path) const;
  std::string aliasOf(const std::string& module, const std::string& path);
  bool takeName(Symbol name, const Module& module);

  const Context& context_;
  const Module& main_;
  const DerivedHome& home_;
  std::map<std::string, std::string> aliases_; ///< by module
  std::set<std::string> taken_;
  std::string imports_, unnamed_;
};

/// Arguments of plans of the chain that are said anew: the plan that gives one, and its value.
using DerivedArguments = std::vector<std::pair<const DeclInfo*, const Edit*>>;
/// What the plan becomes in a copy of its file, where it stands in its place.
struct DerivedBody {
  std::string name, sentence, statements;
  std::vector<const Edit*> own{}; ///< its parameters with other values
};
/// The plan's file with the imports of `names` behind its own, without searches, comparisons, and plans that it does
/// not extend. Nothing where a plan of another file gives one of the arguments. With `body` the plan is changed.
std::optional<std::string> derivedCopy(Elaboration& elab, const Module& main, const MergedPlan& merged,
                                       const DerivedArguments& arguments, const DerivedNames& names,
                                       const DerivedBody* body);

/// Whether a plan of a chain leaves a parameter of the one that it extends to its default, and that default, a literal,
/// is the text that an edit gives it.
bool isDefault(Elaboration& elab, const ChainLink& heir, const ChainLink& base, const Edit& edit,
               std::string_view text);

/// The parameters of the plan that the last of the chain extends which have their defaults: none of `set`, and none
/// that a text of `replaced` reads, which does not hold any more.
NamedTexts stillAssumed(Elaboration& elab, MergedPlan& now, const std::vector<SourceRange>& replaced,
                        const std::set<std::string>& set);

/// The text of the file, not yet in the layout of `planc fmt`. Nothing, without a report, where the values cannot be
/// said in this way, and after a report where they are none. `decl` with its arguments and `edits` as buildPlan takes
/// them.
std::optional<std::string> derivedPlan(Evaluator& evaluator, Machines& machines, const BoundDecl& decl, SourceRange use,
                                       const std::vector<Edit>& edits, const DerivedHome& home);

} // namespace planc::frontend
