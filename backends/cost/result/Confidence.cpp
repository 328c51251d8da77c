// Adds up the time of the critical stage by calibrated record, and derives the uncertainty of the step time from the
// records' errors.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/result/Confidence.h"

#include "backends/cost/price/Buckets.h"
#include "backends/cost/price/Pricing.h"
#include "backends/cost/price/Update.h"
#include "backends/cost/result/Distance.h"
#include "backends/cost/result/Rows.h"
#include "backends/cost/result/Unsaid.h"
#include "ir/facts/StackFacts.h"
#include "ir/program/CollectiveNodes.h"
#include "ir/program/States.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace planc::cost {

namespace {

constexpr double kCoverage = 0.9;
/// A reading outside of samples is worth a warning if more than this share of the step depends on it.
constexpr double kWorthAWarning = 0.01;
/// Readings within this factor of the samples are not worth a warning either: a closed form continues smoothly, a table
/// does not. Such readings still widen the interval.
constexpr double kNearTable = 1.5, kNearForm = 4;

/// The time that is priced from one record.
struct RecordTime {
  Owner owner;
  std::string record; ///< empty: nominal numbers of a level, or the network card of a fabric
  bool nominal = false;
  double samples = 0;
  double seconds = 0;
  double weighted = 0; ///< seconds · error
  double base = 0;     ///< seconds · error without readings outside of samples
  double outside = 0;  ///< seconds outside of its samples
  /// Seconds · error by the size at which the record was read, because the errors of kernels of one size are equal.
  std::vector<std::pair<double, double>> sizes{};
};

/// A fact that was read outside of its samples, at its most distant reading.
struct Outside {
  Evidence item;
  std::string requester;
  SourceRange at;
  double seconds = 0;
};

class Ledger {
public:
  Ledger(const Simulation& sim, const CostModel& model, Facts& facts, const ir::Accuracy& accuracy)
      : sim_(sim), program_(*sim.schedule->program), model_(model), facts_(facts), accuracy_(accuracy),
        unsaid_(program_, facts.stack) {}

  void addClasses();
  void addTied();
  void addTransfers();
  void addOnce();
  Confidence finish();

private:
  void add(double seconds, const EvidenceList& evidence, const Requester& requester);
  void addNode(const ir::Node& node, double seconds);
  size_t entryOf(const Evidence& item);
  void note(const Evidence& item, double seconds, const Requester& requester);
  double deviationOf(const Evidence& item) const;

