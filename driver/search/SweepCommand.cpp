// `planc sweep`: the plan at every value of a choice or two.
// SPDX-License-Identifier: Apache-2.0
#include "api/Searches.h"
#include "driver/files/InputFile.h"
#include "driver/files/JsonDocument.h"
#include "driver/files/OptionValues.h"
#include "driver/files/PrintResult.h"
#include "driver/files/WorkFiles.h"
#include "driver/recipes/RecipeWords.h"
#include "driver/words/Commands.h"
#include "report/search/SweepReport.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace planc::driver {
namespace {

/// More points than this are a search.
constexpr double kMostPoints = 100'000;

/// The metrics that a sweep shows by default. Metrics without a value are left out.
constexpr const char* kShown[] = {"step_time",    "mfu", "tokens_per_second", "samples_per_second", "memory.peak",
                                  "comm.exposed", "cost"};

/// The metrics of the columns; nothing after a report.
std::optional<std::vector<const verdict::Metric*>> shownMetrics(Console& console, const Arguments& arguments) {
  std::vector<const verdict::Metric*> metrics;
  for (const std::string& name : arguments.all("--show")) {
    const verdict::Metric* metric = metricNamed(console, "--show", name);
    if (!metric) return std::nullopt;
    if (std::ranges::find(metrics, metric) == metrics.end()) metrics.push_back(metric);
  }
  if (metrics.empty())
    for (const char* name : kShown) metrics.push_back(verdict::findMetric(name));
  return metrics;
}

/// Leaves out metrics that no priced point has; false after a report where one was asked for.
bool dropEmpty(Console& console, bool asked, const std::string& plan, search::Sweep& sweep) {
  const auto any = [](const search::SweepPoint& point) { return point.priced; };
  if (std::ranges::none_of(sweep.points, any)) return true;
  for (size_t m = sweep.metrics.size(); m-- > 0;) {
    const auto has = [&](const search::SweepPoint& point) { return point.priced && point.values[m]; };
    const bool known = std::ranges::any_of(sweep.points, has);
    const bool second = !asked && m > 0 && sweep.metrics[m]->name() == kShown[3] &&
                        std::ranges::any_of(sweep.points, [&](const search::SweepPoint& point) {
                          return point.priced && point.values[m - 1]; // tokens say the same
                        });
    if (known && !second) continue;
    if (asked) {
      console.usageError(fmt::format("`{}` has no value in plan `{}`", sweep.metrics[m]->name(), plan));
      return false;
    }
    const auto at = static_cast<std::ptrdiff_t>(m);
    sweep.metrics.erase(sweep.metrics.begin() + at);
    for (search::SweepPoint& point : sweep.points)
      if (point.priced) point.values.erase(point.values.begin() + at);
  }
  return true;
}

/// A picture of one choice stands over numbers.
int checkPicture(Console& console, const Arguments& arguments, const ir::Space& space) {
  const std::vector<search::SweepAxis> axes = search::sweepAxes(space);
  if (!arguments.has("--svg") || axes.size() != 1 || axes[0].numeric()) return kClean;
  return console.usageError(
      fmt::format("`--svg` draws a curve over numbers, but the values of `{}` are not numbers", axes[0].path),
      "a map of two choices can have values that are words");
}

bool anyPriced(const search::Sweep& sweep) {
  return std::ranges::any_of(sweep.points, [](const search::SweepPoint& point) { return point.priced; });
}

int print(Console& console, const Arguments& arguments, const search::SweepReport& report) {
  const report::Document document = sweepDocument(report);
  printResult(console, *arguments.value("--format"), kSweepFormat, {}, {&document, 1});
  const auto picture = arguments.value("--svg");
  if (picture && !writePicture(console, *picture, search::sweepPicture(report))) return kUsage;
  return anyPriced(*report.sweep) ? kClean : kFailed;
}

/// One choice or two, of not too many values; else what is wrong.
int checkSweep(Console& console, const ir::Space& space) {
  if (space.choices.size() > 2)
    return console.usageError(fmt::format("a sweep varies one or two choices, but there are {}", space.choices.size()),
                              "bind related choices by `with`, or search: `planc search`");
  if (space.size() > kMostPoints)
    return console.usageError(
        fmt::format("a sweep has at most {:.0f} points, but there are {:.0f}", kMostPoints, space.size()),
        "`planc search` supports more");
  return kClean;
}

int printScaling(Console& console, const Arguments& arguments, const search::SweepReport& strong,
                 const search::SweepReport& weak) {
  report::Document document = sweepDocument(strong);
  document.append(sweepDocument(weak));
  printResult(console, *arguments.value("--format"), kSweepFormat, {}, {&document, 1});
  const auto picture = arguments.value("--svg");
  if (picture && !writePicture(console, *picture, search::scalingPicture(strong, weak))) return kUsage;
  return anyPriced(*strong.sweep) || anyPriced(*weak.sweep) ? kClean : kFailed;
}

/// Prints the warnings about the plan as it is written, and about points.
void warn(Console& console, const InputFile& file, api::Search& found, const search::Sweep& sweep) {
  console.diagnose(api::sweepWarnings(found, sweep), file.sources());
  console.summarize();
}

/// `--scale`: strong and weak scaling along one choice.
int scale(Console& console, const Arguments& arguments, InputFile& file, api::Search& found, const search::Sweep& along,
          const ir::SearchWords& words, const std::vector<const verdict::Metric*>& metrics) {
  const auto trains = [](const search::SweepPoint& point) { return point.trains; };
  const auto first = std::ranges::find_if(along.points, trains);
  search::SweepReport report{.plan = found.plan().asked().named, .sweep = &along};
  if (first == along.points.end()) { // its laws say why, or it does not train
    if (std::ranges::any_of(along.points, [](const search::SweepPoint& point) { return point.devices > 0; }))
      return console.usageError("`--scale` needs a plan that trains: the batch is kept, or grows with the devices");
    return print(console, arguments, report);
  }
  const auto adds = [&](const search::SweepPoint& point) {
    return point.devices != 0 && point.devices != first->devices;
  };
  if (along.points.size() > 1 && std::ranges::none_of(along.points, adds))
    return console.usageError(fmt::format("`--scale` needs a choice that adds devices, but `{}` leaves them at {}",
                                          along.axes[0].path, first->devices),
                              "use `--vary` for a curve over it");
  warn(console, file, found, along);
  const auto scaled = file.scaling(found, arguments.value("--plan").value_or(""), words, along, metrics);
  console.diagnose(scaled->file.diagnostics(), scaled->file.sources());
  if (!scaled->weakSearch || console.hasErrors()) {
    console.summarize();
    return kFailed;
  }
  const bool asked = !arguments.all("--show").empty();
  if (!dropEmpty(console, asked, report.plan, scaled->strong) || !dropEmpty(console, asked, report.plan, scaled->weak))
    return kUsage;
  search::SweepReport strong = report, weak = report;
  strong.sweep = &scaled->strong, weak.sweep = &scaled->weak;
  strong.scaling = "strong", strong.held = fmt::format("{} stays {}", scaled->path, scaled->batch);
  weak.scaling = "weak", weak.held = scaled->path + " grows with the devices";
  return printScaling(console, arguments, strong, weak);
}

/// Returns the varied choices of `--vary` or `--scale`; nullopt after a usage error.
std::optional<std::vector<std::string>> varied(Console& console, const Arguments& arguments) {
  const std::vector<std::string>&vary = arguments.all("--vary"), &scales = arguments.all("--scale");
  if (vary.empty() && scales.empty())
    console.usageError("`planc sweep` needs `--vary` or `--scale`",
                       "write `--vary 'cluster.node.bandwidth in steps(25GB/s, 400GB/s, 16)'`");
  else if (!vary.empty() && !scales.empty())
    console.usageError("`--scale` cannot be combined with `--vary`",
                       "bind values that grow with the choice of `--scale` by `with`");
  else
    return vary.empty() ? scales : vary;
  return std::nullopt;
}

int runSweep(Console& console, const Arguments& arguments) {
  const auto metrics = shownMetrics(console, arguments);
  if (!metrics) return kUsage;
  const auto vary = varied(console, arguments);
  if (!vary) return kUsage;
  ir::SearchWords words{.vary = *vary, .fill = arguments.all("--fill")};
  words.alone = true;
  if (const int code = oneFileOf(console, arguments.positional[0])) return code;
  InputFile file(console, arguments);
  if (!file.load()) return kUsage;
  if (const int code = file.set(arguments)) {
    if (code == kFailed && *arguments.value("--format") == "json")
      printJson(console, kSweepFormat, {{"sweep", nullptr}});
    return code;
  }
  if (const int code = checkOutputs(console, arguments, {"--svg"}, file.sources())) return code;
  const auto found = file.search(arguments.value("--plan").value_or(""), words);
  file.report({});
  if (!found || console.hasErrors()) {
    console.summarize();
    if (*arguments.value("--format") == "json") printJson(console, kSweepFormat, {{"sweep", nullptr}});
    return kFailed;
  }
  const bool scales = arguments.has("--scale");
  if (const int code = checkSweep(console, found->space())) return code;
  if (const int code = scales ? kClean : checkPicture(console, arguments, found->space())) return code;
  search::Sweep sweep = search::sweep(found->space(), found->candidates(), *metrics);
  if (scales) return scale(console, arguments, file, *found, sweep, words, *metrics);
  search::SweepReport report{.plan = found->plan().asked().named, .sweep = &sweep};
  if (!dropEmpty(console, !arguments.all("--show").empty(), report.plan, sweep)) return kUsage;
  warn(console, file, *found, sweep);
  report.knees = file.knees(arguments.value("--plan").value_or(""), words, sweep);
  return print(console, arguments, report);
}

} // namespace

