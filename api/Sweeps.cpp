// Finds knees by pricing single candidates between the points of a sweep, and scaling by binding the batch to the
// choice.
// SPDX-License-Identifier: Apache-2.0
#include "api/Sweeps.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

namespace planc::api {

namespace {

/// Prices plans between the points of a sweep of one choice.
class Between {
public:
  Between(PlanFile& file, const std::string& choice, const ir::SearchWords& words, const search::SweepAxis& axis)
      : file_(file), choice_(choice), words_(words), axis_(axis) {}

  /// Returns the plan and estimate at `value`; both are null if it cannot be priced.
  search::PricedPlan at(double value) {
    words_.vary.clear();
    words_.numbers = {{axis_.path, {{value, axis_.unit}}}};
    const auto found = Search::of(file_, choice_, words_);
    DiagnosticEngine unread;
    return found ? search::pricedPlan(found->candidates(), 0, unread) : search::PricedPlan();
  }

private:
  PlanFile& file_;
  const std::string& choice_;
  ir::SearchWords words_;
  const search::SweepAxis& axis_;
};

std::string causeOf(const search::Knee& knee, Between& between) {
  const search::PricedPlan at[4] = {between.at(knee.from), between.at(knee.below), between.at(knee.above),
                                    between.at(knee.to)};
  const cost::Estimate* const estimates[4] = {at[0].estimate.get(), at[1].estimate.get(), at[2].estimate.get(),
                                              at[3].estimate.get()};
  const bool all = std::find(std::begin(estimates), std::end(estimates), nullptr) == std::end(estimates);
  return all ? search::kneeCause(knee, estimates) : std::string();
}

} // namespace

std::vector<search::NamedKnee> knees(PlanFile& file, const std::string& choice, const ir::SearchWords& words,
                                     const search::Sweep& sweep) {
  std::vector<double> x;
  std::vector<std::optional<double>> y;
  for (const search::SweepPoint* point : search::curvePoints(sweep)) {
    x.push_back(sweep.at(*point));
    y.push_back(point->priced ? std::optional(point->stepTime) : std::nullopt);
  }
  if (x.empty()) return {};
  Between between(file, choice, words, sweep.axes[0]);
  const auto curve = [&](double value) {
    const search::PricedPlan priced = between.at(value);
    return priced.estimate ? std::optional(priced.estimate->totals.stepTime) : std::nullopt;
  };
  std::vector<search::NamedKnee> out;
  for (const search::Knee& knee : search::findKnees(x, y, curve)) out.push_back({knee, causeOf(knee, between)});
  return out;
}

namespace {

/// Collects warnings, each code once.
class FirstWarnings {
public:
  /// `at`: the point at which they arose; empty for the plan as it is written.
  void add(const DiagnosticEngine& found, const std::string& at) {
    for (const Diagnostic* one : found.sorted()) {
      if (one->kind->severity != Severity::Warning || !codes_.insert(one->kind->code).second) continue;
      auto made = warnings_.report(*one->kind, one->range, one->args);
      made.primary(one->primary);
      for (const Label& label : one->labels) made.label(label.range, label.text);
      for (const std::string& help : one->help) made.help(help);
      for (const std::string& note : one->notes) made.note(note);
      if (!at.empty()) made.note("it occurs first at " + at);
    }
  }
  DiagnosticEngine take() { return warnings_.take(); }

private:
  std::set<int> codes_;
  DiagnosticEngine warnings_;
};

} // namespace

DiagnosticEngine sweepWarnings(Search& search, const search::Sweep& sweep) {
  constexpr size_t kLookedAt = 200; // each is lowered again
  FirstWarnings found;
  const auto look = [&](std::unique_ptr<Compilation> plan, const std::string& at) {
    if (!plan) return;
    plan->priceAlone();
    found.add(plan->diagnostics(), at);
  };
  look(search.plan().beside(search.plan().plan()), {});
  std::vector<const search::SweepPoint*> priced;
  for (const search::SweepPoint& point : sweep.points)
    if (point.priced) priced.push_back(&point);
  const size_t looks = std::min(kLookedAt, priced.size());
  for (size_t i = 0; i < looks; ++i) {
    const ir::CandidateId id = sweep.space->id(priced[looks > 1 ? i * (priced.size() - 1) / (looks - 1) : 0]->digits);
    look(search.candidate(id), sweep.space->str(id));
  }
  return found.take();
}

namespace {

/// Returns the global batch of each point in proportion to its devices; if those are unknown, in proportion to its
/// value.
std::vector<int64_t> grownBatches(const search::Sweep& along, const search::SweepPoint& first) {
  const search::SweepAxis& axis = along.axes[0];
  std::vector<int64_t> out;
  for (const search::SweepPoint& point : along.points) {
    double ratio = 1;
    if (point.devices > 0)
      ratio = static_cast<double>(point.devices) / static_cast<double>(first.devices);
    else if (axis.numeric() && along.at(first) > 0)
      ratio = along.at(point) / along.at(first);
    out.push_back(std::max<int64_t>(1, std::llround(static_cast<double>(first.globalBatch) * ratio)));
  }
  return out;
}

} // namespace

std::unique_ptr<Scaling> scaling(const PlanFile& file, const Search& search, const std::string& choice,
                                 const ir::SearchWords& words, const search::Sweep& along,
                                 const std::vector<const verdict::Metric*>& metrics) {
  const auto first = std::find_if(along.points.begin(), along.points.end(),
                                  [](const search::SweepPoint& point) { return point.trains; });
  auto out = std::make_unique<Scaling>();
  out->path = first->section + ".global_batch";
  out->batch = first->globalBatch;
  const FileId main = search.plan().plan().range.file;
  out->file.loadText(std::string(file.sources().path(main)), std::string(file.sources().text(main)));
  std::vector<ir::FactEdit> facts = file.edit().facts;
  std::erase_if(facts, [&](const ir::FactEdit& fact) { return fact.path == out->path; });
  out->file.set(facts);
  const auto run = [&](const std::vector<int64_t>& batches, search::Sweep& to) {
    ir::SearchWords bound = words;
    ir::VariedNumbers& batch = bound.numbers.emplace_back(ir::VariedNumbers{out->path, {}, true});
    for (const int64_t one : batches) batch.values.push_back({static_cast<double>(one), {}});
    std::unique_ptr<Search> found = Search::of(out->file, choice, bound);
    if (found) to = search::sweep(found->space(), found->candidates(), metrics);
    return found;
  };
  out->strongSearch = run(std::vector<int64_t>(along.points.size(), out->batch), out->strong);
  if (out->strongSearch) out->weakSearch = run(grownBatches(along, *first), out->weak);
  return out;
}

} // namespace planc::api
