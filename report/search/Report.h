// The answer of a search as a document.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "report/estimate/Compare.h"
#include "search/Answer.h"

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace planc::search {

/// One of the best, priced as a plan by itself.
struct Ranked {
  Outcome outcome;
  const ir::Plan* plan = nullptr;
  const cost::Estimate* estimate = nullptr;
  std::vector<std::string> missed = {}; ///< assertions of the plan that do not hold, as they are written
};

/// All that a report of a search needs.
struct SearchReport {
  std::string plan; ///< as it was asked for
  const ir::Space* space = nullptr;
  const ir::SearchTerms* terms = nullptr; ///< of the plan as written
  const Answer* answer = nullptr;
  /// Ranks of the axis that the space fills, in a candidate; nothing where a law forbids it.
  std::function<std::optional<int64_t>(ir::CandidateId)> filled = {};
  std::vector<Ranked> best;                      ///< in the order of the answer
  std::vector<Ranked> front;                     ///< with several goals
  const report::ComparisonReport* why = nullptr; ///< the best and the next best beside each other; null: one answer
  double decided = 1;                            ///< share of the candidates
  /// Share of the candidates that this search had to decide: less than 1 for one of several shards (`shard`: `1/4`).
  double own = 1;
  std::string shard = {};
  std::vector<std::pair<std::string, std::string>> set = {};     ///< facts that the command line says, by path
  std::vector<std::pair<std::string, std::string>> assumed = {}; ///< values that a plan by words takes, by parameter
  /// Least value of the first goal that undecided candidates can have; nullopt if it is unknown.
  std::optional<double> least = {};
  bool exhaustive = true; ///< every candidate was priced: else only the best are known of

  /// The first goal.
  bool maximizes() const { return terms && !terms->goals.empty() && terms->goals[0].maximize; }
  bool stopped() const { return decided < own; }
  /// Candidates of the front that are not shown.
  size_t leftOut() const { return front.empty() ? 0 : answer->front().size() - front.size(); }
  /// The rows of the table: the front if there are several goals, else the best.
  const std::vector<Ranked>& table() const { return front.empty() ? best : front; }
};

/// The choices of a candidate by path, as text: with them as `--set` the plan is the candidate. `filled`: ranks of the
/// axis that the space fills, which are left out if a law forbids the candidate.
nlohmann::ordered_json choicesJson(const ir::Space& space, ir::CandidateId id, std::optional<int64_t> filled);

/// Its data has one member, `search`.
report::Document searchDocument(const SearchReport& report);

/// SVG: the front, or step time against memory of the best, and what each of them chooses.
std::string searchPicture(const SearchReport& report);

/// `1,204,992 candidates`
std::string candidatesText(double count);
/// `1,204,992`
std::string grouped(double count);

} // namespace planc::search
