// `planc search --count` and `--list`.
// SPDX-License-Identifier: Apache-2.0
#include "driver/search/SearchList.h"

#include "driver/files/JsonDocument.h"
#include "driver/words/Commands.h"
#include "report/search/Report.h"
#include "report/tables/JsonNumber.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace planc::driver {

namespace {

/// Returns whether JSON is requested; nothing, after a report, for formats that these forms do not have.
std::optional<bool> wantsJson(Console& console, const Arguments& arguments, std::string_view option) {
  const std::string format = *arguments.value("--format");
  if (format == "json" || format == "text") return format == "json";
  console.usageError(fmt::format("`{}` has no form `{}`", option, format), "remove it, or use `--format json`");
  return std::nullopt;
}

bool isCandidate(const ir::Space& space, const std::vector<uint32_t>& digits) {
  for (size_t i = 0; i < digits.size(); ++i)
    if (!space.has(digits, i)) return false;
  return true;
}

} // namespace

int printCount(Console& console, const Arguments& arguments, api::Search& search) {
  constexpr double kMostLowered = 100'000;
  const auto json = wantsJson(console, arguments, "--count");
  if (!json) return kUsage;
  const ir::Space& space = search.space();
  std::optional<uint64_t> legal;
  if (space.end() && space.size() <= kMostLowered) {
    legal = 0;
    for (ir::CandidateId id = 0; id < *space.end(); ++id) *legal += search.candidates().isLawful(id);
  }
  if (*json) {
    nlohmann::ordered_json count = {{"candidates", report::jsonNumber(space.size())}};
    count["legal"] = legal ? nlohmann::ordered_json(*legal) : nlohmann::ordered_json(nullptr);
    printJson(console, kSearchFormat, {{"count", std::move(count)}});
  } else {
    console.out(search::candidatesText(space.size()) +
                (legal ? fmt::format(", {} legal\n", search::grouped(static_cast<double>(*legal))) : "\n"));
  }
  return kClean;
}

int printCandidates(Console& console, const Arguments& arguments, api::Search& search) {
  const auto json = wantsJson(console, arguments, "--list");
  if (!json) return kUsage;
  const ir::Space& space = search.space();
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (ir::CandidateId id = 0; id < *space.end(); ++id) {
    if (!isCandidate(space, space.digits(id))) continue;
    if (*json)
      all.push_back({{"candidate", id}, {"choices", search::choicesJson(space, id, search.filled(id))}});
    else
      console.out(fmt::format("{}: {}\n", id, search.choicesText(id)));
  }
  if (*json) printJson(console, kSearchFormat, {{"candidates", std::move(all)}});
  return kClean;
}

} // namespace planc::driver
