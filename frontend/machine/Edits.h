// Facts that are set beside the file (ir/PlanEdit.h): a layer over what the file says, put in where facts are kept, so
// that everything that follows from them does.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/facts/Facts.h"

namespace planc::frontend {

class Machines;
struct DeclInfo;

/// A change that is wanted: a path, and the expression that stands for the value.
struct Edit {
  std::vector<syntax::Name> path;
  /// Of a rule, `decoder.seq ->`: its subject as written, whose names `path` has.
  std::optional<syntax::Selector> place = std::nullopt;
  const syntax::Expr* value = nullptr;
  SourceRange range;
  /// Of a search: the plan of the chain in whose scope the value is evaluated. The path may be a parameter of any plan
  /// of the chain. Null: the plan that the edit is set in.
  const DeclInfo* writer = nullptr;
  std::string shown; ///< the value as reports show it; empty: the text of its range

  std::string text() const; ///< the path
  std::string valueText(const Context& context) const;
  /// The fact that the last step of the path names.
  syntax::Fact fact() const;
};

/// An edit in one plan: the fact that it reached, and what it changed.
struct AppliedEdit : Edit {
  explicit AppliedEdit(Edit edit) : Edit(std::move(edit)) {}

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

  /// The path of the fact that has the value, which ends sooner if the edit lies inside of the value.
  std::string factText() const;
  /// Whether the plan says something else than before.
  bool changes();
};

/// A line of a search with one value of its list.
Edit editOf(const syntax::VaryItem& line, const syntax::Expr& value);

/// What of an edit is left below a place: its path from `at`.
struct EditBelow {
  AppliedEdit* edit = nullptr;
  size_t at = 0;
  const syntax::Name& name() const { return edit->path[at]; }
  bool last() const { return at + 1 == edit->path.size(); }
};

/// Puts values into a section of facts and into the records that facts of it name.
void applyEdits(Context& context, FactTree& tree, FactNode& section, const std::vector<EditBelow>& edits,
                Machines& machines);

/// Gives a parameter of a declaration another argument.
void setArgument(Evaluator& evaluator, BoundDecl& decl, const ParamInfo& param, AppliedEdit& edit);

/// `owner` has nothing called so that could be set. `known`: what it has.
void reportNothingToSet(Context& context, const syntax::Name& name, std::string_view owner,
                        const std::vector<std::string>& known);

} // namespace planc::frontend
