// `planc search`: the best of all candidates of a plan's space, and why it is.
// SPDX-License-Identifier: Apache-2.0
#include "api/Searches.h"
#include "driver/Commands.h"
#include "driver/InputFile.h"
#include "driver/JsonDocument.h"
#include "driver/SearchWatch.h"
#include "search/Report.h"

#include <algorithm>
#include <charconv>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <thread>

namespace planc::driver {
namespace {

/// A whole number of an option; nothing, after a report, if it is none, too small or too large.
std::optional<int64_t> countOf(Console& console, const Arguments& arguments, std::string_view option, int64_t least,
                               int64_t most, int64_t otherwise) {
  const std::optional<std::string> text = arguments.value(option);
  if (!text) return otherwise;
  int64_t count = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), count);
  if (error == std::errc() && end == text->data() + text->size() && count >= least && count <= most) return count;
  console.usageError(fmt::format("`{}` takes a whole number from {} to {}; this is `{}`", option, least, most, *text));
  return std::nullopt;
}

ir::SearchWords wordsOf(const Arguments& arguments) {
  ir::SearchWords words;
  words.vary = arguments.all("--vary");
  words.fill = arguments.all("--fill");
  words.where = arguments.all("--where");
  for (const std::string& goal : arguments.all("--minimize")) words.goals.push_back("minimize " + goal);
  for (const std::string& goal : arguments.all("--maximize")) words.goals.push_back("maximize " + goal);
  return words;
}

/// Plans of candidates, priced with all their rows.
class Priced {
public:
  Priced(InputFile& file, api::Search& search) : file_(file), search_(search) {}

  /// False if a candidate cannot be priced as a plan by itself, which is a bug.
  bool add(const std::vector<search::Outcome>& outcomes, std::vector<search::Ranked>& to) {
    for (const search::Outcome& outcome : outcomes) {
      std::unique_ptr<api::Compilation> plan = search_.candidate(outcome.id);
      if (!plan || !plan->priceAlone()) return false;
      to.push_back({outcome, &plan->plan(), plan->estimate()});
      plans_.push_back(std::move(plan));
    }
    return true;
  }

  /// The first two beside each other.
  std::optional<report::ComparisonReport> compare(const std::vector<search::Ranked>& best) {
    if (best.size() < 2) return std::nullopt;
    std::vector<diff::Side> sides;
    report::ComparisonReport made;
    for (size_t i = 0; i < 2; ++i) {
      sides.push_back({best[i].plan, best[i].estimate, 1, {}});
      report::PlanReport& one = made.plans.emplace_back();
      one.file = file_.shownPath();
      one.plan = best[i].plan;
      one.estimate = best[i].estimate;
      one.label = std::to_string(i + 1);
    }
    DiagnosticEngine found;
    auto comparison = diff::compare(sides, found);
    if (!comparison) return std::nullopt;
    made.comparison = std::move(*comparison);
    return made;
  }

private:
  InputFile& file_;
  api::Search& search_;
  std::vector<std::unique_ptr<api::Compilation>> plans_;
};

/// Whether the candidates can be walked over; else why not.
int checkSize(Console& console, const ir::Space& space, bool limited) {
  constexpr double kMost = 1e10; // days
  if (space.end() && (limited || space.size() <= kMost)) return kClean;
  return console.usageError(
      fmt::format("the space has {} candidates, more than can be decided", search::grouped(space.size())),
      space.end() ? "leave values out, bind choices that go together by `with`, or say how long to look: `--time 10min`"
                  : "leave values out, or bind choices that go together by `with`");
}

/// Seconds of `--time`; nothing where it is not given. `bad`: it is no time, which was stated.
std::optional<double> timeOf(Console& console, const Arguments& arguments, bool& bad) {
  const std::optional<std::string> text = arguments.value("--time");
  if (!text) return std::nullopt;
  std::string badUnit;
  const std::optional<Quantity> time = parseQuantity(*text, badUnit);
  bad = !time || time->unit != units::time || time->value <= 0;
  if (bad) console.usageError(fmt::format("`--time` takes a time, such as `60s`; this is `{}`", *text));
  return bad ? std::nullopt : std::optional(time->value);
}

int list(Console& console, const ir::Space& space) {
  for (ir::CandidateId id = 0; id < *space.end(); ++id) {
    const std::vector<uint32_t> digits = space.digits(id);
    bool candidate = true;
    for (size_t i = 0; i < digits.size(); ++i) candidate = candidate && space.has(digits, i);
    if (candidate) console.out(fmt::format("{}: {}\n", id, space.str(id)));
  }
  return kClean;
}

