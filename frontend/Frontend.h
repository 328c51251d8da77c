// What the driver asks of the frontend: load a file with its imports, check it, and elaborate its plans into the IR.
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

/// A chosen plan with bindings of its parameters: `NAME` or `NAME(nodes = 8)`.
struct PlanChoice {
  std::string text;
};

/// A plan that was chosen, null after errors, and the text that stands for the choice: ranges of the plan point there.
/// Invalid where reports do, too.
struct ChosenPlan {
  std::unique_ptr<ir::Plan> plan;
  FileId text;
};

/// One combination of the values of a `test` declaration.
struct TestedPlan {
  std::string name;  ///< `sizes(nodes = 4)`
  SourceRange range; ///< of the test's name
  /// What its plan is to fail with, and where that is said; null: it is to be judged.
  const DiagnosticKind* fails = nullptr;
  SourceRange failsRange;
  std::unique_ptr<ir::Plan> plan; ///< null after errors
  DiagnosticEngine found;         ///< what its elaboration reported, and nothing that was told before
};
using TestUse = std::function<void(TestedPlan)>;
/// Whether a test of this name is asked for.
using TestWanted = std::function<bool(std::string_view name)>;

/// Takes a plan; what it keeps of it is its own affair.
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
  std::vector<std::string> failed; ///< labels of what has errors
};

/// A plan with the space of its search; `space` is null after errors, and `text` as that of a ChosenPlan.
struct SearchedPlan {
  std::unique_ptr<ir::Plan> plan;
  FileId text;
  std::shared_ptr<const ir::Space> space;
};

/// Where a plan that is written down is to stand (docs/search.md).
struct PlanPlace {
  std::string path;           ///< of its file, which need not exist: imports are found from there
  bool copied = false;        ///< the file of the plan is copied as far as it is needed; else it is imported
  std::string name;           ///< of the plan
  std::string sentence;       ///< the comment above it
  std::string* why = nullptr; ///< told why a text in this place cannot say it, where that is known
  /// If not null the plan stands in the place of the one that is searched, in a copy of its file: told which parameters
  /// of the plan that both extend have their defaults still.
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

  /// Reads and parses a file (`-` is stdin) and what it imports. False if the file cannot be read (an I/O error,
  /// reported in `ioError`).
  bool load(const std::string& path, std::string& ioError);
  /// Parses `text` as if it stood in a file at `path`, which need not exist; imports are found from there.
  void loadText(const std::string& path, std::string text);
  /// Resolves and type-checks every declaration of the loaded file, exported or not; errors go to `diagnostics`. To do
  /// so every plan is elaborated: with `use` those that `eachPlan` would name are handed over, each as soon as it is
  /// made, so that they are elaborated once; if facts were set, behind the check.
  /// `tests` takes the first plan of each test that is to be judged, so that its lines can be checked.
  void check(const PlanUse& use = {}, const PlanUse& tests = {});
  /// Reads a file of policies, which hold for all plans that are elaborated from now on. False if it cannot be read
  /// (`ioError` is set), or holds none.
  bool addPolicies(const std::string& path, std::string& ioError);
  /// Elaborates the plans of the tests of the loaded file, each with every combination of values. A test with mistakes
  /// of its own, which `check` reports, has none.
  void eachTest(const TestWanted& wanted, const TestUse& use);
  /// Warns of what the file and its plans allow, and nothing was warned of. To be asked when all plans came as far as
  /// they do.
  void reportIdleAllowances();
  /// Sets facts of the plans that `plans` elaborates from now on; with `of`, of the plan of that name that they extend.
  /// False after errors, which are reported.
  bool set(const ir::PlanEdit& edit, std::string_view of = {});
  /// Elaborates plans of the loaded file: the chosen one, or each whose parameters all have defaults, in file order.
  /// Plans with errors are left out (the errors are reported). The memory of an elaboration is given back with it, and
  /// so is the text of a choice without reports: ranges of the plan that point there are void once `use` has returned.
  void eachPlan(const std::optional<PlanChoice>& choice, const PlanUse& use);
  /// The chosen plan. Its text stays until `giveBack`, which any thread may call.
  ChosenPlan choose(const PlanChoice& choice);
  /// The chosen plan as it stands, with the candidates that its search has. A choice without text is the only plan of
  /// the file with a `search` block or, failing that, the only plan.
  SearchedPlan searched(const PlanChoice& choice, const ir::SearchWords& words);
  /// A candidate of the last `searched`: its plan with these values set, of the first `digits.size()` choices of the
  /// space, and the filled axis resized if `filled` is given. Null after errors, which are reported.
  std::unique_ptr<ir::Plan> candidate(std::span<const uint32_t> digits, std::optional<int64_t> filled = std::nullopt);
  /// A candidate with all of its values as the text of a plan that extends the one that is searched, not yet in the
  /// layout of `planc fmt`. Nothing where a text in this place cannot say it.
  std::optional<std::string> written(std::span<const uint32_t> digits, std::optional<int64_t> filled,
                                     const PlanPlace& place);
  /// The text of a choice to which nothing points any more.
  void giveBack(FileId text);
  /// The same plans all at once. The text of a choice stays.
  std::vector<std::unique_ptr<ir::Plan>> plans(const std::optional<PlanChoice>& choice = std::nullopt);
  /// Elaborates the comparisons of the loaded file: the one that is called so, or all in file order. Plans with errors
  /// are left out of them (the errors are reported).
  std::vector<PlanComparison> comparisons(const std::optional<PlanChoice>& choice = std::nullopt);
  /// Plans that wait for arguments, as they are chosen: `pretrain(nodes = …)`.
  std::vector<std::string> openPlans();
  /// The record that a constant of the loaded file names; nothing after errors, or where it names none of that kind.
  std::optional<ir::Device> device(std::string_view constant);
  std::optional<ir::Fabric> fabric(std::string_view constant);
  std::optional<ir::Stack> stack(std::string_view constant);
  std::optional<ir::Cluster> cluster(std::string_view constant);
  /// The optimizer that a constant of the loaded file is; nothing after errors, or where it is none.
  std::optional<ir::Optimizer> optimizer(std::string_view constant);
  /// The plan that a constant of the loaded file names, `let chosen = recipes.usual(m, c)`; nothing after errors, or
  /// if the constant is no plan.
  std::optional<ir::PlanReference> planReference(std::string_view constant);
  /// Every parameter of the plan that a constant names, with its value: an argument or an evaluated default. Empty
  /// after errors.
  std::vector<std::pair<std::string, std::string>> parameterValues(std::string_view constant);
  /// Values that the session keeps; for the tests of memory.
  size_t lastingValues() const;
  /// Bytes of library text read so far; for the benchmark.
  size_t libraryBytes() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace planc::frontend
