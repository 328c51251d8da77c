// The file that a command works on: its plans as the words of the command line choose and change them.
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

/// A loaded file. `load` must have succeeded before anything else is asked.
class InputFile {
public:
  /// `as`: where the text of `-` is taken to stand; empty: nowhere.
  InputFile(Console& console, std::string path, std::string as = "");
  /// The first file of the words, or the plan that options name in its place.
  InputFile(Console& console, const Arguments& arguments, std::string as = "");
  /// False if the file cannot be read; that was stated.
  bool load();
  /// As `load`, on any thread: `error` says why, the console nothing.
  bool load(std::string& error);
  /// The same with a text in the place of the file's.
  void take(std::string text) { file_.loadText(shownPath(), std::move(text)); }
  /// Takes what `--set` says, for all plans asked for from now on; returns the exit code after a mistake, else kClean.
  int set(const Arguments& arguments);
  /// As `set`, on any thread: false after errors, which are among the diagnostics of the file.
  bool set(const ir::PlanEdit& edit) { return file_.set(edit.facts); }
  /// As api::PlanFile has them.
  bool check(const api::CompilationUse& use = {});
  /// Takes the policies of files, for all plans asked for from now on. On any thread: false where one cannot be read
  /// or has none, and `error` says so.
  bool addPolicies(const std::vector<std::string>& paths, std::string& error);
  void eachTest(const api::TestWanted& wanted, const api::TestUse& use);
  void reportIdleAllowances() { file_.reportIdleAllowances(); }
  Plans plans(const std::vector<std::string>& choices);
  /// Checks, and hands over one after the other what `plans` has.
  void eachPlan(const std::vector<std::string>& choices, const api::CompilationUse& use);
  /// The search of a plan; null after errors.
  std::unique_ptr<api::Search> search(const std::string& choice, const ir::SearchWords& words);
  /// As api::knees has them.
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
  /// As they would be written, on any thread.
  RenderedDiagnostics rendered(const Plans& plans = {});
  /// What was set.
  const ir::PlanEdit& edit() const { return file_.edit(); }
  /// Of the file, so far.
  const DiagnosticEngine& diagnostics() { return file_.diagnostics(); }
  /// Of something of the file, which is called so.
  RenderedDiagnostics renderedOf(const DiagnosticEngine& found, const std::string& id) const {
    return console_.render(found, file_.sources(), id);
  }
  bool hasErrors() { return file_.diagnostics().hasErrors(); }
  /// As it stands in reports: for `-` `<stdin>`, or where it is taken to stand.
  std::string shownPath() const { return path_ != "-" ? path_ : as_.empty() ? "<stdin>" : as_; }
  /// It is a file or stdin, and not what options name in the place of a file.
  bool isFile() const { return !text_; }
  /// Plans that wait for arguments: `pretrain(nodes = …)`.
  std::vector<std::string> openPlans() { return file_.openPlans(); }
  const SourceManager& sources() const { return file_.sources(); }
  size_t libraryBytes() const { return file_.libraryBytes(); }

private:
  Console& console_;
  std::string path_, as_;
  std::optional<std::string> text_; ///< of the file, if it stands on no disk
  api::PlanFile file_;
};

/// `--set`, of every command that prices.
inline const Option kSetOption{"--set",
                               "PATH=VALUE",
                               {},
                               "another value for a fact, as train.micro_batch=2 or cluster.node.bandwidth=900GB/s",
                               kLines};

/// What `--set` says; nothing after a usage error.
std::optional<ir::PlanEdit> editOf(Console& console, const Arguments& arguments);

/// What is said of a file that holds no plan to work on.
struct NoPlans {
  std::string problem, help;
};
NoPlans noPlansIn(InputFile& file);
/// Says so; returns the exit code.
int noPlans(Console& console, InputFile& file);

} // namespace planc::driver
