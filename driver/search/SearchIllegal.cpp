// `planc search --illegal`: shows examples of candidates that laws forbid.
// SPDX-License-Identifier: Apache-2.0
#include "driver/search/SearchIllegal.h"

#include "report/search/Report.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace planc::driver {

namespace {

constexpr size_t kExamples = 3;
constexpr ir::CandidateId kTried = 10'000;

/// Returns the first error of a candidate that a law forbids.
std::string lawOf(api::Search& search, ir::CandidateId id) {
  const auto first = [](const DiagnosticEngine& found) {
    const Diagnostic* const error = found.firstError();
    return error ? error->message : "a goal has no value";
  };
  DiagnosticEngine found;
  if (!search.candidates().plan(id, found)) return first(found);
  const std::unique_ptr<api::Compilation> plan = search.candidate(id);
  if (!plan) return first(found);
  plan->priceAlone();
  return first(plan->diagnostics());
}

} // namespace

std::vector<ForbiddingLaw> forbiddingLaws(api::Search& search, const search::Answer& answer) {
  std::vector<ForbiddingLaw> laws;
  for (const auto& law : answer.unlawful()) {
    ForbiddingLaw& made = laws.emplace_back();
    made.code = fmt::format("PLAN{:04}", law.first);
    made.count = law.second.count;
    const size_t wanted = static_cast<size_t>(std::min<uint64_t>(kExamples, made.count));
    const ir::CandidateId end = std::min(*search.space().end(), law.second.first + kTried);
    for (ir::CandidateId id = law.second.first; id < end && made.examples.size() < wanted; ++id) {
      const search::Outcome outcome = search.candidates().price(id);
      if (outcome.fate == search::Fate::Unlawful && outcome.code == law.first)
        made.examples.push_back({id, search.choicesText(id), lawOf(search, id)});
    }
  }
  return laws;
}

std::string lawsText(const std::vector<ForbiddingLaw>& laws) {
  if (laws.empty()) return "no law forbids a candidate\n";
  std::string text = "candidates that laws forbid\n";
  for (const ForbiddingLaw& law : laws) {
    text += fmt::format("  {}: {} candidate{}, as\n", law.code, search::grouped(static_cast<double>(law.count)),
                        law.count == 1 ? "" : "s");
    for (const ForbiddingLaw::Example& example : law.examples)
      text += fmt::format("    {}: {}\n      {}\n", example.id, example.text, example.message);
  }
  return text;
}

nlohmann::ordered_json lawsJson(const std::vector<ForbiddingLaw>& laws) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const ForbiddingLaw& law : laws) {
    nlohmann::ordered_json examples = nlohmann::ordered_json::array();
    for (const ForbiddingLaw::Example& example : law.examples)
      examples.push_back({{"candidate", example.id}, {"choices", example.text}, {"message", example.message}});
    out.push_back({{"code", law.code}, {"count", law.count}, {"examples", std::move(examples)}});
  }
  return out;
}

} // namespace planc::driver
