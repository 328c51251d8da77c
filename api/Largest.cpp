// Tries values of a path as candidates of searches.
// SPDX-License-Identifier: Apache-2.0
#include "api/Largest.h"

#include "backends/verdict/Verdict.h"
#include "search/Sweep.h"

#include <map>

namespace planc::api {

namespace {

using search::Fate;
using search::TriedValue;

/// Returns the whole number at `path` if the plan states it; else nothing.
std::optional<int64_t> presentValue(const ir::Plan& plan, const std::string& path) {
  if (const auto size = ir::sizeAt(plan, path)) return static_cast<int64_t>(size->quantity.value);
  for (const auto& [dim, extent] : plan.workload.extents())
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
    words_.goals = {"minimize step_time"}; // the plan's own goals may have no value without its search
  }

  /// Marks the words as checked, so that later errors are attributed to the tried value.
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

  /// A value that the path never accepts fails the whole list. Splits the list in halves until that value is alone.
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
    if (priced.estimate && priced.plan && priced.plan->cluster) out.devices = priced.plan->cluster->devices();
    if (const Diagnostic* const error = found.firstError()) out.message = error->message;
    if (!priced.plan && out.message.empty())
      out.message = "the ranks that remain for the filled axis are not a whole number";
    return out;
  }

private:
  PlanFile& file_;
  const std::string& choice_;
  ir::SearchWords words_;
  const std::string& path_;
};

/// Runs the plan's search at each value and keeps its best candidate.
class BestAtValues {
public:
  BestAtValues(PlanFile& file, const std::string& choice, ir::SearchWords words, const std::string& path,
               unsigned threads)
      : file_(file), choice_(choice), words_(std::move(words)), path_(path), threads_(threads) {
    words_.top = 1;
    words_.before = true;
  }

  std::unique_ptr<Search> of(int64_t value) {
    words_.numbers = {{path_, {{static_cast<double>(value), {}}}}};
    return Search::of(file_, choice_, words_);
  }

  std::vector<TriedValue> operator()(const std::vector<int64_t>& values) {
    std::vector<TriedValue> out;
    for (const int64_t value : values)
      if (auto one = tried(value)) out.push_back(*one);
    return out;
  }

  ShownValue shown(const std::optional<TriedValue>& tried) {
    ShownValue out;
    const auto at = tried ? examples_.find(tried->value) : examples_.end();
    if (at == examples_.end()) return out;
    const auto search = of(tried->value);
    file_.diagnostics().take();
    if (!search) {
      out.message = at->second.message;
      return out;
    }
    DiagnosticEngine found;
    const search::PricedPlan priced = search::pricedPlan(search->candidates(), at->second.id, found);
    if (const Diagnostic* const error = found.firstError()) out.message = error->message;
    if (!priced.estimate || !priced.plan) return out;
    out.capacity = priced.estimate->memory.capacity;
    out.devices = priced.plan->cluster ? priced.plan->cluster->devices() : 0;
    const std::vector<uint32_t> digits = search->space().digits(at->second.id);
    for (size_t c = 0; c < digits.size(); ++c) {
      const ir::Choice& one = search->space().choices[c];
      for (size_t p = 0; p < one.paths.size(); ++p)
        if (one.paths[p] != path_) out.choices.emplace_back(one.paths[p], one.values[digits[c]].texts[p]);
    }
    if (const auto rest = search->space().fill ? search->filled(at->second.id) : std::nullopt)
      out.choices.emplace_back("mesh." + search->space().fill->str(), std::to_string(*rest));
    if (tried->fate == TriedValue::Fate::Missed)
      out.missed = compared(search->terms().conditions[tried->condition].tree, *priced.plan, *priced.estimate);
    for (const ir::Condition& condition : search->terms().conditions)
      if (const auto value = compared(condition.tree, *priced.plan, *priced.estimate);
          value && tried->fits() && !condition.ofChoices())
        out.met.emplace_back(condition.tree.text, *value);
    return out;
  }

  /// The search whose plan's diagnostics say why values cannot be tried; null if they can.
  std::unique_ptr<Search> wrong;

private:
  /// The candidate that stands for a value, and the error message if there is no candidate.
  struct Example {
    ir::CandidateId id = 0;
    std::string message = {};
  };

