// The candidates of a search: choices with their values in one canonical order, the conditions that a candidate must
// meet, and the goals.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/model/Expr.h"
#include "ir/plan/PlanEdit.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace planc::ir {

/// One value of a choice, with everything that it sets.
struct ChoiceValue {
  std::vector<std::string> texts; ///< by path of the choice, as `--set` takes it: `4`, `[cp, tp]`, `decoder(first = 2)`
  PlanEdit edit;                  ///< inner choices: the same values as a plan edit
  /// The value of the first text if it is a number or a quantity. `whole`: the text is a count.
  std::optional<Quantity> number = {};
  bool whole = false;
};

/// One choice of a space: a `vary`, with the paths that `with` binds to it.
struct Choice {
  std::vector<std::string> paths;  ///< `mesh.tp`, `recompute`, `decoder.seq ->`
  std::vector<ChoiceValue> values; ///< all values of its lists, each once, in order of first appearance
  std::vector<uint32_t> depends;   ///< indices of earlier choices that its list depends on
  /// Lists of indices into `values`, in the order of the plan's lists. The position of a list is a
  /// number. Its digits are the value indices of the choices in `depends`, the first most significant. There is one
  /// list if `depends` is empty.
  std::vector<std::vector<uint32_t>> lists;
  bool inner = false; ///< `edit` of each value is complete; else the plan is elaborated again with `texts`
  SourceRange range;

  /// A path and a value: `mesh.tp = 4`, `states.params -> zero`.
  static std::string str(const std::string& path, const std::string& value);
  /// Paths and values: `mesh.tp = 4`, joined by ` with `.
  std::string str(uint32_t value) const;
};

/// A condition that every candidate must meet. Plan paths that inner choices change are facts in the tree
/// (`ExprOp::Fact`).
struct Condition {
  ExprTree tree;
  std::string reason;
  SourceRange range;
  /// Returns whether the condition uses no metric: it can then be decided before anything is lowered.
  bool ofChoices() const;
};

struct Goal {
  ExprTree tree;
  bool maximize = false;
  SourceRange range;
};

/// The conditions and goals of a search. Their constants are those of the plan that they belong to.
struct SearchTerms {
  std::vector<Condition> conditions;
  std::vector<Goal> goals; ///< empty: the shortest step time
};

/// A candidate as a number. Its digits are the value indices of the choices, the first choice most significant.
using CandidateId = uint64_t;

/// The largest number of best candidates that are kept and shown.
inline constexpr int64_t kMostShown = 10'000;

/// All candidates of a search. Outer choices come before inner ones, so that candidates of one elaborated plan are
/// consecutive. Some numbers below `end` are not candidates: a list that depends on other choices does not hold all
/// values.
struct Space {
  std::vector<Choice> choices;
  /// `fill mesh.dp`: the axis that takes the remaining devices.
  std::optional<Symbol> fill;
  SourceRange fillRange;
  int64_t top = 10; ///< number of best candidates that are requested

  /// Returns whether a choice has this path.
  bool varies(std::string_view path) const;
  /// One more than the largest candidate number; nullopt if it exceeds 2^62.
  std::optional<CandidateId> end() const;
  /// Number of combinations of all inner choices' values; 1 without inner choices.
  CandidateId innerEnd() const;
  /// Number of outer choices; the inner choices follow them.
  size_t outerCount() const;
  /// The index of each choice's value.
  std::vector<uint32_t> digits(CandidateId id) const;
  CandidateId id(std::span<const uint32_t> digits) const;
  /// Returns whether the value of choice `at` is in its list, given the choices before it.
  bool has(std::span<const uint32_t> digits, size_t at) const;
  /// Number of candidates, ignoring conditions and the plan's laws; a double because it may exceed 2^53.
  double size() const;
  /// `mesh.tp = 4, recompute = none`
  std::string str(CandidateId id) const;
};

/// Numbers for a path, like one line of a `search` block.
struct VariedNumbers {
  std::string path;             ///< `train.micro_batch`
  std::vector<Quantity> values; ///< numbers without unit and fraction are whole numbers
  bool bound = false;           ///< bound to the choice before it, as by `with`
};

/// Additions of a command line to a plan's `search` block, each in the syntax of the block.
struct SearchWords {
  /// `mesh.tp in [1, 2]`: replaces the block's line of that path. May contain `with`.
  std::vector<std::string> vary = {};
  std::vector<VariedNumbers> numbers = {}; ///< appended to `vary`, with the same effect
  std::vector<std::string> fill = {};      ///< `mesh.dp`: replaces the block's `fill`
  std::vector<std::string> where = {};     ///< added to the block's conditions
  std::vector<std::string> goals = {};     ///< `minimize cost`, `maximize mfu`: replace the block's goals
  std::optional<int64_t> top = {};         ///< replaces the block's `top`; 1 to kMostShown
  bool before = false;                     ///< choices come before the block's, whose lists may depend on them
  bool alone = false;                      ///< ignore the block's choices and its `fill`
  bool known = false;                      ///< the same words were searched before: skip the check of single values
};

/// Canonical texts: equal for statements with the same meaning. A schedule with its arguments in a fixed order,
/// `interleaved_1f1b(chunks = 2)`; the recompute rules, `none` without rules.
std::string scheduleText(Symbol schedule, std::vector<ScheduleArgument> arguments);
std::string recomputeText(const std::vector<Recompute>& rules);

/// The value of a fact in a plan: a size (see `sizeAt`), or the result of a comparison with a word, `recompute ==
/// none`, `pipeline.schedule == zb_h1` (a schedule without arguments matches any arguments). Returns nullopt for other
/// facts.
std::optional<ExprValue> factAt(const Plan& plan, std::string_view fact);

/// The size of an axis or a group (`mesh.tp`), or a batch (`train.micro_batch`), by its path. Returns nullopt for other
/// paths.
std::optional<ExprValue> sizeAt(const Plan& plan, std::string_view path);

} // namespace planc::ir
