// Values of a path as candidates of searches.
// SPDX-License-Identifier: Apache-2.0
#include "api/Largest.h"

#include "search/Sweep.h"

namespace planc::api {

namespace {

using search::Fate;
using search::TriedValue;

/// The whole number that a plan has at a path, as far as it says so itself.
std::optional<int64_t> presentValue(const ir::Plan& plan, const std::string& path) {
  if (const auto size = ir::sizeAt(plan, path)) return static_cast<int64_t>(size->quantity.value);
  for (const auto& [dim, extent] : plan.workload.extents)
    if (path == plan.workload.section.str() + "." + dim.str()) return extent;
  return std::nullopt;
}

TriedValue triedValue(int64_t value, const search::Outcome& outcome) {
  TriedValue out{.value = value, .code = outcome.code, .peak = outcome.peak, .stepTime = outcome.stepTime};
  out.condition = outcome.condition;
  if (outcome.fate == Fate::Met) out.fate = TriedValue::Fate::Fits;
  if (outcome.fate == Fate::Unfit) out.fate = TriedValue::Fate::Unfit;
  if (outcome.fate == Fate::Unmet || outcome.fate == Fate::Cut) out.fate = TriedValue::Fate::Missed;
  return out;
}

class Values {
public:
  Values(PlanFile& file, const std::string& choice, ir::SearchWords words, const std::string& path)
      : file_(file), choice_(choice), words_(std::move(words)), path_(path) {
    words_.vary.clear();
    words_.alone = true;
    words_.goals = {"minimize step_time"}; // the plan's own may have no value here
  }

  /// The words hold: a mistake of a value is that of its plan.
  void known() { words_.known = true; }

  std::unique_ptr<Search> of(const std::vector<int64_t>& values) {
    words_.numbers = {{path_, {}}};
    for (const int64_t value : values) words_.numbers.front().values.push_back({static_cast<double>(value), {}});
    return Search::of(file_, choice_, words_);
  }

  std::vector<TriedValue> operator()(const std::vector<int64_t>& values) {
    const auto search = of(values);
    std::vector<TriedValue> out;
    if (!search) return halves(values);
    if (!search->check()) return out;
    for (size_t i = 0; i < values.size(); ++i) out.push_back(triedValue(values[i], search->candidates().price(i)));
    return out;
  }

  /// A value that is no value of the path, whatever else is chosen, is a mistake of the whole list: it is told apart
  /// from the others by halves.
  std::vector<TriedValue> halves(const std::vector<int64_t>& values) {
    const DiagnosticEngine mistakes = file_.diagnostics().take();
    if (values.size() > 1) {
      const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
      std::vector<TriedValue> out = (*this)({values.begin(), half}), rest = (*this)({half, values.end()});
      out.insert(out.end(), rest.begin(), rest.end());
      return out;
    }
    TriedValue refused{.value = values.front()};
    if (const Diagnostic* const error = mistakes.firstError()) refused.code = error->kind->code;
    return {refused};
  }

  ShownValue shown(const std::optional<TriedValue>& tried) {
    ShownValue out;
    if (!tried) return out;
    const auto search = of({tried->value});
    DiagnosticEngine found;
    search::PricedPlan priced;
    if (search)
      priced = search::pricedPlan(search->candidates(), 0, found);
    else
      found = file_.diagnostics().take();
    if (priced.estimate) out.capacity = priced.estimate->memory.capacity;
    if (const Diagnostic* const error = found.firstError()) out.message = error->message;
    if (!priced.plan && out.message.empty())
      out.message = "no whole number of ranks is left for the axis that is filled";
    return out;
  }

private:
  PlanFile& file_;
  const std::string& choice_;
  ir::SearchWords words_;
  const std::string& path_;
};

} // namespace

FittingValue fittingValue(PlanFile& file, const std::string& choice, ir::SearchWords words, search::Extreme what,
                          const std::string& path) {
  Values values(file, choice, std::move(words), path);
  FittingValue out;
  const auto asWritten = values.of({1});
  out.found.failed = !asWritten || !asWritten->check();
  if (out.found.failed) return out;
  out.plan = asWritten->plan().asked().named;
  for (const ir::Condition& condition : asWritten->terms().conditions) out.conditions.push_back(condition.tree.text);
  values.known();
  out.found = search::findExtreme(what, presentValue(asWritten->plan().plan(), path),
                                  [&](const std::vector<int64_t>& tried) { return values(tried); });
  out.in = values.shown(out.found.in), out.out = values.shown(out.found.out);
  out.refused = values.shown(out.found.refused), out.nearest = values.shown(out.found.nearest);
  return out;
}

} // namespace planc::api