const Command kSweepCommand = {
    "sweep",
    "price a plan at every value of one or two choices: a curve with its knees, or a map",
    {{"FILE", 1, 1, "a .plan file, or - for stdin"}},
    {{"--plan", "NAME", {}, "the plan to sweep; 'NAME(nodes = 8)' binds its parameters"},
     kSetOption,
     kModelOption,
     kClusterOption,
     kDevicesOption,
     kRecipeOption,
     kSeqOption,
     kBatchOption,
     kTokensOption,
     {"--vary", "PATH in LIST", {}, "a choice, as in a `search` block; a second one makes a map", kLines},
     {"--fill", "mesh.AXIS", {}, "the axis that takes the remaining devices", kLines},
     {"--scale",
      "PATH in LIST",
      {},
      "strong and weak scaling along a choice that adds devices, with the efficiency against its first value"},
     {"--show", "METRIC", {}, "a column; repeat it for several", kEach},
     {"--format", "", resultFormats(), "csv and md: a line per point"},
     {"--svg", "FILE", {}, "also draw the first metric as a curve or a map, or the efficiencies of `--scale`"}},
    "planc sweep examples/gpt3_175b.plan --plan gpt3_175b --vary 'cluster.nodes.bandwidth in steps(10GB/s, 100GB/s, "
    "8)'",
    runSweep,
};

} // namespace planc::driver