  const Simulation& sim_;
  const ir::Program& program_;
  const CostModel& model_;
  Facts& facts_;
  const ir::Accuracy& accuracy_;
  std::vector<RecordTime> entries_;
  std::vector<Outside> outside_;
  double total_ = 0, beyond_ = 0;
  UnsaidTime unsaid_;
};

/// Returns the relative standard deviation of a record: the stated one, or the default for records without samples.
double Ledger::deviationOf(const Evidence& item) const {
  if (!item.statistics) return accuracy_.nominal;
  const double stated = item.statistics->deviation();
  const double unsampled = item.owner.kind == ir::RecordKind::Stack ? accuracy_.fitted : accuracy_.derived;
  return stated > 0 ? stated : unsampled;
}

/// Returns the record that an error belongs to. The rates of a stack's kernels share theirs: what is known of one
/// kernel of a recurrent layer is known of the others.
std::string_view recordOf(const Evidence& item) {
  if (!item.statistics) return {};
  const ir::FactId id = item.fact.id;
  const bool kernel =
      id == ir::FactRef(ir::StackFact::RatesForward).id || id == ir::FactRef(ir::StackFact::RatesBackward).id;
  return kernel ? std::string_view("rates") : std::string_view(item.statistics->record);
}

size_t Ledger::entryOf(const Evidence& item) {
  const std::string_view record = recordOf(item);
  for (size_t i = 0; i < entries_.size(); ++i)
    if (entries_[i].owner.kind == item.owner.kind && entries_[i].owner.name == item.owner.name &&
        entries_[i].record == record)
      return i;
  entries_.push_back(
      {item.owner, std::string(record), !item.statistics, item.statistics ? item.statistics->samples : 0});
  return entries_.size() - 1;
}

/// Adds time that depends on records. Each record counts once, with the largest error of its readings.
void Ledger::add(double seconds, const EvidenceList& evidence, const Requester& requester) {
  if (!(seconds > 0)) return;
  struct Reading {
    size_t entry;
    double base = 0, error = 0, beyond = 0, away = 0, size = 0;
  };
  std::vector<Reading> readings;
  double furthest = 0;
  for (const Evidence& g : evidence) {
    const size_t index = entryOf(g);
    auto known = std::find_if(readings.begin(), readings.end(), [&](const Reading& r) { return r.entry == index; });
    if (known == readings.end()) known = readings.insert(readings.end(), {index});
    const double beyond = g.beyond();
    const double near = std::log(g.table ? kNearTable : kNearForm);
    if (beyond > std::max(known->beyond, near)) note(g, known->beyond > near ? 0 : seconds, requester);
    const double base = deviationOf(g);
    known->base = std::max(known->base, base);
    known->error = std::max(known->error, base + accuracy_.distance * g.away());
    known->beyond = std::max(known->beyond, beyond);
    known->away = std::max(known->away, g.away());
    known->size = std::max(known->size, g.size);
    furthest = std::max(furthest, g.away());
  }
  for (const Reading& r : readings) {
    entries_[r.entry].seconds += seconds;
    entries_[r.entry].weighted += seconds * r.error;
    entries_[r.entry].base += seconds * r.base;
    if (r.away > 0) entries_[r.entry].outside += seconds;
    auto& sizes = entries_[r.entry].sizes;
    const auto same = std::find_if(sizes.begin(), sizes.end(), [&](const auto& s) { return s.first == r.size; });
    if (same == sizes.end())
      sizes.push_back({r.size, seconds * r.error});
    else
      same->second += seconds * r.error;
  }
  total_ += seconds;
  if (furthest > 0) beyond_ += seconds;
}

void Ledger::note(const Evidence& item, double seconds, const Requester& requester) {
  auto seen =
      std::find_if(outside_.begin(), outside_.end(), [&](const Outside& o) { return o.item.range == item.range; });
  if (seen == outside_.end()) seen = outside_.insert(outside_.end(), {item, requester.text(), requester.range(), 0});
  seen->seconds += seconds;
  if (item.beyond() > seen->item.beyond())
    seen->item = item, seen->requester = requester.text(), seen->at = requester.range();
}

void Ledger::addNode(const ir::Node& node, double seconds) {
  if (!(seconds > 0)) return;
  EvidenceList evidence;
  model_.price(program_, node, {.evidence = &evidence});
  add(seconds, evidence, {&program_, &node});
  unsaid_.add(node, seconds);
}

/// Adds the time on the compute stream: operators, exposed communication, and waiting for the host.
void Ledger::addClasses() {
  double launches = 0;
  for (const auto& [id, spent] : sim_.account().account.bodies()) {
    const ir::LayerClass& layerClass = program_.classes[id];
    for (const bool backward : {false, true}) {
      const auto& nodes = backward ? layerClass.backward : layerClass.forward;
      for (size_t n = 0; n < spent.nodes(backward).size(); ++n) {
        const Spent& s = spent.nodes(backward)[n];
        addNode(nodes[n], s.computing + s.slowed + s.exposed);
        launches += s.launches;
      }
    }
    for (size_t s = 0; s < spent.states.size(); ++s)
      addNode(messagesOf(*sim_.schedule, id, layerClass.states[s]).one, spent.states[s]);
  }
  const ir::Stack& stack = facts_.stack;
  const ir::Number* launch = stack.number(ir::StackFact::Launch);
  if (launches > 0 && launch)
    add(launches, {{Facts::owner(stack), &launch->statistics, ir::StackFact::Launch, launch->range, 0, {}, 0, 0}}, {});
}

/// Adds the reductions of parameters that the critical stage shares with others.
void Ledger::addTied() {
  if (!(sim_.steps[sim_.critical].tied > 0)) return;
  for (const ir::StageGroup& group : program_.stageGroups)
    if (group.stages.size() > 1 &&
        std::find(group.stages.begin(), group.stages.end(), sim_.critical) != group.stages.end()) {
      const ir::Node sum = sumNode(group);
      addNode(sum, model_.price(program_, sum).seconds);
    }
}

/// Adds the transfers that occupy the critical stage, and its idle time, which is as uncertain as the transfers between
/// stages.
void Ledger::addTransfers() {
  const ir::StageKind* sender = nullptr;
  const auto between = [&](int64_t from, double seconds) {
    if (from < 0 || program_.kindOf(from).sends.empty()) return;
    const ir::StageKind& stage = program_.kindOf(from);
    if (!sender) sender = &stage;
    for (const ir::Boundary& b : stage.sends)
      addNode(transferNode(stage, b), seconds / static_cast<double>(stage.sends.size()));
  };
  for (const HeldStage& held : sim_.stages[sim_.critical].holds) {
    const auto booked = [&](Cause cause) { return held.booked[cause]; };
    between(held.virtualStage, booked(Cause::Send) + booked(Cause::ReceiveBack));
    between(held.virtualStage - 1, booked(Cause::SendBack) + booked(Cause::Receive));
  }
  if (sender) addNode(transferNode(*sender, sender->sends.front()), sim_.account().idle);
}

/// Adds the optimizer's step, which depends on the longest of device, host and link.
void Ledger::addOnce() {
  if (!(sim_.optimizer > 0)) return;
  const Requester requester = updateRequester(program_);
  const StageUpdate u = model_.update(program_, stagesOn(program_, sim_.critical));
  if (u.link >= u.seconds()) {
    EvidenceList evidence;
    model_.hostLink(program_, {.evidence = &evidence});
    add(u.link, evidence, requester);
    return;
  }
  const bool onHost = u.memory >= u.seconds();
  if (onHost) add(u.memory - u.host, {}, {}); // traffic over the link, at a datasheet's bandwidth
  for (const ir::StageKind* stage : stagesOn(program_, sim_.critical)) {
    const double together = updatedTogether(program_, *stage);
    for (const auto& [id, count] : stage->classes)
      for (const ir::ParamState& p : program_.classes[id].params) {
        const ir::Optimizer* by = ir::updaterHere(program_, p);
        if (!by || by->onHost != onHost) continue;
        EvidenceList evidence;
        const double seconds =
            model_.update(program_, p, together, {.evidence = &evidence}).seconds * static_cast<double>(count);
        add(seconds, evidence, requester);
      }
  }
}

/// Returns the share of a record's error that remains. Errors of kernels of several sizes average out: their squares
/// add up.
double leftOf(const RecordTime& e) {
  double squares = 0;
  for (const auto& [size, weighted] : e.sizes) squares += weighted * weighted;
  return e.weighted > 0 ? std::sqrt(squares) / e.weighted : 1;
}

void sortTerms(std::vector<RecordShare>& terms) {
  std::stable_sort(terms.begin(), terms.end(),
                   [](const RecordShare& a, const RecordShare& b) { return a.share * a.error > b.share * b.error; });
}

Confidence Ledger::finish() {
  Confidence out;
  const double total = std::max(total_, 1e-300);
  for (const RecordTime& e : entries_) {
    const double seconds = std::max(e.seconds, 1e-300), left = leftOf(e);
    out.terms.push_back({recordText(e.owner, e.record, e.nominal), e.seconds / total, left * e.weighted / seconds,
                         e.outside / total, e.samples, false, e.record, e.owner.kind, e.owner.name,
                         left * e.base / seconds});
  }
  for (RecordShare& term : unsaid_.terms(total)) out.terms.push_back(std::move(term));
  sortTerms(out.terms);
  out.outside = beyond_ / total;
  for (const Outside& o : outside_)
    if (o.seconds >= kWorthAWarning * total) facts_.outside(o.item, o.seconds / total, o.requester, o.at);
  return out;
}

} // namespace

