// `planc search`: the best of all candidates of a plan's space, and why it is.
// SPDX-License-Identifier: Apache-2.0
#include "api/Searches.h"
#include "driver/files/InputFile.h"
#include "driver/files/JsonDocument.h"
#include "driver/files/OptionValues.h"
#include "driver/files/PrintResult.h"
#include "driver/files/WorkFiles.h"
#include "driver/recipes/RecipeWords.h"
#include "driver/search/SearchApply.h"
#include "driver/search/SearchForms.h"
#include "driver/search/SearchIllegal.h"
#include "driver/search/SearchLargest.h"
#include "driver/search/SearchList.h"
#include "driver/search/SearchStore.h"
#include "driver/search/SearchWatch.h"
#include "driver/words/Commands.h"
#include "report/search/Report.h"

#include <algorithm>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <thread>

namespace planc::driver {
namespace {

ir::SearchWords wordsOf(const Arguments& arguments) {
  ir::SearchWords words;
  words.vary = arguments.all("--vary");
  words.fill = arguments.all("--fill");
  words.where = arguments.all("--where");
  for (const std::string& goal : arguments.all("--minimize")) words.goals.push_back("minimize " + goal);
  for (const std::string& goal : arguments.all("--maximize")) words.goals.push_back("maximize " + goal);
  return words;
}

/// Assertions that do not hold.
std::vector<std::string> missedBy(const api::Compilation& plan) {
  DiagnosticEngine found;
  std::vector<std::string> missed;
  for (const verdict::AssertionResult& one : verdict::evaluate(plan.plan(), *plan.estimate(), found).assertions)
    if (!one.ok) missed.push_back(one.text);
  return missed;
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
      to.push_back({outcome, &plan->plan(), plan->estimate(), missedBy(*plan)});
      plans_.push_back(std::move(plan));
    }
    return true;
  }

  /// Prints the warnings of the best plan and of the search.
  void warnOfBest(Console& console, const search::Answer& found) {
    if (plans_.empty()) return;
    search_.warnOfWork(found, plans_[0]->diagnostics());
    console.diagnose(plans_[0]->diagnostics(), file_.sources());
  }

