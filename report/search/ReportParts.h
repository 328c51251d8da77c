// Functions that the page and the data of a search share.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "report/search/Report.h"

#include <optional>

namespace planc::search {

nlohmann::ordered_json searchJson(const SearchReport& report);
/// A row per candidate of the best, or of the front if there are several goals.
report::Sheet searchSheet(const SearchReport& report);
/// Returns the goals as they are written: `minimize step_time`.
std::vector<std::string> goalNames(const SearchReport& report);
/// Returns the value of a goal in the estimate of a candidate; nullopt if it has no meaning.
std::optional<Quantity> goalValue(const SearchReport& report, size_t goal, const Ranked& candidate);
/// How much worse in the first goal, as a share of the best: 0.031 for 3.1 %. Rates and times alike.
double worse(const Outcome& candidate, const Outcome& best);
/// The text of the value that a candidate has at a choice, what is bound to it included: `4`, `tp with 2`; once, where
/// all that is bound has the same.
std::string valueText(const ir::Choice& choice, uint32_t value);
/// Its paths: `mesh.tp`, `decoder.seq, norm.seq`.
std::string choiceText(const ir::Choice& choice);

/// Is a candidate that misses one condition alone better than all answers? null: there is none.
bool binds(const SearchReport& report, const Outcome* without);

} // namespace planc::search
