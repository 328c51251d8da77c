// Reads results from JSON. Errors name the path of a missing value or a wrong type: `plans[3].totals.step_time_s`.
// SPDX-License-Identifier: Apache-2.0
#include "report/diff/ReadResult.h"

#include "backends/verdict/Verdict.h"
#include "report/tables/JsonNumber.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace planc::report {

namespace {

using Json = nlohmann::ordered_json;

/// The major version of the format, and the first minor version with facts and rows of all stages.
constexpr int kMajor = 2, kMinor = 2;

struct Mistake {
  std::string text;
};

/// A value with its path.
class Reader {
public:
  Reader(const Json& value, std::string path) : value_(value), path_(std::move(path)) {}

  Reader at(std::string_view key) const {
    const auto found = value_.is_object() ? value_.find(key) : value_.end();
    if (!value_.is_object() || found == value_.end()) throw Mistake{fmt::format("`{}` is missing", inside(key))};
    return {*found, inside(key)};
  }
  bool null() const { return value_.is_null(); }
  std::string text() const {
    if (!value_.is_string()) throw Mistake{fmt::format("`{}` is not a string", path_)};
    return value_.get<std::string>();
  }
  std::string textOrNone() const { return null() ? "" : text(); }
  double number() const {
    if (!value_.is_number()) throw Mistake{fmt::format("`{}` is not a number", path_)};
    return value_.get<double>();
  }
  double numberOrNone() const { return null() ? 0 : number(); }
  size_t count() const {
    if (!value_.is_number_integer() || value_.get<int64_t>() < 0)
      throw Mistake{fmt::format("`{}` is not a count", path_)};
    return value_.get<size_t>();
  }
  bool truth() const {
    if (!value_.is_boolean()) throw Mistake{fmt::format("`{}` is neither true nor false", path_)};
    return value_.get<bool>();
  }
  template <class Use> void each(Use use) const {
    if (!value_.is_array()) throw Mistake{fmt::format("`{}` is not a list", path_)};
    for (size_t i = 0; i < value_.size(); ++i) use(Reader(value_[i], fmt::format("{}[{}]", path_, i)));
  }
  template <class Use> void eachMember(Use use) const {
    if (!value_.is_object()) throw Mistake{fmt::format("`{}` is not an object", path_)};
    for (const auto& [key, member] : value_.items()) use(key, Reader(member, inside(key)));
  }
  const Json& json() const { return value_; }

private:
  std::string inside(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  }
  const Json& value_;
  std::string path_;
};

/// Returns the path of a layer without slices, because a plan with other stages has the same layers.
std::string withoutSlices(const std::string& path) {
  std::string out;
  int depth = 0;
  for (const char c : path) {
    if (c == '[') ++depth;
    if (depth == 0) out += c;
    if (c == ']') --depth;
  }
  return out;
}

void readMetrics(const Reader& plan, diff::Result& out) {
  for (const verdict::Metric* metric : verdict::metrics().rows()) {
    const size_t dot = metric->jsonField.find('.');
    if (metric->ofLayer() || dot == std::string_view::npos) continue;
    const Json& group = plan.json().contains(metric->jsonField.substr(0, dot))
                            ? plan.json()[std::string(metric->jsonField.substr(0, dot))]
                            : Json();
    const auto found = group.is_object() ? group.find(metric->jsonField.substr(dot + 1)) : group.end();
    if (!group.is_object() || found == group.end() || found->is_null())
      continue; // from another version, or without a value
    const Reader value(*found, std::string(metric->jsonField));
    out.metrics[std::string(metric->name())] =
        metric->isBool ? (value.truth() ? 1 : 0) : value.number() * fieldUnit(metric->jsonField);
  }
}

/// Adds the rows of all stages, each to the account of its stage.
void readAccounts(const Reader& plan, diff::Result& out) {
  using diff::Cause;
  const Reader totals = plan.at("totals");
  plan.at("stages").each([&](const Reader& stage) {
    diff::Account& account = out.stages.emplace_back();
    account.step = totals.at("step_time_s").number();
    const auto add = [&](Cause cause, double seconds) {
      if (seconds != 0) account.rows.push_back({cause, {}, seconds});
    };
    add(Cause::Bubble, stage.at("idle_s").number());
    add(Cause::Optimizer, totals.at("optimizer_s").number());
    add(Cause::Overhead, totals.at("overhead_s").number());
    add(Cause::Straggler, totals.at("straggler_s").numberOrNone());
  });
  const auto book = [&](const Reader& row, Cause cause, diff::Subject what, std::string_view field,
                        std::string because = {}) {
    const size_t stage = row.at("stage").count();
    if (stage >= out.stages.size()) throw Mistake{"a row names a stage that `stages` does not have"};
    if (const double seconds = row.at(field).number(); seconds != 0)
      out.stages[stage].rows.push_back({cause, std::move(what), seconds, std::move(because)});
  };
  plan.at("layers").each([&](const Reader& row) {
    const std::string path = withoutSlices(row.at("path").text());
    book(row, Cause::Layers, {path}, "step_computing_s");
    book(row, Cause::Slowed, {path}, "step_slowed_s");
    book(row, Cause::Launches, {path}, "step_launches_s");
  });
  plan.at("collectives").each([&](const Reader& row) {
    book(row, Cause::Collectives,
         {withoutSlices(row.at("layer").textOrNone()), row.at("op").text(), row.at("class").text(),
          row.at("axis").text()},
         "step_exposed_s", row.at("because").textOrNone());
  });
  out.critical = plan.at("critical").at("stage").count();
  if (out.critical >= out.stages.size()) throw Mistake{"`critical.stage` is not one of `stages`"};
}

diff::Result resultOf(const Reader& plan) {
  diff::Result out;
  out.file = plan.at("file").text();
  out.plan = plan.at("id").text();
  if (const size_t hash = out.plan.rfind('#'); hash != std::string::npos) out.plan.erase(0, hash + 1);
  out.plan = out.plan.substr(0, out.plan.find('('));
  plan.at("arguments").eachMember([&](const std::string& name, const Reader& value) {
    out.arguments += fmt::format("{}{} = {}", out.arguments.empty() ? "" : ", ", name, value.text());
  });
  readMetrics(plan, out);
  plan.at("facts").each([&](const Reader& fact) {
    out.facts.push_back({fact.at("path").text(), fact.at("value").textOrNone(), fact.at("derived").truth(),
                         fact.at("where").textOrNone()});
  });
  plan.at("assertions").each([&](const Reader& line) {
    out.assertions.push_back({line.at("text").text(), line.at("ok").truth()});
  });
  readAccounts(plan, out);
  return out;
}

/// Checks a format version such as `2.1`.
void checkForm(const Reader& root) {
  const std::string form = root.at("format_version").text();
  int major = 0, minor = 0, read = 0;
  if (std::sscanf(form.c_str(), "%d.%d%n", &major, &minor, &read) != 2 || form.size() != static_cast<size_t>(read))
    throw Mistake{fmt::format("its `format_version` is `{}`", form)};
  if (major != kMajor)
    throw Mistake{fmt::format("its format is {}, but this program reads {}.{} and later versions before {}", form,
                              kMajor, kMinor, kMajor + 1)};
  if (minor < kMinor)
    throw Mistake{fmt::format("its format {} has no facts of plans; format {}.{} has them", form, kMajor, kMinor)};
}

} // namespace