std::string_view name(Ends ends) {
  constexpr std::array<std::string_view, 3> kNames{"either", "faster", "slower"};
  return kNames[static_cast<size_t>(ends)];
}

std::string recordText(const Owner& owner, std::string_view record, bool nominal) {
  const std::string text = fmt::format("{} `{}`", noun(owner.kind), owner.name.view());
  if (nominal) return "nominal numbers of " + text;
  return record.empty() ? text : fmt::format("`{}` of {}", record, text);
}

double termsWidth(const Confidence& confidence, Ends end, bool distances) {
  double variance = 0;
  for (const RecordShare& t : confidence.terms)
    if ((distances || !t.distance) && (t.ends == Ends::Both || t.ends == end))
      variance += t.share * t.error * t.share * t.error;
  return kNinetyPercent * std::sqrt(variance);
}

void setInterval(Confidence& c, const ir::Accuracy& accuracy) {
  c.runsLow = accuracy.low;
  c.runsHigh = accuracy.high;
  c.low = std::exp(-std::hypot(std::log(accuracy.low), termsWidth(c, Ends::Faster)));
  c.high = std::exp(std::hypot(std::log(accuracy.high), termsWidth(c, Ends::Slower)));
  c.coverage = kCoverage;
}

std::vector<WidthPart> widthParts(const Confidence& c) {
  std::vector<WidthPart> parts;
  const auto squares = [](double low, double high) {
    return std::log(low) * std::log(low) + std::log(high) * std::log(high);
  };
  const double width = squares(c.low, c.high);
  if (c.coverage <= 0 || !(width > 0)) return parts;
  parts.push_back({std::string(kRunsPart), squares(c.runsLow, c.runsHigh) / width});
  for (const RecordShare& t : c.terms) {
    const double half = kNinetyPercent * t.share * t.error, ends = t.ends == Ends::Both ? 2 : 1;
    if (half > 0) parts.push_back({t.what, ends * half * half / width});
  }
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.share > b.share; });
  return parts;
}

Confidence confidence(const Simulation& sim, const CostModel& model, Facts& facts) {
  static const ir::Accuracy kNone;
  const std::optional<ir::Accuracy> accuracy = facts.stack.accuracy();
  Ledger ledger(sim, model, facts, accuracy ? *accuracy : kNone);
  ledger.addClasses();
  ledger.addTied();
  ledger.addTransfers();
  ledger.addOnce();
  Confidence out = ledger.finish();
  if (accuracy) {
    for (RecordShare& term : distances(*sim.schedule->program, facts, *accuracy)) out.terms.push_back(std::move(term));
    sortTerms(out.terms);
    setInterval(out, *accuracy);
  }
  return out;
}

} // namespace planc::cost
