// Facts that are set beside the file (ir/PlanEdit.h): a layer over what the file says, put in where facts are kept, so
// that everything that follows from them does.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/facts/Facts.h"

namespace planc::frontend {

class Machines;
struct DeclInfo;

/// A path and the expression that stands for its fact. A plan has a copy, which learns what it changed.
struct Edit {
  std::vector<syntax::Name> path;
  /// `decoder.seq ->`: what it is about, as written, whose names `path` has; nothing where it is no rule.
  std::optional<syntax::Selector> place = std::nullopt;
  const syntax::Expr* value = nullptr;
  SourceRange range;
  /// The plan of the chain in whose scope it is evaluated, and in any of which it may be a parameter: what a search
  /// sets. Null: that in which it is set.
  const DeclInfo* writer = nullptr;

  std::string shown; ///< the value as reports show it; empty: as its range has it

  Scope* scope = nullptr; ///< of the plan that it is applied to, or of its writer
  bool applied = false;
  std::string before, after; ///< as messages show them; `after` only where no fact has the value
  bool differs = true;       ///< `after` says something else than `before`
  FactTree* tree = nullptr;  ///< of the fact that has it
  FactNode* node = nullptr;
  FactNode was; ///< that fact as the file says it
  /// Inside of a value (an argument of a word, a field of the records of a list, all points of a curve): the value with
  /// all that is set in it, as plans write it, and how many steps of the path lead to the fact that has it. Else empty.
  std::string whole;
  size_t wholeAt = 0;

  std::string text() const; ///< the path
  /// The path of the fact that has the value, which ends sooner if the edit lies inside of the value.
  std::string factText() const;
  /// The same change of another plan: where it was applied is left behind, and who wrote it.
  Edit again() const;
  /// The fact that the last step of the path names.
  syntax::Fact fact() const;
};

/// A line of a search with one value of its list.
Edit editOf(const syntax::VaryItem& line, const syntax::Expr& value);

/// What of an edit is left below a place: its path from `at`.
struct EditBelow {
  Edit* edit = nullptr;
  size_t at = 0;
  const syntax::Name& name() const { return edit->path[at]; }
  bool last() const { return at + 1 == edit->path.size(); }
};

/// Puts values into a section of facts and into the records that facts of it name.
void applyEdits(Context& context, FactTree& tree, FactNode& section, const std::vector<EditBelow>& edits,
                Machines& machines);

/// Gives a parameter of a declaration another argument.
void setArgument(Evaluator& evaluator, BoundDecl& decl, const ParamInfo& param, Edit& edit);

/// `owner` has nothing called so that could be set. `known`: what it has.
void reportNothingToSet(Context& context, const syntax::Name& name, std::string_view owner,
                        const std::vector<std::string>& known);

} // namespace planc::frontend
