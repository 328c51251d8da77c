// The interface between the driver and the frontend: load a file with its imports, check it, and elaborate its plans
// into the IR.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/modules/ModuleSource.h"
#include "ir/plan/PlanEdit.h"
#include "ir/plan/Space.h"
#include "support/Diagnostics.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace planc::frontend {

/// The choice of a plan with arguments for its parameters: `NAME` or `NAME(nodes = 8)`.
struct PlanChoice {
  std::string text;
};

/// A chosen plan, null after errors, and the text of the choice. Ranges in the plan and in reports point into this
/// text. `text` is invalid if reports point into the text, because the session then keeps it.
struct ChosenPlan {
  std::unique_ptr<ir::Plan> plan;
  FileId text;
};

/// One combination of the values of a `test` declaration.
struct TestedPlan {
  std::string name;  ///< `sizes(nodes = 4)`
  SourceRange range; ///< of the test's name
  /// The error that the test expects, and where the test states it; null if the plan is to be judged instead.
  const DiagnosticKind* fails = nullptr;
  SourceRange failsRange;
  std::unique_ptr<ir::Plan> plan; ///< null after errors
  DiagnosticEngine found;         ///< the reports of its elaboration, without earlier reports
};
using TestUse = std::function<void(TestedPlan)>;
/// Returns whether to run a test of this name.
using TestWanted = std::function<bool(std::string_view name)>;

/// Takes ownership of a plan.
using PlanUse = std::function<void(std::unique_ptr<ir::Plan>)>;

/// A `compare` declaration.
struct PlanComparison {
  struct Row {
    std::string label;
    SourceRange range; ///< of the label
    std::unique_ptr<ir::Plan> plan;
  };
  std::string name;
  std::vector<Row> rows;
  std::vector<std::string> failed; ///< labels of plans with errors
};

/// A plan with its search space. `space` is null after errors. `text` is as in ChosenPlan.
struct SearchedPlan {
  std::unique_ptr<ir::Plan> plan;
  FileId text;
  std::shared_ptr<const ir::Space> space;
};

/// Where and how a plan is written to a file (docs/search.md).
struct PlanPlace {
  std::string path;           ///< path of the file, which need not exist; imports are resolved from there
  bool copied = false;        ///< copy the needed parts of the plan's file; else import it
  std::string name;           ///< name of the plan
  std::string sentence;       ///< comment above the plan
  std::string* why = nullptr; ///< receives the reason, if known, why a text in this place cannot express the plan
  /// If not null, the plan replaces the searched plan in a copy of its file. Receives the parameters of the common base
  /// plan that still have their defaults, with their values.
  std::vector<std::pair<std::string, std::string>>* assumed = nullptr;
};

/// All state of one compilation: sources, parsed modules, evaluated declarations.
class Session {
public:
  explicit Session(const ModuleSource& library = embeddedLibrary());
  ~Session();
  Session(const Session&) = delete;

  SourceManager& sources();
  DiagnosticEngine& diagnostics();

