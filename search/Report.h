// What a search found, as text, JSON and CSV.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/report/Compare.h"
#include "search/Answer.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace planc::search {

/// One of the best, priced as a plan by itself.
struct Ranked {
  Outcome outcome;
  const ir::Plan* plan = nullptr;
  const cost::Estimate* estimate = nullptr;
};

/// All that a report of a search needs.
struct SearchReport {
  std::string plan; ///< as it was asked for
  const ir::Space* space = nullptr;
  const ir::SearchTerms* terms = nullptr; ///< of the plan as written
  const Answer* answer = nullptr;
  std::vector<Ranked> best;                      ///< in the order of the answer
  std::vector<Ranked> front;                     ///< with several goals
  const report::ComparisonReport* why = nullptr; ///< the best and the next best beside each other; null: one answer
  double decided = 1;                            ///< share of the candidates: less if the walk was stopped
  bool exhaustive = true;                        ///< every candidate was priced: else only the best are known of
};

std::string searchText(const SearchReport& report, const report::TextOptions& options);
nlohmann::ordered_json searchJson(const SearchReport& report);
/// A line per candidate of the best, or of the front where there are several goals.
std::string searchCsv(const SearchReport& report);
/// The same as a table of Markdown.
std::string searchMarkdown(const SearchReport& report);

/// `1,204,992`
std::string grouped(double count);

} // namespace planc::search
