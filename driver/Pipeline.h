// The one wiring of the rooms that every command uses: file -> plans -> program -> schedule -> estimate -> verdict.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/report/Fixes.h"
#include "backends/report/Report.h"
#include "backends/verdict/Verdict.h"
#include "driver/Command.h"
#include "frontend/Frontend.h"
#include "passes/Passes.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace planc::driver {

/// One plan on its way down, with the diagnostics found there. Levels that were not reached are null.
struct CompiledPlan {
  std::unique_ptr<ir::Plan> plan;
  std::unique_ptr<ir::Program> program;
  std::unique_ptr<ir::Schedule> schedule;
  std::unique_ptr<cost::Estimate> estimate;
  verdict::Results results;
  std::vector<report::Fix> fixes;                 ///< what would make it fit, if that was asked for
  std::vector<report::RecomputeEffect> recompute; ///< what its recomputation does, if that was asked for
  DiagnosticEngine diagnostics;
  std::string named; ///< as a plan that extends it names it: with its arguments, if it was chosen with some
  std::string label; ///< of the line of a comparison that it is
  SourceRange range; ///< where it is named: that of the label or of the plan

  /// Each goes one step further and says whether it arrived.
  bool lower(ir::Level level, const passes::PassObserver& observer = {});
  bool makeSchedule(const passes::PassObserver& observer = {});
  /// Types of assertions and measured lines.
  bool checkVerdict();
  bool price();

private:
  void settleStages();
};

/// A `compare` declaration: its plans, with their labels.
struct DeclaredComparison {
  std::string name;
  std::vector<std::unique_ptr<CompiledPlan>> plans;
  std::vector<std::string> failed; ///< labels of what has errors, or no price where it was asked for
};

/// A loaded file. `load` must have succeeded before anything else is asked.
class InputFile {
public:
  InputFile(Console& console, std::string path);
  /// False if the file cannot be read; that was stated.
  bool load();
  /// Takes what `--set` says, for all plans asked for from now on; returns the exit code after a mistake, else kClean.
  int set(const Arguments& arguments);
  /// What was set.
  const ir::PlanEdit& edit() const { return edit_; }
  /// Resolves and checks every declaration; false after errors.
  bool check();
  /// The chosen plans in the order of the choices; without any, every one whose parameters have defaults.
  std::vector<std::unique_ptr<CompiledPlan>> plans(const std::vector<std::string>& choices);
  /// The comparisons that the file declares; with `choice` the one that is called so.
  std::vector<DeclaredComparison> comparisons(const std::optional<std::string>& choice = std::nullopt);
  /// Writes the diagnostics of the file and of these plans.
  void report(const std::vector<std::unique_ptr<CompiledPlan>>& plans);
  bool hasErrors() { return session_.diagnostics().hasErrors(); }
  const std::string& path() const { return path_; }
  /// As it stands in reports: `<stdin>` for `-`.
  std::string shownPath() const { return path_ == "-" ? "<stdin>" : path_; }
  /// Plans that wait for arguments: `pretrain(nodes = …)`.
  std::vector<std::string> openPlans() { return session_.openPlans(); }
  const SourceManager& sources() { return session_.sources(); }
  size_t libraryBytes() const { return session_.libraryBytes(); }

private:
  Console& console_;
  std::string path_;
  ir::PlanEdit edit_;
  frontend::Session session_;
};

/// `--set`, of every command that prices.
inline const Option kSetOption{"--set",
                               "PATH=VALUE",
                               {},
                               "another value for a fact, as train.micro_batch=2 or cluster.node.bandwidth=900GB/s",
                               true};

/// Says that a file holds no plan to work on; returns the exit code.
int noPlans(Console& console, InputFile& file);
/// The stacks of the embedded library: `megatron.megatron_2022`.
std::vector<std::string> knownStacks();
/// Forms of the root object of a JSON result: of plans, and of calibrations.
inline constexpr std::string_view kPlansFormat = "2.0", kCalibrationFormat = "1.0";
/// The root object of every JSON result: the version of its form and of planc, what was found, diagnostics.
std::string jsonDocument(const Console& console, std::string_view format, nlohmann::ordered_json found);

} // namespace planc::driver
