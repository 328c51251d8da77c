// The search of a plan of a file: its space, the walk over it with one copy of the file per thread, and its answer.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/PlanFile.h"
#include "search/Walk.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace planc::api {

/// A search of one plan. It must not outlive its file.
class Search {
public:
  /// Returns the search of the chosen plan. An empty `choice` means the only plan with a `search` block or, if there is
  /// none, the only plan. Null after errors, which the file reports.
  static std::unique_ptr<Search> of(PlanFile& file, const std::string& choice, const ir::SearchWords& words);

  const Compilation& plan() const { return *plan_; }
  const ir::Space& space() const { return *space_; }
  const ir::SearchTerms& terms() const;
  /// Checks that conditions and goals name existing metrics in matching units, and that the plan can be priced. Returns
  /// false after errors, which are in the plan's diagnostics.
  bool check() {
    const bool typed = plan_->checkVerdict();
    return plan_->checkParts() && typed;
  }
  /// Checks, from the counts of the answer and a few examples, that the metrics of each goal and condition have a value
  /// for some candidate. Reports a metric without a value in the plan's diagnostics and returns false.
  bool checkValues(const search::Answer& answer);
  /// Warns if the best candidates of some values process different amounts of work per step, and the plan has no goal.
  /// Without a goal the shortest step time wins.
  void warnOfWork(const search::Answer& answer, DiagnosticEngine& diagnostics);

  /// Decides every candidate with `threads` threads (at least 1). If `bounds` is true, candidates that cannot be among
  /// the best are not priced, so the answer is complete for the best candidates only.
  search::Answer run(unsigned threads, bool bounds, search::Progress* progress = nullptr,
                     const search::WalkPart& part = {});
  /// Prices candidates one by one, on one thread. The object lives as long as the search.
  search::Candidates& candidates();
  /// Returns a candidate as a plan of its own, elaborated from text. Null if a law rejects it, which the file reports.
  std::unique_ptr<Compilation> candidate(ir::CandidateId id);
  /// Returns the ranks of the filled axis. Returns nullopt if the space fills no axis or a law rejects the candidate.
  std::optional<int64_t> filled(ir::CandidateId id);
  /// Returns the choices of a candidate in one line, `mesh.tp = 4, mesh.dp = 8`, with the ranks of the filled axis.
  std::string choicesText(ir::CandidateId id);
  /// Returns the parameters that would keep their defaults, with their values, if the candidate were written at `path`
  /// in place of the searched plan. Returns an empty list if the candidate cannot be written there.
  std::vector<std::pair<std::string, std::string>> assumed(ir::CandidateId id, const std::string& path);
  /// Returns a candidate as the text of a plan file that declares the plan `name` with `sentence` as its comment.
  /// `path` is where the text will stand; it need not exist. The text is formatted, has no errors and was priced: step
  /// time and peak memory equal those of the candidate. Returns nullopt and sets `why` if no text expresses the
  /// candidate. If `assumed` is given, the text replaces the searched plan in a copy of its file where possible, and
  /// `assumed` receives the parameters that keep their defaults (frontend::PlanPlace); otherwise `assumed` is empty.
  std::optional<std::string> written(ir::CandidateId id, const std::string& path, const std::string& name,
                                     const std::string& sentence, std::string& why,
                                     std::vector<std::pair<std::string, std::string>>* assumed = nullptr);

private:
  Search(PlanFile& file, std::string choice, ir::SearchWords words)
      : file_(file), choice_(std::move(choice)), words_(std::move(words)) {}
  std::unique_ptr<search::PlanSource> source() const;

  PlanFile& file_;
  std::string choice_;
  ir::SearchWords words_;
  std::unique_ptr<Compilation> plan_;
  std::shared_ptr<const ir::Space> space_;
  std::unique_ptr<search::Candidates> candidates_; ///< created on first use
};

} // namespace planc::api
