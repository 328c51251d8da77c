// Adds up which calibrated records the critical stage's time stands on, and what their errors make of the step time.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/Confidence.h"

#include "backends/cost/Pricing.h"
#include "backends/cost/Rows.h"
#include "backends/cost/Update.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace planc::cost {

namespace {

/// Standard deviations of a normal variable on either side of which five of a hundred lie.
constexpr double kNinetyPercent = 1.6449;
constexpr double kCoverage = 0.9;
/// A reading outside of samples is worth a warning where more than this share of the step depends on it.
constexpr double kWorthAWarning = 0.01;
/// Nor is one this close to them, as a factor: a closed form goes on as it did, a table does not. It widens the
/// interval all the same.
constexpr double kNearTable = 1.5, kNearForm = 4;

/// What is priced from one record.
struct Entry {
  Owner owner;
  std::string record; ///< empty: nominal numbers of a level, or the card of a fabric
  bool nominal = false;
  double samples = 0;
  double seconds = 0;
  double weighted = 0; ///< seconds · error
  double outside = 0;  ///< seconds outside of its samples
};

/// A fact that was read outside of its samples, where it is furthest away.
struct Outside {
  Ground ground;
  std::string asker;
  SourceRange at;
  double seconds = 0;
};

class Ledger {
public:
  Ledger(const Simulation& sim, const CostModel& model, const ir::Accuracy& accuracy)
      : sim_(sim), program_(*sim.schedule->program), model_(model), accuracy_(accuracy) {}

  void addBodies();
  void addStates(double exposed);
  void addTransfers();
  void addOnce();
  Confidence finish();

private:
  void add(double seconds, const Grounds& grounds, const Asker& asker);
  void addNode(const ir::Node& node, double seconds);
  size_t entryOf(const Ground& ground);
  void note(const Ground& ground, double seconds, const Asker& asker);
  double errorOf(const Ground& ground) const;

