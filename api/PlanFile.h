// A file of plans, loaded with its imports; the source of compilations.
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

/// The plans of a `compare` declaration, with their labels.
struct Comparison {
  std::string name;
  std::vector<std::unique_ptr<Compilation>> plans;
  std::vector<std::string> failed; ///< labels of plans that have errors
};

/// A plan and the candidates of its search. Both are null after errors, which are reported.
struct Searched {
  std::unique_ptr<Compilation> plan;
  std::shared_ptr<const ir::Space> space;
};

/// Receives a plan and may keep it.
using CompilationUse = std::function<void(std::unique_ptr<Compilation>)>;

/// A loaded file. Compilations made from it keep what they need alive, so it may be destroyed before them.
class PlanFile {
public:
  PlanFile();
  /// Reads the file and its imports from `files` instead of the disk.
  explicit PlanFile(std::shared_ptr<const FileTree> files);
  ~PlanFile();
  PlanFile(PlanFile&&) noexcept;

  /// Reads a file (`-` is stdin) and its imports. Returns false and sets `error` if it cannot be read.
  bool load(const std::string& path, std::string& error);
  /// Loads `text` as if it were the file at `path`, which need not exist.
  void loadText(const std::string& path, std::string text);
  /// Resolves and checks every declaration; returns false after errors. If `use` is given, it receives every plan whose
  /// parameters all have defaults as soon as the plan is elaborated. Each plan is elaborated once.
  bool check(const CompilationUse& use = {});
  /// Hands over the plans whose parameters all have defaults, then the plans of the file's comparisons.
  void eachPlan(const CompilationUse& use);
  /// Reads a file of policies, which apply to all plans requested from now on. Returns false and sets `error` if it
  /// cannot be read or holds no policy.
  bool addPolicies(const std::string& path, std::string& error);
  /// Hands over the tests whose names `wanted` accepts, one after the other. Tests that have errors themselves are left
  /// out; `check` reports them.
  void eachTest(const TestWanted& wanted, const TestUse& use);
  /// Warns of allowances without effect in the file and its plans, if the plans were compiled far enough to tell.
  void reportIdleAllowances();
  /// Overrides facts of all plans requested from now on. Returns false if a path or value cannot be read, which is
  /// reported. If a plan has no such fact, that is reported when the plan is requested, and the plan is not returned.
  bool set(const std::vector<ir::FactEdit>& facts);
  /// The facts that were overridden.
  const ir::PlanEdit& edit() const { return edit_; }

  /// Returns the plan with this name and, if it takes any, these arguments: `pretrain(nodes = 8)`. Null after errors,
  /// which are reported.
  std::unique_ptr<Compilation> bind(const std::string& choice);
  /// Returns the chosen plans in the order of `choices`. Without choices, returns every plan whose parameters all have
  /// defaults. Plans with errors are left out.
  std::vector<std::unique_ptr<Compilation>> plans(const std::vector<std::string>& choices = {});
  /// Returns the comparisons that the file declares, or only the one named `choice`.
  std::vector<Comparison> comparisons(const std::optional<std::string>& choice = std::nullopt);
  /// Returns the chosen plan and the candidates of its search. An empty `choice` means the only plan with a `search`
  /// block or, if there is none, the only plan.
  Searched searched(const std::string& choice, const ir::SearchWords& words = {});
  /// Returns a candidate of the last `searched`: a plan whose first `digits.size()` choices have the values in
  /// `digits`. If `filled` is given, it is the number of ranks on the filled axis. Null after errors, which are
  /// reported.
  std::unique_ptr<ir::Plan> candidate(std::span<const uint32_t> digits, std::optional<int64_t> filled = std::nullopt);
  /// Returns a candidate with all of its values as the text of a plan (frontend::Session::written).
  std::optional<std::string> written(std::span<const uint32_t> digits, std::optional<int64_t> filled,
                                     const frontend::PlanPlace& place);
  /// Returns the cluster that a constant of the file names; nullopt after errors, which are reported.
  std::optional<ir::Cluster> cluster(std::string_view constant);
  /// Returns the plan that a constant of the file names; nullopt after errors, which are reported.
  std::optional<ir::PlanReference> planReference(std::string_view constant);
  /// Returns every parameter of the plan that a constant names, with its value (frontend::Session::parameterValues).
  std::vector<std::pair<std::string, std::string>> parameterValues(std::string_view constant);
  /// Returns the plans that need arguments: `pretrain(nodes = …)`.
  std::vector<std::string> openPlans();

  DiagnosticEngine& diagnostics();
  const SourceManager& sources() const;
  /// Bytes of library text read so far.
  size_t libraryBytes() const;

private:
  std::shared_ptr<const SourceManager> heldSources(FileId choice = {}) const;
  std::shared_ptr<frontend::Session> session_;
  ir::PlanEdit edit_;
};

} // namespace planc::api
