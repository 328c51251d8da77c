// `planc search --illegal`: shows examples of candidates that laws forbid.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Searches.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace planc::driver {

/// A law that forbids candidates, with a few examples.
struct ForbiddingLaw {
  std::string code; ///< `PLAN0710`
  uint64_t count = 0;
  struct Example {
    ir::CandidateId id = 0;
    std::string text, message; ///< the choices, and the law's message
  };
  std::vector<Example> examples; ///< at most three
};

/// Returns the laws of an answer, sorted by code. After the first example of each, it tries a limited number of
/// candidates for more.
std::vector<ForbiddingLaw> forbiddingLaws(api::Search& search, const search::Answer& answer);
std::string lawsText(const std::vector<ForbiddingLaw>& laws);
nlohmann::ordered_json lawsJson(const std::vector<ForbiddingLaw>& laws);

} // namespace planc::driver