  const Simulation& sim_;
  const ir::Program& program_;
  const CostModel& model_;
  const ir::Accuracy& accuracy_;
  std::vector<Entry> entries_;
  std::vector<Outside> outside_;
  double total_ = 0, beyond_ = 0;
};

/// Of a reading: what its record says, or what is assumed of those that stand on no samples, and more with the distance
/// to the samples.
double Ledger::errorOf(const Ground& ground) const {
  if (!ground.statistics) return accuracy_.nominal;
  const ir::Statistics& s = *ground.statistics;
  const double unsampled = ground.owner.kind == Owner::Kind::Stack ? accuracy_.fitted : accuracy_.derived;
  return (s.error > 0 ? s.error : unsampled) + accuracy_.distance * ground.beyond();
}

size_t Ledger::entryOf(const Ground& ground) {
  const std::string_view record = ground.statistics ? std::string_view(ground.statistics->record) : std::string_view();
  for (size_t i = 0; i < entries_.size(); ++i)
    if (entries_[i].owner.kind == ground.owner.kind && entries_[i].owner.name == ground.owner.name &&
        entries_[i].record == record)
      return i;
  entries_.push_back(
      {ground.owner, std::string(record), !ground.statistics, ground.statistics ? ground.statistics->samples : 0});
  return entries_.size() - 1;
}

/// Time that stands on records: each counts once, with the largest error of what was read of it.
void Ledger::add(double seconds, const Grounds& grounds, const Asker& asker) {
  if (!(seconds > 0)) return;
  struct Reading {
    size_t entry;
    double error = 0, beyond = 0;
  };
  std::vector<Reading> readings;
  double furthest = 0;
  for (const Ground& g : grounds) {
    const size_t index = entryOf(g);
    auto known = std::find_if(readings.begin(), readings.end(), [&](const Reading& r) { return r.entry == index; });
    if (known == readings.end()) known = readings.insert(readings.end(), {index});
    const double beyond = g.beyond();
    const double near = std::log(g.table ? kNearTable : kNearForm);
    if (beyond > std::max(known->beyond, near)) note(g, known->beyond > near ? 0 : seconds, asker);
    known->error = std::max(known->error, errorOf(g));
    known->beyond = std::max(known->beyond, beyond);
    furthest = std::max(furthest, beyond);
  }
  for (const Reading& r : readings) {
    entries_[r.entry].seconds += seconds;
    entries_[r.entry].weighted += seconds * r.error;
    if (r.beyond > 0) entries_[r.entry].outside += seconds;
  }
  total_ += seconds;
  if (furthest > 0) beyond_ += seconds;
}

void Ledger::note(const Ground& ground, double seconds, const Asker& asker) {
  auto seen =
      std::find_if(outside_.begin(), outside_.end(), [&](const Outside& o) { return o.ground.range == ground.range; });
  if (seen == outside_.end()) seen = outside_.insert(outside_.end(), {ground, asker.text(), asker.range(), 0});
  seen->seconds += seconds;
  if (ground.beyond() > seen->ground.beyond())
    seen->ground = ground, seen->asker = asker.text(), seen->at = asker.range();
}

void Ledger::addNode(const ir::Node& node, double seconds) {
  if (!(seconds > 0)) return;
  Grounds grounds;
  if (node.kind == ir::NodeKind::Collective)
    model_.collective(program_, node, nullptr, &grounds);
  else
    model_.compute(program_, node, nullptr, &grounds);
  add(seconds, grounds, {&program_, &node});
}

/// What occupies the compute stream: operators, communication that shows, and waiting for the host.
void Ledger::addBodies() {
  const std::vector<int64_t> counts = instancesOn(program_, sim_.critical);
  for (uint32_t b = 0; b < counts.size(); ++b) {
    if (counts[b] == 0) continue;
    const ir::Body& body = program_.bodies[ir::BodyId(b)];
    const double passes = static_cast<double>(counts[b]) * static_cast<double>(program_.passes());
    double waiting = 0;
    for (const bool backward : {false, true}) {
      const auto& nodes = backward ? body.backward : body.forward;
      const SegmentCost& cost = sim_.bodies[b].of(backward);
      waiting += cost.padding;
      for (size_t n = 0; n < nodes.size(); ++n)
        if (cost.nodes[n].runs) addNode(nodes[n], passes * (cost.nodes[n].occupied - cost.nodes[n].padding));
    }
    const ir::OptNumber& launch = model_.facts().stack.launch;
    if (waiting > 0 && launch)
      add(passes * waiting,
          {{model_.facts().stackOwner(), &launch->statistics, {"launch"}, launch->range, 0, {}, 0, 0}}, {});
  }
}

/// What gathers and reductions of states show, spread over them by their time.
void Ledger::addStates(double exposed) {
  if (!(exposed > 0)) return;
  const std::vector<int64_t> counts = instancesOn(program_, sim_.critical);
  auto each = [&](auto f) {
    for (uint32_t b = 0; b < counts.size(); ++b) {
      const auto& states = program_.bodies[ir::BodyId(b)].states;
      for (size_t s = 0; s < states.size(); ++s) {
        const double times = states[s].phase == ir::Phase::Step ? 1 : static_cast<double>(program_.passes());
        f(states[s], static_cast<double>(counts[b]) * times * sim_.bodies[b].states[s]);
      }
    }
  };
  double all = sim_.tied;
  each([&](const ir::StateCollective&, double seconds) { all += seconds; });
  if (!(all > 0)) return;
  each([&](const ir::StateCollective& state, double seconds) {
    addNode(collectiveNode(state), exposed * seconds / all);
  });
  for (const ir::StageGroup& group : program_.stageGroups)
    if (group.stages.size() > 1) addNode(group.allReduce, exposed * sim_.tied / all);
}

/// Blocking sends of the critical stage; and its waits for other stages, which are as sure as the transfers that keep
/// their order.
void Ledger::addTransfers() {
  const auto& costs = sim_.pipeline.virtualStages;
  const double shown = sim_.pipeline.inlineSend * static_cast<double>(program_.passes());
  for (size_t vs : program_.heldBy(sim_.critical)) {
    for (const ir::Boundary& b : program_.virtualStages[vs].sends)
      addNode(transferNode(program_.virtualStages[vs], b),
              shown * costs[vs].send / static_cast<double>(program_.virtualStages[vs].sends.size()));
    if (vs == 0 || costs[vs].sendBack <= 0) continue;
    const auto& sends = program_.virtualStages[vs - 1].sends;
    for (const ir::Boundary& b : sends)
      addNode(transferNode(program_.virtualStages[vs - 1], b),
              shown * costs[vs].sendBack / static_cast<double>(sends.size()));
  }
  const ir::VirtualStage* sender = nullptr;
  for (size_t vs : program_.heldBy(sim_.critical))
    for (size_t from : {vs, vs > 0 ? vs - 1 : vs})
      if (!sender && !program_.virtualStages[from].sends.empty()) sender = &program_.virtualStages[from];
  if (sender)
    addNode(transferNode(*sender, sender->sends.front()), sim_.stages[static_cast<size_t>(sim_.critical)].bubble());
}

/// The optimizer's step.
void Ledger::addOnce() {
  if (!(sim_.optimizer > 0)) return;
  const ir::Node node = updateNode();
  for (size_t vs : program_.heldBy(sim_.critical)) {
    const double together = updatedTogether(program_, program_.virtualStages[vs]);
    for (const auto& [id, count] : program_.virtualStages[vs].bodies)
      for (const ir::ParamState& p : program_.bodies[id].params) {
        Grounds grounds;
        const Pricing pricing(model_.facts(), program_, node, nullptr, &grounds);
        const double seconds = updateShard(pricing, p, together).seconds * static_cast<double>(count);
        add(seconds, grounds, {&program_, &node});
      }
  }
}

std::string nameOf(const Entry& e) {
  const std::string owner = fmt::format("{} `{}`", noun(e.owner.kind), e.owner.name.view());
  if (e.nominal) return "nominal numbers of " + owner;
  return e.record.empty() ? owner : fmt::format("`{}` of {}", e.record, owner);
}

Confidence Ledger::finish() {
  Confidence out;
  const double total = std::max(total_, 1e-300);
  for (const Entry& e : entries_)
    out.terms.push_back(
        {nameOf(e), e.seconds / total, e.seconds > 0 ? e.weighted / e.seconds : 0, e.outside / total, e.samples});
  std::stable_sort(out.terms.begin(), out.terms.end(),
                   [](const Term& a, const Term& b) { return a.share * a.error > b.share * b.error; });
  out.outside = beyond_ / total;
  for (const Outside& o : outside_)
    if (o.seconds >= kWorthAWarning * total) model_.facts().outside(o.ground, o.seconds / total, o.asker, o.at);
  return out;
}

} // namespace

