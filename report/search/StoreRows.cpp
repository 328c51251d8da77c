// Rows of a store as CSV.
// SPDX-License-Identifier: Apache-2.0
#include "report/search/StoreRows.h"

#include "report/tables/Csv.h"
#include "search/store/Database.h"

namespace planc::search {

std::string storedRowHead(const ir::Space& space, const std::vector<std::string>& goals) {
  std::vector<std::string> cells{"candidate", "fate"};
  cells.insert(cells.end(), goals.begin(), goals.end());
  cells.insert(cells.end(), {"step_time_s", "memory_peak_bytes"});
  for (const ir::Choice& choice : space.choices) cells.insert(cells.end(), choice.paths.begin(), choice.paths.end());
  return report::csvRow(cells);
}

std::string storedRow(const ir::Space& space, const std::vector<std::string>& goals, const Outcome& outcome) {
  std::vector<std::string> cells{std::to_string(outcome.id), fateWord(outcome.fate)};
  for (size_t g = 0; g < outcome.goals.size(); ++g)
    cells.push_back(report::csvNumber(goals[g].starts_with("maximize") ? -outcome.goals[g] : outcome.goals[g]));
  cells.push_back(report::csvNumber(outcome.stepTime));
  cells.push_back(report::csvNumber(outcome.peak));
  const std::vector<uint32_t> digits = space.digits(outcome.id);
  for (size_t c = 0; c < digits.size(); ++c)
    for (const std::string& text : space.choices[c].values[digits[c]].texts) cells.push_back(text);
  return report::csvRow(cells);
}

} // namespace planc::search
