// A file of plans, loaded with all that it imports: where compilations come from.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Compilation.h"
#include "api/Test.h"
#include "ir/plan/PlanEdit.h"
#include "ir/plan/Space.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace planc {
class FileTree;
}

namespace planc::frontend {
class Session;
struct PlanPlace;
} // namespace planc::frontend

namespace planc::api {

/// A `compare` declaration: its plans, with their labels.
struct Comparison {
  std::string name;
  std::vector<std::unique_ptr<Compilation>> plans;
  std::vector<std::string> failed; ///< labels of what has errors
};

/// A plan and the candidates of its search; both null after errors, which are reported.
struct Searched {
  std::unique_ptr<Compilation> plan;
  std::shared_ptr<const ir::Space> space;
};

/// Takes a plan; what it keeps of it is its own affair.
using CompilationUse = std::function<void(std::unique_ptr<Compilation>)>;

/// Compilations that come from it hold what they need of it; it may end before them.
class PlanFile {
public:
  PlanFile();
  /// Reads itself and its imports from these files in place of the disk.
  explicit PlanFile(std::shared_ptr<const FileTree> files);
  ~PlanFile();
  PlanFile(PlanFile&&) noexcept;

  /// Reads a file (`-` is stdin) and what it imports. False if it cannot be read: `error` says why.
  bool load(const std::string& path, std::string& error);
  /// Takes a text as if it stood in a file at `path`, which need not exist.
  void loadText(const std::string& path, std::string text);
  /// Resolves and checks every declaration; false after errors. With `use` every plan whose parameters have defaults is
  /// handed over as soon as it is elaborated, which is once.
  bool check(const CompilationUse& use = {});
  /// The same of these plans and of those of its comparisons, which come behind them.
  void eachPlan(const CompilationUse& use);
  /// Reads a file of policies, which hold for all plans that are asked for from now on. False if it cannot be read or
  /// holds none: `error` says why.
  bool addPolicies(const std::string& path, std::string& error);
  /// The tests of the file whose names are wanted, one after the other; none of those with mistakes of their own, which
  /// `check` reports.
  void eachTest(const TestWanted& wanted, const TestUse& use);
  /// Warns of what the file and its plans allow without effect, where the plans came far enough to tell.
  void reportIdleAllowances();
  /// Sets facts of the plans that are asked for from now on; false where a path or value cannot be read, which is
  /// reported. Whether a plan has such a fact is said where one is asked for: a file with a wrong one gives no plan any
  /// more.
  bool set(const std::vector<ir::FactEdit>& facts);
  /// What was set.
  const ir::PlanEdit& edit() const { return edit_; }

  /// The plan that is called so, with arguments if it takes any: `pretrain(nodes = 8)`. Null after errors, which are
  /// reported.
  std::unique_ptr<Compilation> bind(const std::string& choice);
  /// The chosen plans in the order of the choices; without any, every one whose parameters have defaults. Those with
  /// errors are left out.
  std::vector<std::unique_ptr<Compilation>> plans(const std::vector<std::string>& choices = {});
  /// The comparisons that the file declares; with `choice` the one that is called so.
  std::vector<Comparison> comparisons(const std::optional<std::string>& choice = std::nullopt);
  /// The chosen plan as it stands, with the candidates of its search. An empty choice is the only plan with a `search`
  /// block or, failing that, the only plan.
  Searched searched(const std::string& choice, const ir::SearchWords& words = {});
  /// A candidate of the last `searched`: its plan with these values of the first `digits.size()` choices, and the
  /// filled axis resized if `filled` is given. Null after errors, which are reported.
  std::unique_ptr<ir::Plan> candidate(std::span<const uint32_t> digits, std::optional<int64_t> filled = std::nullopt);
  /// A candidate with all of its values as the text of a plan (frontend::Session::written).
  std::optional<std::string> written(std::span<const uint32_t> digits, std::optional<int64_t> filled,
                                     const frontend::PlanPlace& place);
  /// The cluster that a constant of the file names; nothing after errors, which are reported.
  std::optional<ir::Cluster> cluster(std::string_view constant);
  /// The plan that a constant of the file names; nothing after errors, which are reported.
  std::optional<ir::PlanReference> planReference(std::string_view constant);
  /// Every parameter of the plan that a constant names, with its value (frontend::Session::parameterValues).
  std::vector<std::pair<std::string, std::string>> parameterValues(std::string_view constant);
  /// Plans that wait for arguments: `pretrain(nodes = …)`.
  std::vector<std::string> openPlans();

  DiagnosticEngine& diagnostics();
  const SourceManager& sources() const;
  /// Of library text read so far.
  size_t libraryBytes() const;

private:
  std::shared_ptr<const SourceManager> heldSources(FileId choice = {}) const;
  std::shared_ptr<frontend::Session> session_;
  ir::PlanEdit edit_;
};

} // namespace planc::api
