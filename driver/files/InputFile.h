// The file that a command works on, with the plans that the command line selects and changes.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Largest.h"
#include "api/Sweeps.h"
#include "driver/words/Command.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace planc::driver {

using Plans = std::vector<std::unique_ptr<api::Compilation>>;

/// A plan file. Call `load` or `take` successfully before any other function.
class InputFile {
public:
  /// `as`: the path that stdin (`-`) stands for; empty: none.
  InputFile(Console& console, std::string path, std::string as = "");
  /// Uses the first file of the command line, or the plan that options name in its place.
  InputFile(Console& console, const Arguments& arguments, std::string as = "");
  /// Returns false if the file cannot be read, which is reported.
  bool load();
  /// As above, on any thread. Sets `error` and writes nothing to the console.
  bool load(std::string& error);
  /// Loads `text` as the content of the file.
  void take(std::string text) { file_.loadText(shownPath(), std::move(text)); }
  /// Applies `--set` to all plans requested from now on. Returns the exit code after a mistake, else kClean.
  int set(const Arguments& arguments);
  /// As above, on any thread. Returns false after errors, which are among the diagnostics of the file.
  bool set(const ir::PlanEdit& edit) { return file_.set(edit.facts); }
  /// As in api::PlanFile.
  bool check(const api::CompilationUse& use = {});
  /// Applies the policies of files to all plans requested from now on. May run on any thread. Returns false and sets
  /// `error` if a file cannot be read or has no policies.
  bool addPolicies(const std::vector<std::string>& paths, std::string& error);
  void eachTest(const api::TestWanted& wanted, const api::TestUse& use);
  void reportIdleAllowances() { file_.reportIdleAllowances(); }
  Plans plans(const std::vector<std::string>& choices);
  /// Checks the file, and hands over the plans of `plans(choices)` one after the other.
  void eachPlan(const std::vector<std::string>& choices, const api::CompilationUse& use);
  /// Returns the search of a plan; null after errors.
  std::unique_ptr<api::Search> search(const std::string& choice, const ir::SearchWords& words);
  /// Calls api::knees for this file.
  std::vector<search::NamedKnee> knees(const std::string& choice, const ir::SearchWords& words,
                                       const search::Sweep& sweep) {
    return api::knees(file_, choice, words, sweep);
  }
  std::unique_ptr<api::Scaling> scaling(const api::Search& search, const std::string& choice,
                                        const ir::SearchWords& words, const search::Sweep& along,
                                        const std::vector<const verdict::Metric*>& metrics) {
    return api::scaling(file_, search, choice, words, along, metrics);
  }
  api::FittingValue fittingValue(const std::string& choice, const ir::SearchWords& words, search::Extreme what,
                                 const std::string& path, api::PlanAtValue of, unsigned threads) {
    return api::fittingValue(file_, choice, words, what, path, of, threads);
  }
  std::vector<api::Comparison> comparisons(const std::optional<std::string>& choice = std::nullopt);
  /// Writes the diagnostics of the file and of these plans.
  void report(const Plans& plans);
  /// Returns these diagnostics as they would be written. May run on any thread.
  RenderedDiagnostics rendered(const Plans& plans = {});
  /// The facts that `--set` overrides.
  const ir::PlanEdit& edit() const { return file_.edit(); }
  /// Diagnostics of the file so far.
  const DiagnosticEngine& diagnostics() { return file_.diagnostics(); }
  /// Renders diagnostics about the part of the file with this id.
  RenderedDiagnostics renderedOf(const DiagnosticEngine& found, const std::string& id) const {
    return console_.render(found, file_.sources(), id);
  }
  bool hasErrors() { return file_.diagnostics().hasErrors(); }
  /// The path as reports show it. If the path is `-`, returns `<stdin>` or the path that stdin stands for.
  std::string shownPath() const { return path_ != "-" ? path_ : as_.empty() ? "<stdin>" : as_; }
  /// Returns whether it is a file or stdin, and not a plan that options name.
  bool isFile() const { return !text_; }
  /// Returns the plans that need arguments: `pretrain(nodes = …)`.
  std::vector<std::string> openPlans() { return file_.openPlans(); }
  const SourceManager& sources() const { return file_.sources(); }
  size_t libraryBytes() const { return file_.libraryBytes(); }

private:
  Console& console_;
  std::string path_, as_;
  std::optional<std::string> text_; ///< content of the file, if the file is not on disk
  api::PlanFile file_;
};

/// `--set`, for every command that prices.
inline const Option kSetOption{"--set",
                               "PATH=VALUE",
                               {},
                               "another value for a fact, as train.micro_batch=2 or cluster.node.bandwidth=900GB/s",
                               kLines};

/// Parses `--set`; nullopt after a usage error.
std::optional<ir::PlanEdit> editOf(Console& console, const Arguments& arguments);

/// The message for a file without a plan to work on.
struct NoPlans {
  std::string problem, help;
};
NoPlans noPlansIn(InputFile& file);
/// Returns the one plan that a command works on: the only one, or the first with a remark about the others, which are
/// released. `doing`: what the command does, for the remark: `explaining`.
Plans onePlan(Console& console, InputFile& file, const std::vector<std::string>& choices, std::string_view doing);
/// Reports that the file has no plan to work on, and returns the exit code.
int noPlans(Console& console, InputFile& file);

} // namespace planc::driver