  /// The first two beside each other.
  std::optional<report::ComparisonReport> compare(const std::vector<search::Ranked>& best) {
    if (best.size() < 2) return std::nullopt;
    std::vector<diff::ComparedEstimate> sides;
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

/// The parameters of a plan by words that no option gives a value, no choice varies, and the best leaves as they are.
std::vector<std::pair<std::string, std::string>> assumedBy(api::Search& search, const search::SearchReport& report) {
  std::vector<std::pair<std::string, std::string>> all;
  if (!report.best.empty()) all = search.assumed(report.best.front().outcome.id, std::string(kWordsPath));
  std::erase_if(all, [&](const auto& one) { return search.space().varies(one.first); });
  return all;
}

/// Whether the candidates can be walked over; else why not.
int checkSize(Console& console, const ir::Space& space, bool limited) {
  constexpr double kMost = 1e10; // days
  if (space.end() && (limited || space.size() <= kMost)) return kClean;
  return console.usageError(
      fmt::format("the space has {} candidates, more than can be decided", search::grouped(space.size())),
      space.end() ? "remove values, bind related choices by `with`, or limit the time: `--time 10min`"
                  : "remove values, or bind related choices by `with`");
}

int print(Console& console, const Arguments& arguments, const search::SearchReport& report,
          const std::vector<ForbiddingLaw>* laws) {
  report::Document document = searchDocument(report);
  if (laws) {
    document.data["search"]["illegal"] = lawsJson(*laws);
    document.addLines(lawsText(*laws));
  }
  printResult(console, *arguments.value("--format"), kSearchFormat, {}, {&document, 1});
  const auto picture = arguments.value("--svg");
  if (picture && !writePicture(console, *picture, search::searchPicture(report))) return kUsage;
  return report.best.empty() ? kFailed : kClean;
}

/// A front has no bound: of so many, or as many as the best, the rows are shown.
constexpr size_t kFrontRows = 1'000;

/// Spaces of so many candidates are priced whole, so that the best of each value is known, too.
constexpr double kPricedWhole = 20'000;

int answer(Console& console, const Arguments& arguments, InputFile& file, api::Search& search, unsigned threads,
           std::optional<double> time, const Applying& applying) {
  const bool exhaustive = isExhaustive(arguments, search);
  SearchStore store;
  if (const int code = store.open(console, arguments, file, search, exhaustive)) return code;
  search::Progress progress;
  const uint64_t blocks = search::blocksOf(search.space()), own = store.shard().of(blocks);
  std::optional<search::Answer> found;
  {
    const SearchWatch watch(progress, own, progressForm(*arguments.value("--progress")), time);
    found = store.run(console, [&] { return search.run(threads, !exhaustive, &progress, store.part()); });
  }
  if (!found) return kUsage;
  Decided decided{static_cast<double>(progress.blocks) / static_cast<double>(blocks), store.shard(), {}};
  if (const double least = progress.least; own == blocks && least != 0) decided.least = least; // else of a part
  const int code = printAnswer(console, arguments, file, search, *found, decided, exhaustive, applying);
  store.remark(console, progress.blocks == own);
  const bool part = own < blocks && progress.blocks == own && found->best().empty(); // others may have an answer
  return part && !console.hasErrors() ? kClean : code;
}

int runSearch(Console& console, const Arguments& arguments) {
  if (const int code = checkForm(console, arguments)) return code;
  if (const std::optional<int> code = runOverStores(console, arguments)) return *code;
  if (const int code = oneFileOf(console, arguments.positional[0])) return code;
  InputFile file(console, arguments);
  if (!file.load()) return kUsage;
  if (asksForLargest(arguments)) return searchLargest(console, arguments, file, wordsOf(arguments));
  const auto threads =
      countOf(console, arguments, "--threads", 1, 1024, std::max(1u, std::thread::hardware_concurrency()));
  const std::optional<Applying> applying = applyingOf(console, arguments);
  if (!threads || !applying) return kUsage;
  int code = kClean;
  const std::unique_ptr<api::Search> search = searchOf(console, arguments, file, *applying, code);
  if (!search) return code;
  if (arguments.has("--count")) return printCount(console, arguments, *search);
  bool badTime = false;
  const std::optional<double> time = timeOf(console, arguments, "--time", badTime);
  if (badTime) return kUsage;
  if (const int bad = checkSize(console, search->space(), time.has_value())) return bad;
  if (arguments.has("--emit-sbatch")) return printSbatch(console, arguments);
  if (arguments.has("--list")) return printCandidates(console, arguments, *search);
  return answer(console, arguments, file, *search, static_cast<unsigned>(*threads), time, *applying);
}

} // namespace

bool isExhaustive(const Arguments& arguments, const api::Search& search) {
  return arguments.has("--exhaustive") || search.space().size() <= kPricedWhole;
}

std::unique_ptr<api::Search> searchOf(Console& console, const Arguments& arguments, InputFile& file,
                                      const Applying& applying, int& code) {
  if ((code = file.set(arguments))) {
    if (code == kFailed && *arguments.value("--format") == "json")
      printJson(console, kSearchFormat, {{"search", nullptr}});
    return nullptr;
  }
  if ((code = checkOutputs(console, arguments, {"-o", "--svg"}, file.sources()))) return nullptr;
  if ((code = checkApplied(console, applying))) return nullptr;
  ir::SearchWords words = wordsOf(arguments);
  const auto top = countOf(console, arguments, "--top", 1, ir::kMostShown, 0);
  if (!top) {
    code = kUsage;
    return nullptr;
  }
  if (*top) words.top = *top;
  std::unique_ptr<api::Search> search = file.search(arguments.value("--plan").value_or(""), words);
  if (search && static_cast<size_t>(search->space().top) < applying.rank) { // as many as are asked for
    words.top = static_cast<int64_t>(applying.rank);
    search = file.search(arguments.value("--plan").value_or(""), words);
  }
  file.report({});
  if (search && !console.hasErrors()) return search;
  console.summarize();
  if (*arguments.value("--format") == "json") printJson(console, kSearchFormat, {{"search", nullptr}});
  code = kFailed;
  return nullptr;
}

int printAnswer(Console& console, const Arguments& arguments, InputFile& file, api::Search& search,
                const search::Answer& found, const Decided& decided, bool exhaustive, const Applying& applying) {
  if (!search.checkValues(found)) {
    console.diagnose(search.plan().diagnostics(), file.sources());
    console.summarize();
    if (*arguments.value("--format") == "json") printJson(console, kSearchFormat, {{"search", nullptr}});
    return kFailed;
  }
  Priced priced(file, search);
  search::SearchReport report;
  report.plan = search.plan().asked().named;
  report.space = &search.space();
  report.terms = &search.terms();
  report.answer = &found;
  report.filled = [&search](ir::CandidateId id) { return search.filled(id); };
  report.decided = decided.share;
  report.least = decided.least;
  if (decided.shard.count > 1) {
    const uint64_t blocks = search::blocksOf(search.space());
    report.own = static_cast<double>(decided.shard.of(blocks)) / static_cast<double>(blocks);
    report.shard = decided.shard.str();
  }
  for (const ir::FactEdit& fact : file.edit().facts) report.set.emplace_back(fact.path, fact.value);
  report.exhaustive = exhaustive && decided.share == 1;
  const bool several = search.terms().goals.size() > 1;
  std::vector<search::Outcome> front;
  if (several) front = found.front();
  if (const size_t most = std::max(kFrontRows, static_cast<size_t>(search.space().top)); front.size() > most) {
    console.remark(fmt::format("the front has {} candidates; the first {} are shown: `--top` shows more, and a "
                               "`--store` keeps all for `report --rows`\n",
                               search::grouped(static_cast<double>(front.size())), search::grouped(most)));
    front.resize(most);
  }
  if (!priced.add(found.best(), report.best) || !priced.add(front, report.front)) {
    file.report({});
    console.summarize();
    return kFailed;
  }
  if (arguments.text) report.assumed = assumedBy(search, report);
  priced.warnOfBest(console, found);
  const auto why = priced.compare(report.table());
  report.why = why ? &*why : nullptr;
  std::optional<std::vector<ForbiddingLaw>> laws;
  if (arguments.has("--illegal")) laws = forbiddingLaws(search, found);
  const int code =
      applying.rank && !applying.file ? kClean : print(console, arguments, report, laws ? &*laws : nullptr);
  if (!applying.rank) return code;
  std::vector<ir::CandidateId> ranked;
  for (const search::Ranked& one : report.table()) ranked.push_back(one.outcome.id);
  return std::max(code, writeRanked(console, applying, file, search, ranked, report.stopped()));
}

const Command kSearchCommand = {
    "search",
    "find the best plan of a space, with its bottleneck and the reason why it is the best",
    {{"FILE", 1, kMany,
      "a .plan file, or - for stdin; `report FILE.db`: the result in a store; `merge OUT.db SHARD.db…`: merge the "
      "stores of all shards"}},
    {{"--plan",
      "NAME",
      {},
      "the plan to search; 'NAME(nodes = 8)' binds its parameters",
      kOnce,
      kOfSpace | kOfExtreme | kOfQuestion},
     usedFor(kSetOption, kOfSpace | kOfExtreme | kOfQuestion),
     usedFor(kModelOption, kOfWords),
     usedFor(kClusterOption, kOfWords),
     usedFor(kDevicesOption, kOfWords),
     usedFor(kRecipeOption, kOfWords),
     usedFor(kSeqOption, kOfWords),
     usedFor(kBatchOption, kOfWords),
     usedFor(kTokensOption, kOfWords),
     {"--vary",
      "PATH in LIST",
      {},
      "a choice, as in the `search` block; replaces the one of the same path",
      kLines,
      kOfSpace | kOfQuestion},
     {"--fill",
      "mesh.AXIS",
      {},
      "the axis that takes the remaining devices",
      kLines,
      kOfSpace | kOfExtreme | kOfQuestion},
     {"--where",
      "CONDITION",
      {},
      "a condition in addition to those of the block",
      kLines,
      kOfSearch | kOfJob | kOfExtreme | kOfCount | kOfQuestion},
     {"--minimize",
      "METRIC",
      {},
      "a goal, instead of those of the block; several goals give the front",
      kLines,
      kOfSearch | kOfJob | kOfQuestion},
     {"--maximize", "METRIC", {}, "a goal to maximize, like --minimize", kLines, kOfSearch | kOfJob | kOfQuestion},
     {"--top", "N", {}, "number of the best candidates to show", kOnce, kOfSearch | kOfJob | kOfQuestion},
     {"--threads",
      "N",
      {},
      "number of threads; default: all cores; the result does not depend on it",
      kOnce,
      kOfSearch},
     {"--apply",
      "N",
      {},
      "write the N-th candidate of the table as a plan, instead of the table",
      kOnce,
      kOfTable | kOfReport},
     {"-o",
      "FILE",
      {},
      "with --apply: write the plan to a file, in addition to the table",
      kOnce,
      kOfTable | kOfReport},
     {"--illegal",
      "",
      {},
      "show up to three rejected candidates per law below the table; also in JSON",
      kOnce,
      kOfTable | kOfJob},
     {"--exhaustive",
      "",
      {},
      "price every candidate, for the best of each value and the fate of all; always done up to 20,000",
      kOnce,
      kOfSearch | kOfJob | kOfQuestion},
     {"--time",
      "TIME",
      {},
      "stop after this time, as 60s, with the best so far; Ctrl-C does the same",
      kOnce,
      kOfSearch | kOfJob},
     {"--progress",
      "",
      {"auto", "plain", "none"},
      "progress on stderr; auto: on a terminal",
      kOnce,
      kOfSearch | kOfJob},
     {"--count", "", {}, "print only the number of candidates"},
     {"--list", "", {}, "print only the candidates, with their numbers"},
     {"--largest", "PATH", {}, "find the largest whole value that is lawful and fits, instead of a search"},
     {"--fewest", "PATH", {}, "find the least value, as of nodes; with --model also devices"},
     {"--best",
      "",
      {},
      "with --largest or --fewest: use the best plan of a search at each value, instead of the plan itself; always "
      "with --model",
      kOnce,
      kOfExtreme},
     kStoreOption,
     kResumeOption,
     kKeepOption,
     kShardOption,
     kEmitSbatchOption,
     kRowsOption,
     {"--format", "", resultFormats(), "csv and md: a line per best candidate, or per candidate of the front", kOnce,
      kOfTable | kOfReport | kOfJob | kOfExtreme | kOfCount | kOfList},
     {"--svg",
      "FILE",
      {},
      "also draw the front, or step time over memory, and the values of the best",
      kOnce,
      kOfTable | kOfReport}},
    "planc search examples/search_dense.plan",
    runSearch,
    true,
};

} // namespace planc::driver
