// Facts that are set outside of the file (ir/plan/PlanEdit.h). They replace the values of the file where facts are
// stored, so that everything computed from a fact uses its new value.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/facts/Facts.h"

namespace planc::frontend {

class Machines;
struct DeclInfo;

/// A requested change: a path, and the expression of the new value.
struct Edit {
  std::vector<syntax::Name> path;
  /// For a rule, `decoder.seq ->`: its subject as written. `path` then holds the names of the subject.
  std::optional<syntax::Selector> place = std::nullopt;
  const syntax::Expr* value = nullptr;
  SourceRange range;
  /// For a search: the plan of the chain in whose scope the value is evaluated. The path may be a parameter of any plan
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

  Scope* scope = nullptr; ///< scope of the plan that it is applied to, or of its writer
  bool applied = false;
  std::string before, after; ///< values as messages show them; `after` only if no fact has the value
  bool differs = true;       ///< `after` differs from `before`
  FactTree* tree = nullptr;  ///< tree of the fact that has the value
  FactNode* node = nullptr;
  FactNode was; ///< that fact as the file states it
  /// For an edit inside of a value (an argument of a word, a field of the records of a list, all points of a curve):
  /// the whole value with all edits in it, as plan text, and the number of steps of the path to its fact. Else empty.
  std::string whole;
  size_t wholeAt = 0;

  /// The path of the fact that has the value. It is a part of the edit's path if the edit lies inside of the value.
  std::string factText() const;
  /// Returns whether the edit changes the plan.
  bool changes();
};

/// The edit that a line of a search makes with one value of its list.
Edit editOf(const syntax::VaryItem& line, const syntax::Expr& value);

/// The rest of an edit below a place: its path from step `at` on.
struct EditBelow {
  AppliedEdit* edit = nullptr;
  size_t at = 0;
  const syntax::Name& name() const { return edit->path[at]; }
  bool last() const { return at + 1 == edit->path.size(); }
};

/// Applies edits to a section of facts, and to the records that its facts name.
void applyEdits(Context& context, FactTree& tree, FactNode& section, const std::vector<EditBelow>& edits,
                Machines& machines);

/// Applies an edit to a parameter of a declaration, by setting its argument.
void setArgument(Evaluator& evaluator, BoundDecl& decl, const ParamInfo& param, AppliedEdit& edit);

/// Reports that `owner` has nothing of this name to set. `known`: the names that can be set.
void reportNothingToSet(Context& context, const syntax::Name& name, std::string_view owner,
                        const std::vector<std::string>& known);

} // namespace planc::frontend
