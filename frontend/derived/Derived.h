// Writes a plan with values that were set outside of its file as the text of a file: a plan that extends it.
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

/// The place of a written text, and how the text refers to declarations of the plan's file.
struct DerivedHome {
  std::string path;     ///< path of the new file, which need not exist; imports are relative to it
  bool copied = false;  ///< the text contains a copy of the plan's file; false: the text imports that file
  std::string name;     ///< name of the written plan
  std::string sentence; ///< comment above the written plan
  std::string* why;     ///< receives the reason, if known, why no text expresses the plan
  /// Null: the written plan extends the plan that the values are set in. Else the written plan replaces that plan in a
  /// copy of its file, and this list receives the parameters of the common base plan that keep their defaults.
  NamedTexts* assumed = nullptr;
  bool inPlace() const { return assumed != nullptr; }
};

/// The names by which the text uses declarations of other files, and the imports that these names need.
class DerivedNames {
public:
  DerivedNames(const Context& context, const Module& main, const DerivedHome& home);

  /// The name of a declaration in the text; nullopt if its file does not export it.
  std::optional<std::string> of(const DeclInfo& decl);
  /// As above, for the declaration at a place of a file.
  std::optional<std::string> at(SourceRange declared, Symbol name);
  /// The text of a value: a literal, or a declaration with its arguments. Returns nullopt if no text expresses it.
  std::optional<std::string> of(const Value& value);
  /// `name(nodes = 8)`
  std::optional<std::string> of(const BoundDecl& decl);
  /// Adds the imports that an expression of a module needs when the text contains it as written. Returns false if the
  /// expression uses a name that the text cannot use.
  bool take(const syntax::Expr& e, const Module& module);
  /// The line of an import of the plan's file, with a path from the text's place.
  std::string importLine(const Import& import) const;
  const std::string& imports() const { return imports_; }
  /// The message that a file does not export a declaration that the text would have to name; empty if there was none.
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

/// New arguments of plans in the chain: the plan that passes the argument to its base, and the edit with the value.
using DerivedArguments = std::vector<std::pair<const DeclInfo*, const Edit*>>;
/// The changes that make the plan the written plan, in a copy of its file.
struct DerivedBody {
  std::string name, sentence, statements;
  std::vector<const Edit*> own{}; ///< edits of its own parameters
};
/// Returns a copy of the plan's file, with the imports of `names` after its own, and without searches, comparisons, and
/// plans outside of the chain. Returns nullopt if a plan of another file passes one of the arguments. With `body`, the
/// plan itself is changed.
std::optional<std::string> derivedCopy(Elaboration& elab, const Module& main, const MergedPlan& merged,
                                       const DerivedArguments& arguments, const DerivedNames& names,
                                       const DerivedBody* body);

/// Returns whether an edit sets a parameter of `base` to its default: `heir` passes no argument for the parameter, and
/// the default is a literal with the text `text`.
bool isDefault(Elaboration& elab, const ChainLink& heir, const ChainLink& base, const Edit& edit,
               std::string_view text);

/// Returns the parameters, with their values, that keep their defaults in the base of the chain's last plan. Leaves out
/// parameters in `set`, and parameters that the texts of `replaced` read, because these texts no longer apply.
NamedTexts stillAssumed(Elaboration& elab, MergedPlan& now, const std::vector<SourceRange>& replaced,
                        const std::set<std::string>& set);

/// Returns the text of the file, not yet formatted by `planc fmt`. Returns nullopt without a report if the values
/// cannot be written in this way, and after a report if a value is invalid. `decl` with its arguments, and `edits`, are
/// as for buildPlan.
std::optional<std::string> derivedPlan(Evaluator& evaluator, Machines& machines, const BoundDecl& decl, SourceRange use,
                                       const std::vector<Edit>& edits, const DerivedHome& home);

} // namespace planc::frontend
