// `planc search --illegal`: examples of what laws forbid, with what is said of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Searches.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace planc::driver {

/// A law that forbids candidates, with a few of them.
struct ForbiddingLaw {
  std::string code; ///< `PLAN0710`
  uint64_t count = 0;
  struct Example {
    ir::CandidateId id = 0;
    std::string text, message; ///< what was chosen, and the law's report of it
  };
  std::vector<Example> examples; ///< at most three
};

/// The laws of an answer, by code. Behind the first example of each so many numbers are tried for more, no more.
std::vector<ForbiddingLaw> forbiddingLaws(api::Search& search, const search::Answer& answer);
std::string lawsText(const std::vector<ForbiddingLaw>& laws);
nlohmann::ordered_json lawsJson(const std::vector<ForbiddingLaw>& laws);

} // namespace planc::driver