std::optional<diff::Result> readResult(const Json& plan, std::string& problem) {
  try {
    return resultOf(Reader(plan, ""));
  } catch (const Mistake& mistake) {
    problem = mistake.text;
    return std::nullopt;
  }
}

std::optional<ResultFile> readResults(const Json& json, std::string& problem) {
  try {
    const Reader root(json, "");
    checkForm(root);
    ResultFile out;
    out.planc = root.at("planc").text();
    out.library = root.at("library_sha256").text();
    root.at("inputs").each(
        [&](const Reader& input) { out.inputs[input.at("path").text()] = input.at("sha256").text(); });
    std::set<std::string> seen;
    const auto add = [&](const Reader& plan, bool again) {
      diff::Result result = resultOf(plan);
      if (seen.insert(result.id()).second)
        out.plans.push_back(std::move(result));
      else if (!again)
        throw Mistake{fmt::format("it has `{}` twice", result.id())};
    };
    root.at("plans").each([&](const Reader& plan) { add(plan, false); });
    if (json.contains("comparisons"))
      root.at("comparisons").each([&](const Reader& comparison) {
        comparison.at("plans").each([&](const Reader& row) { add(row.at("estimate"), true); });
      });
    return out;
  } catch (const Mistake& mistake) {
    problem = mistake.text;
    return std::nullopt;
  }
}

} // namespace planc::report