  /// Reads and parses a file (`-` is stdin) and its imports. Returns false if the file cannot be read, and sets
  /// `ioError`.
  bool load(const std::string& path, std::string& ioError);
  /// Parses `text` as if it were a file at `path`, which need not exist; imports are resolved from there.
  void loadText(const std::string& path, std::string text);
  /// Resolves and type-checks every declaration of the loaded file, exported or not. Errors go to `diagnostics`. This
  /// elaborates every plan. So that plans are not elaborated twice, `use` receives the plans of `eachPlan`, each as
  /// soon as it is built (or after the check, if facts were set). `tests` receives the first plan of each judged test,
  /// to check its assertions.
  void check(const PlanUse& use = {}, const PlanUse& tests = {});
  /// Reads a file of policies, which apply to all plans that are elaborated later. Returns false if the file cannot be
  /// read (sets `ioError`) or has no policies.
  bool addPolicies(const std::string& path, std::string& ioError);
  /// Elaborates the plans of the loaded file's tests, each with every combination of values. Skips tests that are
  /// invalid themselves, which `check` reports.
  void eachTest(const TestWanted& wanted, const TestUse& use);
  /// Warns of `allow`s in the file and its plans that suppressed no warning. Call it after all plans have been
  /// processed.
  void reportIdleAllowances();
  /// Sets facts of the plans that are elaborated later. With `of`, sets facts of the plan `of` that these plans extend.
  /// Returns false after errors, which are reported.
  bool set(const ir::PlanEdit& edit, std::string_view of = {});
  /// Elaborates plans of the loaded file: the chosen one, or in file order each plan whose parameters all have
  /// defaults. Skips plans with errors, which are reported. The memory of an elaboration is freed after it, and so is
  /// the text of a choice without reports: ranges of the plan that point into it are invalid after `use` returns.
  void eachPlan(const std::optional<PlanChoice>& choice, const PlanUse& use);
  /// Elaborates the chosen plan. Its text stays valid until `giveBack`, which any thread may call.
  ChosenPlan choose(const PlanChoice& choice);
  /// Elaborates the chosen plan together with the candidates of its search. A choice with empty text means the file's
  /// only plan with a `search` block or, failing that, its only plan.
  SearchedPlan searched(const PlanChoice& choice, const ir::SearchWords& words);
  /// Elaborates a candidate of the last `searched` plan: sets the values of the first `digits.size()` choices of the
  /// space, and resizes the filled axis if `filled` is given. Returns null after errors, which are reported.
  std::unique_ptr<ir::Plan> candidate(std::span<const uint32_t> digits, std::optional<int64_t> filled = std::nullopt);
  /// The text of a candidate with all of its values, as a plan that extends the searched plan, not yet formatted by
  /// `planc fmt`. Returns nothing if a text in this place cannot express it.
  std::optional<std::string> written(std::span<const uint32_t> digits, std::optional<int64_t> filled,
                                     const PlanPlace& place);
  /// Releases the text of a choice for reuse. Nothing may point to it any more.
  void giveBack(FileId text);
  /// Elaborates the plans of `eachPlan` and returns them together. The text of a choice stays valid.
  std::vector<std::unique_ptr<ir::Plan>> plans(const std::optional<PlanChoice>& choice = std::nullopt);
  /// Elaborates comparisons of the loaded file: the chosen one, or all in file order. Leaves out plans with errors,
  /// which are reported.
  std::vector<PlanComparison> comparisons(const std::optional<PlanChoice>& choice = std::nullopt);
  /// The plans that need arguments, in the syntax of a choice: `pretrain(nodes = …)`.
  std::vector<std::string> openPlans();
  /// The record that a constant of the loaded file names; nothing after errors, or if it is no record of this kind.
  std::optional<ir::Device> device(std::string_view constant);
  std::optional<ir::Fabric> fabric(std::string_view constant);
  std::optional<ir::Stack> stack(std::string_view constant);
  std::optional<ir::Cluster> cluster(std::string_view constant);
  /// The optimizer that a constant of the loaded file names; nothing after errors, or if it is no optimizer.
  std::optional<ir::Optimizer> optimizer(std::string_view constant);
  /// The plan that a constant of the loaded file names, `let chosen = recipes.usual(m, c)`; nothing after errors, or if
  /// the constant is no plan.
  std::optional<ir::PlanReference> planReference(std::string_view constant);
  /// Every parameter of the plan that a constant names, with its value: an argument or an evaluated default. Empty
  /// after errors.
  std::vector<std::pair<std::string, std::string>> parameterValues(std::string_view constant);
  /// Number of values that the session keeps; for memory tests.
  size_t lastingValues() const;
  /// Bytes of library text read so far; for benchmarks.
  size_t libraryBytes() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace planc::frontend
