// A search of a plan of a file: its space, the walk over it by threads that each have the file, its answer.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/PlanFile.h"
#include "search/Walk.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace planc::api {

/// Lives no longer than its file.
class Search {
public:
  /// The search of the plan that is chosen; without a choice that of the only plan with a `search` block, or of the
  /// only plan. Null after errors, which the file reports.
  static std::unique_ptr<Search> of(PlanFile& file, const std::string& choice, const ir::SearchWords& words);

  const Compilation& plan() const { return *plan_; }
  const ir::Space& space() const { return *space_; }
  const ir::SearchTerms& terms() const;
  /// Whether conditions and goals name what there is, in units that agree, and there is what gives prices; else the
  /// diagnostics of the plan say what is wrong.
  bool check() {
    const bool typed = plan_->checkVerdict();
    return plan_->checkParts() && typed;
  }
  /// Whether the metrics of each goal and condition have a value for some candidate, as far as an answer is about them;
  /// else the diagnostics of the plan say which has none.
  bool checkValues(const search::Answer& answer);
  /// Without a goal the least step time is the best: a warning where the best candidates of some values do another work
  /// in a step.
  void warnOfWork(const search::Answer& answer, DiagnosticEngine& diagnostics);

  /// Decides every candidate. `threads`: at least 1. `bounds`: those that are certainly none of the best are not
  /// priced, so that only the best are known of.
  search::Answer run(unsigned threads, bool bounds, search::Progress* progress = nullptr,
                     const search::WalkPart& part = {});
  /// The candidates one by one, for one thread; they live as long as the search.
  search::Candidates& candidates();
  /// A candidate as a plan by itself, elaborated from text; null if a law forbids it (the file reports it).
  std::unique_ptr<Compilation> candidate(ir::CandidateId id);
  /// Ranks of the axis that the space fills; nothing where it fills none, or a law forbids the candidate.
  std::optional<int64_t> filled(ir::CandidateId id);
  /// The choices of a candidate in one line, `mesh.tp = 4, mesh.dp = 8`, with the ranks of the axis that is filled.
  std::string choicesText(ir::CandidateId id);
  /// The parameters that a candidate, written at `path` in the place of the plan that is searched, leaves at their
  /// defaults, with their values. Empty if it cannot be written there.
  std::vector<std::pair<std::string, std::string>> assumed(ir::CandidateId id, const std::string& path);
  /// A candidate as the text of a file at `path`, which need not exist, that declares a plan `name` with `sentence`
  /// above it: formatted, without mistakes, and priced as the candidate is. Nothing where no text says it: `why`. With
  /// `assumed` it stands in the place of the plan that is searched if it can, and `assumed` has what PlanPlace says;
  /// else that is empty.
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
  std::unique_ptr<search::Candidates> candidates_; ///< made when one is first asked for
};

} // namespace planc::api
