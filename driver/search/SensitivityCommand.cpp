// `planc sensitivity`: what a plan's numbers hang on, and what one constant alone would have to be.
// SPDX-License-Identifier: Apache-2.0
#include "driver/files/InputFile.h"
#include "driver/files/JsonDocument.h"
#include "driver/files/OptionValues.h"
#include "driver/files/PrintResult.h"
#include "driver/files/WorkFiles.h"
#include "driver/words/Commands.h"
#include "report/search/SensitivityReport.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace planc::driver {
namespace {

/// The questions to every plan.
struct Questions {
  std::vector<const verdict::Metric*> metrics; ///< the first sorts; those of targets are among them
  std::vector<search::Target> targets;
  size_t top = 20; ///< rows; 0: all
};

/// `step_time = 5s`; nothing after saying what is wrong.
std::optional<search::Target> targetOf(Console& console, const std::string& word) {
  const size_t sign = word.find('=');
  if (sign == std::string::npos) {
    console.usageError("`--reach` takes a metric and a value; this is `" + word + "`",
                       "write `--reach 'step_time = 5s'`");
    return std::nullopt;
  }
  const verdict::Metric* metric = metricNamed(console, "--reach", trimmed(word.substr(0, sign)));
  if (!metric) return std::nullopt;
  const std::string text = trimmed(word.substr(sign + 1));
  std::string badUnit;
  const std::optional<Quantity> value = parseQuantity(text, badUnit);
  const std::string wanted = metric->unit.plain() ? "a number without a unit" : "a quantity of " + metric->unit.name();
  if (!badUnit.empty())
    console.usageError(fmt::format("`--reach`: unknown unit `{}`", badUnit), didYouMean(badUnit, unitNames()));
  else if (!value || value->unit != metric->unit)
    console.usageError(fmt::format("`--reach`: `{}` is {}; this is `{}`", metric->name(), wanted, text));
  else if (!(value->value > 0))
    console.usageError(fmt::format("`--reach`: a target must be more than 0; this is `{}`", text));
  else
    return search::Target{metric, value->value};
  return std::nullopt;
}

/// False after a mistake in the words.
bool readQuestions(Console& console, const Arguments& arguments, Questions& out) {
  const std::string by = arguments.value("--by").value_or("step_time");
  const auto ask = [&](const verdict::Metric* metric) {
    if (std::ranges::find(out.metrics, metric) == out.metrics.end()) out.metrics.push_back(metric);
  };
  const verdict::Metric* first = metricNamed(console, "--by", by);
  if (!first) return false;
  ask(first);
  for (const char* name : {"step_time", "memory.peak", "cost"}) ask(verdict::findMetric(name));
  for (const std::string& word : arguments.all("--reach")) {
    const std::optional<search::Target> target = targetOf(console, word);
    if (!target) return false;
    out.targets.push_back(*target);
    ask(target->metric);
  }
  if (const std::optional<std::string> top = arguments.value("--top")) {
    const auto [end, problem] = std::from_chars(top->data(), top->data() + top->size(), out.top);
    if (problem != std::errc() || end != top->data() + top->size()) {
      console.usageError("`--top` takes a number of rows, 0 for all; this is `" + *top + "`");
      return false;
    }
  }
  return true;
}

/// The plan as it is; false after a report of why it has no price.
bool priced(api::Compilation& plan) {
  return plan.checkParts() && plan.priceAlone();
}

/// Returns nullopt, after a report, if a requested metric has no value.
std::optional<report::SensitivityReport> answer(Console& console, api::Compilation& plan, const Questions& asked) {
  report::SensitivityReport out{.plan = plan.plan().title,
                                .found =
                                    search::sensitivity(plan.plan(), *plan.estimate(), plan.engine(), asked.metrics),
                                .top = asked.top};
  const auto has = [&](const verdict::Metric* metric) {
    if (std::ranges::find(out.found.metrics, metric) != out.found.metrics.end()) return true;
    console.usageError(fmt::format("`{}` has no value in plan `{}`", metric->name(), plan.plan().title));
    return false;
  };
  if (!has(asked.metrics.front())) return std::nullopt;
  for (const search::Target& target : asked.targets) {
    if (!has(target.metric)) return std::nullopt;
    out.reaches.push_back({target, search::reach(plan.plan(), out.found, target, plan.engine())});
  }
  return out;
}

int runSensitivity(Console& console, const Arguments& arguments) {
  Questions asked;
  if (!readQuestions(console, arguments, asked)) return kUsage;
  if (const int code = oneFileOf(console, arguments.positional[0])) return code;
  InputFile file(console, arguments.positional[0]);
  if (!file.load()) return kUsage;
  std::vector<report::Document> answers;
  const auto print = [&] {
    printResult(console, *arguments.value("--format"), kSensitivityFormat, {"plans"}, answers);
  };
  if (const int code = file.set(arguments)) {
    if (code == kFailed) print();
    return code;
  }
  const bool read = !file.hasErrors();
  bool any = false, answered = true;
  file.eachPlan(arguments.all("--plan"), [&](std::unique_ptr<api::Compilation> plan) {
    any = true;
    if (read && priced(*plan)) {
      const std::optional<report::SensitivityReport> report = answer(console, *plan, asked);
      answered = answered && report;
      if (report) answers.push_back(sensitivityDocument(*report));
    }
    Plans one;
    one.push_back(std::move(plan));
    file.report(one);
  });
  file.report({});
  console.summarize();
  print();
  if (console.hasErrors()) return kFailed;
  if (!any) return noPlans(console, file);
  return answered ? kClean : kUsage;
}

} // namespace

const Command kSensitivityCommand = {
    "sensitivity",
    "how the numbers of a plan depend on its constants: elasticities, and the changes that reach a target",
    {{"FILE", 1, 1, "a .plan file, or - for stdin"}},
    {{"--plan", "NAME", {}, "only this plan; repeat it for others; 'NAME(nodes = 8)' binds its parameters", kEach},
     kSetOption,
     {"--by", "METRIC", {}, "metric whose elasticities sort the constants; default: step_time"},
     {"--reach", "TARGET", {}, "least change of each constant that alone reaches it, as 'step_time = 5s'", kEach},
     {"--top", "N", {}, "rows of each table; default: 20; 0: all"},
     {"--format", "", resultFormats(), "csv: a line per constant and target"}},
    "planc sensitivity examples/gpt3_175b.plan",
    runSensitivity,
};

} // namespace planc::driver
