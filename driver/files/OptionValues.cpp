// Parses option values, and reports wrong ones.
// SPDX-License-Identifier: Apache-2.0
#include "driver/files/OptionValues.h"

#include "driver/files/Files.h"
#include "support/Day.h"
#include "support/Diagnostics.h"
#include "support/Quantity.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <map>
#include <thread>

namespace planc::driver {

namespace {

std::vector<std::string> numberNames() {
  std::vector<std::string> names;
  for (const verdict::Metric* m : verdict::metrics().rows())
    if (!m->ofLayer() && !m->isBool) names.emplace_back(m->name());
  return names;
}

} // namespace

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

std::optional<size_t> jobsOf(Console& console, const Arguments& arguments) {
  const auto jobs =
      countOf(console, arguments, kJobsOption.name, 1, 1024, std::max(1u, std::thread::hardware_concurrency()));
  return jobs ? std::optional(static_cast<size_t>(*jobs)) : std::nullopt;
}

std::optional<double> timeOf(Console& console, const Arguments& arguments, std::string_view option, bool& bad) {
  const std::optional<std::string> text = arguments.value(option);
  if (!text) return std::nullopt;
  std::string badUnit;
  const std::optional<Quantity> time = parseQuantity(*text, badUnit);
  bad = !time || time->unit != units::time || time->value <= 0;
  if (bad) console.usageError(fmt::format("`{}` takes a time, such as `60s`; this is `{}`", option, *text));
  return bad ? std::nullopt : std::optional(time->value);
}

std::optional<std::string> dayOf(Console& console, const Arguments& arguments) {
  if (const auto given = arguments.value(kDateOption.name)) {
    if (isDay(*given)) return given;
    console.usageError(fmt::format("`{}` takes a day, such as `2026-11-28`; this is `{}`", kDateOption.name, *given));
    return std::nullopt;
  }
  constexpr int64_t kMost = 253402300799; // the last second of the year 9999
  const char* const epoch = std::getenv("SOURCE_DATE_EPOCH");
  if (!epoch) return planc::dayOf(std::time(nullptr));
  const std::string_view text = epoch;
  int64_t seconds = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error == std::errc() && end == text.data() + text.size() && seconds >= 0 && seconds <= kMost)
    return planc::dayOf(seconds);
  console.usageError(fmt::format("SOURCE_DATE_EPOCH must be a number of seconds since 1970; this is `{}`", text));
  return std::nullopt;
}

const verdict::Metric* metricNamed(Console& console, std::string_view option, const std::string& name) {
  const verdict::Metric* metric = verdict::findMetric(name);
  if (metric && !metric->ofLayer() && !metric->isBool) return metric;
  if (metric)
    console.usageError(fmt::format("`{}` takes a metric of the whole plan that is a number; `{}` is {}", option, name,
                                   metric->isBool ? "true or false" : "a metric of a layer"));
  else {
    const std::vector<std::string> related = verdict::relatedMetrics(name);
    console.usageError(fmt::format("`{}`: unknown metric `{}`", option, name),
                       didYouMean(name, numberNames(),
                                  related.empty() ? "`planc schema planc.toml` lists the metrics under `gates`"
                                                  : fmt::format("did you mean {}?", quotedChoice(related))));
  }
  return nullptr;
}

std::string shellWord(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string trimmed(std::string_view text) {
  const size_t from = text.find_first_not_of(' ');
  return from == std::string_view::npos ? "" : std::string(text.substr(from, text.find_last_not_of(' ') - from + 1));
}

int checkOutputs(Console& console, const Arguments& arguments, const std::vector<std::string_view>& options,
                 const SourceManager& read) {
  std::map<std::string, std::string_view> taken; // by resolved path
  if (const auto store = arguments.value("--store")) taken.emplace(meantPath(*store), "--store");
  for (const std::string_view option : options) {
    const std::optional<std::string> path = arguments.value(option);
    if (!path) continue;
    if (*path == "-")
      return console.usageError(fmt::format("`{} -` cannot write to standard output, which has the result", option),
                                fmt::format("name a file with `{}`; `./-` is a file with that name", option));
    if (const std::string why = refusedOutput(*path, read); !why.empty())
      return console.usageError(why, fmt::format("name another file with `{}`", option));
    if (const auto [other, added] = taken.emplace(meantPath(*path), option); !added)
      return console.usageError(fmt::format("`{}` and `{}` name the same file, {}", other->second, option, *path),
                                fmt::format("name another file with `{}`", option));
  }
  return kClean;
}

bool writePicture(Console& console, const std::string& path, std::string_view picture) {
  const std::string problem = writeFile(path, picture);
  if (!problem.empty()) console.usageError(path + " cannot be written: " + problem);
  return problem.empty();
}

} // namespace planc::driver
