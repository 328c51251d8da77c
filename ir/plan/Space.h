// The candidates of a search: choices with their values in one canonical order, what a candidate must meet, and what is
// asked for.
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

/// A value that a choice may have: all that it sets.
struct ChoiceValue {
  std::vector<std::string> texts; ///< by path of the choice, as `--set` takes it: `4`, `[cp, tp]`, `decoder(first = 2)`
  PlanEdit edit;                  ///< of an inner choice: the same as data
  /// What the first of them says, where it is a number or a quantity; `whole`: a count, as it is written.
  std::optional<Quantity> number = {};
  bool whole = false;
};

/// One choice of a space: a `vary`, with what is bound to it by `with`.
struct Choice {
  std::vector<std::string> paths;  ///< `mesh.tp`, `recompute`, `decoder.seq ->`
  std::vector<ChoiceValue> values; ///< that any of its lists has, each once, in the order in which they first appear
  std::vector<uint32_t> depends;   ///< choices before it, by index, that its list depends on
  /// By values of `depends`, as digits of a number whose first is the most significant: indices into `values`, in the
  /// order of the list. One list where it depends on nothing.
  std::vector<std::vector<uint32_t>> lists;
  bool inner = false; ///< the edits of its values say all; else the text is elaborated with them
  SourceRange range;

  /// A path and a value: `mesh.tp = 4`, `states.params -> zero`.
  static std::string str(const std::string& path, const std::string& value);
  /// Paths and values: `mesh.tp = 4`, joined by ` with `.
  std::string str(uint32_t value) const;
};

/// What a candidate must meet. Paths of the plan that inner choices change are facts in the tree (`ExprOp::Fact`).
struct Condition {
  ExprTree tree;
  std::string reason;
  SourceRange range;
  /// No metric is asked for: it can be decided before anything is lowered.
  bool ofChoices() const;
};

struct Goal {
  ExprTree tree;
  bool maximize = false;
  SourceRange range;
};

/// What a search asks of its candidates. Constants in it are those of the plan that it belongs to.
struct SearchTerms {
  std::vector<Condition> conditions;
  std::vector<Goal> goals; ///< none: the least step time
};

/// A candidate, as a number: the indices of its choices' values as digits, the first choice is the most significant.
using CandidateId = uint64_t;

/// No more of the best are kept and shown.
inline constexpr int64_t kMostShown = 10'000;

/// All candidates of a search. Outer choices stand before inner ones, so that candidates of one elaborated plan follow
/// each other. Not every number below `end` is a candidate: where a list depends on other choices, some are no values.
struct Space {
  std::vector<Choice> choices;
  /// `fill mesh.dp`: the axis that takes what is left of the devices.
  std::optional<Symbol> fill;
  SourceRange fillRange;
  int64_t top = 10; ///< how many of the best are wanted

  /// Whether a choice has this path.
  bool varies(std::string_view path) const;
  /// One more than the largest number; nothing where it is beyond 2^62.
  std::optional<CandidateId> end() const;
  /// Numbers of all values of inner choices together; 1 without inner choices.
  CandidateId innerEnd() const;
  /// Of outer choices; inner ones come behind them.
  size_t outerCount() const;
  /// The index of each choice's value.
  std::vector<uint32_t> digits(CandidateId id) const;
  CandidateId id(std::span<const uint32_t> digits) const;
  /// Whether the value of choice `at` is in its list, given those before it.
  bool has(std::span<const uint32_t> digits, size_t at) const;
  /// How many candidates there are, conditions and laws aside; as a double beyond 2^53.
  double size() const;
  /// `mesh.tp = 4, recompute = none`
  std::string str(CandidateId id) const;
};

/// Numbers that a path takes, as a line of a search has them.
struct VariedNumbers {
  std::string path;             ///< `train.micro_batch`
  std::vector<Quantity> values; ///< those without a unit that have no fraction are whole numbers
  bool bound = false;           ///< to the choice before it, as by `with`
};

/// What a command line adds to the `search` block of a plan, each as the block would say it.
struct SearchWords {
  /// `mesh.tp in [1, 2]`, in the place of the block's line of that path. May hold `with`.
  std::vector<std::string> vary = {};
  std::vector<VariedNumbers> numbers = {}; ///< behind those of `vary`, and as they
  std::vector<std::string> fill = {};      ///< `mesh.dp`, in the place of the block's
  std::vector<std::string> where = {};     ///< beside the block's
  std::vector<std::string> goals = {};     ///< `minimize cost`, `maximize mfu`: in the place of the block's
  std::optional<int64_t> top = {};         ///< in the place of the block's; 1 to kMostShown
  bool before = false;                     ///< choices stand before the block's, whose lists may depend on them
  bool alone = false;                      ///< the block's choices are left out, and what it fills
  bool known = false;                      ///< the same was searched before: values are not looked at by themselves
};

/// A schedule with its arguments in one order, `interleaved_1f1b(chunks = 2)`, and what is recomputed, one text for
/// statements that say the same; `none`.
std::string scheduleText(Symbol schedule, std::vector<ScheduleArgument> arguments);
std::string recomputeText(const std::vector<Recompute>& rules);

/// What a fact of a tree comes to in a plan: a size as of `sizeAt`, or whether a word is the one that is compared,
/// `recompute == none`, `pipeline.schedule == zb_h1` (a schedule without arguments is any of its name). Nothing for
/// other facts.
std::optional<ExprValue> factAt(const Plan& plan, std::string_view fact);

/// The size of an axis or a group, `mesh.tp`, or a batch, `train.micro_batch`, by its path; nothing for other paths.
std::optional<ExprValue> sizeAt(const Plan& plan, std::string_view path);

} // namespace planc::ir