  std::optional<TriedValue> tried(int64_t value) {
    TriedValue out{.value = value};
    auto search = of(value);
    if (!search) {
      const DiagnosticEngine mistakes = file_.diagnostics().take();
      const Diagnostic* const error = mistakes.firstError();
      if (error) out.code = error->kind->code;
      examples_[value] = {0, error ? error->message : std::string()};
      return out;
    }
    if (!search->check()) {
      wrong = std::move(search);
      return std::nullopt;
    }
    const search::Answer answer = search->run(threads_, true);
    file_.diagnostics().take();
    if (answer.best().empty() && !search->checkValues(answer)) {
      wrong = std::move(search);
      return std::nullopt;
    }
    if (const search::Outcome* example = exampleOf(answer, search->terms().conditions.size())) {
      out = triedValue(value, *example);
      examples_[value] = {example->id};
    } else {
      refuse(answer, out);
    }
    return out;
  }

  /// Returns the candidate nearest to an answer: one that meets everything, else one that misses a single condition,
  /// else the one with the least peak memory. Null if there is none.
  static const search::Outcome* exampleOf(const search::Answer& answer, size_t conditions) {
    if (!answer.best().empty()) return &answer.best().front();
    for (size_t c = 0; c < conditions; ++c)
      if (const search::Outcome* one = answer.bestWithout(c)) return one;
    return answer.leastPeak();
  }

  /// Stores the law that rejects the most candidates, or the condition that most candidates miss.
  void refuse(const search::Answer& answer, TriedValue& out) {
    uint64_t most = 0;
    for (const auto& [code, counted] : answer.unlawful())
      if (counted.count > most) most = counted.count, out.code = code, examples_[out.value] = {counted.first};
    for (size_t c = 0; c < answer.unmet().size(); ++c)
      if (const search::Counted& counted = answer.unmet()[c]; counted.count > most) {
        most = counted.count, out.fate = TriedValue::Fate::Missed, out.condition = static_cast<uint32_t>(c);
        examples_[out.value] = {counted.first};
      }
    if (most == 0) examples_[out.value] = {answer.of(Fate::Rest).first};
  }

  /// Returns the value of the left side of a comparison; nothing if the condition is no comparison.
  static std::optional<Quantity> compared(const ir::ExprTree& tree, const ir::Plan& plan,
                                          const cost::Estimate& estimate) {
    const ir::ExprNode& root = tree.nodes[tree.root];
    if (root.op < ir::ExprOp::Lt || root.op > ir::ExprOp::Ne || root.kids.empty()) return std::nullopt;
    ir::ExprTree side = tree;
    side.root = root.kids[0];
    const auto value = verdict::valueOf(side, plan, estimate);
    return value && !value->isBool ? std::optional(value->quantity) : std::nullopt;
  }

  PlanFile& file_;
  const std::string& choice_;
  ir::SearchWords words_;
  const std::string& path_;
  unsigned threads_;
  std::map<int64_t, Example> examples_;
};

/// `values`: Values or BestAtValues. `first`: the search at a value that the plan may have.
template <class AtValues>
void find(FittingValue& out, AtValues& values, const Search& first, search::Extreme what, const std::string& path,
          search::Probing probing) {
  out.plan = first.plan().asked().named;
  for (const ir::Condition& condition : first.terms().conditions) out.conditions.push_back(condition.tree.text);
  out.found = search::findExtreme(
      what, presentValue(first.plan().plan(), path), [&](const std::vector<int64_t>& tried) { return values(tried); },
      probing);
  out.in = values.shown(out.found.in), out.out = values.shown(out.found.out);
  out.refused = values.shown(out.found.refused), out.nearest = values.shown(out.found.nearest);
}

} // namespace

FittingValue fittingValue(PlanFile& file, const std::string& choice, ir::SearchWords words, search::Extreme what,
                          const std::string& path, PlanAtValue of, unsigned threads) {
  if (of == PlanAtValue::Best) {
    BestAtValues values(file, choice, std::move(words), path, threads);
    FittingValue out;
    out.best = true;
    auto first = values.of(1);
    out.found.failed = !first;
    if (first) find(out, values, *first, what, path, search::Probing::Sparse);
    out.wrong = std::move(values.wrong);
    return out;
  }
  Values values(file, choice, std::move(words), path);
  FittingValue out;
  const auto asWritten = values.of({1});
  out.found.failed = !asWritten || !asWritten->check();
  if (out.found.failed) return out;
  values.known();
  find(out, values, *asWritten, what, path, search::Probing::Dense);
  return out;
}

} // namespace planc::api