int print(Console& console, const Arguments& arguments, const search::SearchReport& report) {
  const std::string format = *arguments.value("--format");
  if (format == "json")
    printJson(console, kSearchFormat, {{"search", search::searchJson(report)}});
  else if (format == "csv")
    console.out(search::searchCsv(report));
  else if (format == "md")
    console.out(search::searchMarkdown(report));
  else
    console.out(search::searchText(report, {console.colorOut()}));
  return report.best.empty() ? kFailed : kClean;
}

/// Spaces of so many candidates are priced whole, so that the best of each value is known, too.
constexpr double kPricedWhole = 20'000;

int answer(Console& console, const Arguments& arguments, InputFile& file, api::Search& search, unsigned threads,
           std::optional<double> time) {
  const bool exhaustive = arguments.has("--exhaustive") || search.space().size() <= kPricedWhole;
  search::Progress progress;
  const uint64_t blocks = search::blocksOf(search.space());
  std::optional<search::Answer> walked;
  {
    const SearchWatch watch(progress, blocks, progressForm(*arguments.value("--progress")), time);
    walked = search.run(threads, !exhaustive, &progress);
  }
  const search::Answer& found = *walked;
  Priced priced(file, search);
  search::SearchReport report;
  report.plan = search.plan().asked().named;
  report.space = &search.space();
  report.terms = &search.terms();
  report.answer = &found;
  report.decided = static_cast<double>(progress.blocks) / static_cast<double>(blocks);
  report.exhaustive = exhaustive && progress.blocks == blocks;
  const bool several = search.terms().goals.size() > 1;
  if (!priced.add(found.best(), report.best) || (several && !priced.add(found.front(), report.front))) {
    file.report({});
    console.summarize();
    return kFailed;
  }
  const auto why = priced.compare(several ? report.front : report.best);
  report.why = why ? &*why : nullptr;
  return print(console, arguments, report);
}

int runSearch(Console& console, const Arguments& arguments) {
  InputFile file(console, arguments.positional[0]);
  if (!file.load()) return kUsage;
  if (const int code = file.set(arguments)) return code;
  ir::SearchWords words = wordsOf(arguments);
  const auto top = countOf(console, arguments, "--top", 1, 10'000, 0);
  const auto threads =
      countOf(console, arguments, "--threads", 1, 1024, std::max(1u, std::thread::hardware_concurrency()));
  if (!top || !threads) return kUsage;
  if (*top) words.top = *top;
  const std::unique_ptr<api::Search> search = file.search(arguments.value("--plan").value_or(""), words);
  file.report({});
  if (!search || console.hasErrors()) {
    console.summarize();
    return kFailed;
  }
  if (arguments.has("--count")) {
    console.out(search::grouped(search->space().size()) + " candidates\n");
    return kClean;
  }
  bool badTime = false;
  const std::optional<double> time = timeOf(console, arguments, badTime);
  if (badTime) return kUsage;
  if (const int code = checkSize(console, search->space(), time.has_value())) return code;
  if (arguments.has("--list")) return list(console, search->space());
  return answer(console, arguments, file, *search, static_cast<unsigned>(*threads), time);
}

} // namespace

const Command kSearchCommand = {
    "search",
    "the best plan of a space of them, what limits it, and why it is the best",
    {{"FILE", 1, 1, "a .plan file, or - for stdin"}},
    {{"--plan", "NAME", {}, "the plan that is searched; 'NAME(nodes = 8)' binds its parameters"},
     kSetOption,
     {"--vary", "PATH in LIST", {}, "a choice, as in the `search` block; in place of the one of that path", true},
     {"--fill", "mesh.AXIS", {}, "the axis that takes what is left of the devices", true},
     {"--where", "CONDITION", {}, "a condition beside those of the block", true},
     {"--minimize", "METRIC", {}, "a goal, in place of those of the block; several: the front", true},
     {"--maximize", "METRIC", {}, "the same, of what is better the more it is", true},
     {"--top", "N", {}, "how many of the best are shown"},
     {"--threads", "N", {}, "as many as the machine has, if not said; the answer is the same"},
     {"--exhaustive",
      "",
      {},
      "price every candidate, so that the best of each value and the fate of all are known; always done up to 20,000"},
     {"--time", "TIME", {}, "stop after so long, as 60s, with the best so far; so does Ctrl-C"},
     {"--progress", "", {"auto", "plain", "none"}, "how far it is, on stderr; auto: on a terminal"},
     {"--count", "", {}, "only how many candidates there are"},
     {"--list", "", {}, "only the candidates, with their numbers"},
     {"--format", "", {"text", "json", "csv", "md"}, "csv and md: a line per candidate of the best, or of the front"}},
    "planc search examples/search_dense.plan",
    runSearch,
};

} // namespace planc::driver