void setInterval(Confidence& c, const ir::Accuracy& accuracy) {
  double variance = 0;
  for (const Term& t : c.terms) variance += t.share * t.error * t.share * t.error;
  const double terms = kNinetyPercent * std::sqrt(variance);
  c.runsLow = accuracy.low;
  c.runsHigh = accuracy.high;
  c.low = std::exp(-std::hypot(std::log(accuracy.low), terms));
  c.high = std::exp(std::hypot(std::log(accuracy.high), terms));
  c.coverage = kCoverage;
}

std::vector<WidthPart> widthParts(const Confidence& c) {
  std::vector<WidthPart> parts;
  const double width = std::log(c.high), runs = std::log(c.runsHigh);
  if (c.coverage <= 0 || !(width > 0)) return parts;
  parts.push_back({std::string(kRunsPart), runs * runs / (width * width)});
  for (const Term& t : c.terms) {
    const double half = kNinetyPercent * t.share * t.error;
    if (half > 0) parts.push_back({t.what, half * half / (width * width)});
  }
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.share > b.share; });
  return parts;
}

Confidence confidence(const Simulation& sim, const CostModel& model, double exposedState) {
  static const ir::Accuracy kNone;
  const auto& accuracy = model.facts().stack.accuracy;
  Ledger ledger(sim, model, accuracy ? *accuracy : kNone);
  ledger.addBodies();
  ledger.addStates(exposedState);
  ledger.addTransfers();
  ledger.addOnce();
  Confidence out = ledger.finish();
  if (accuracy) setInterval(out, *accuracy);
  return out;
}

} // namespace planc::cost
