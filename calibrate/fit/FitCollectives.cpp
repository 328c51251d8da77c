// Fits collectives: start, bandwidth and the square-root term by operation, ranks and nodes; and send and receive
// (docs/cost-model.md, sections 2.1 and 2.3).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/Equations.h"
#include "calibrate/fit/Fit.h"
#include "calibrate/samples/Traffic.h"
#include "ir/facts/ClusterFacts.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace planc::calibrate {

namespace eq = cost::equations;
using ir::CollectiveKind;

namespace {

constexpr size_t kMessageKnots = 14;
/// A start or root term below this share of the shortest time counts as 0.
constexpr double kNothing = 1e-3;

/// The fact of a fabric that a group of samples is fitted to; of a send, its start.
ir::FabricFact factOf(CollectiveKind kind) {
  return kind == CollectiveKind::SendRecv ? ir::FabricFact::SendRecvStart : ir::Fabric::sampledOperation(kind)->fact;
}

/// A group: operation, nodes, ranks.
using Group = std::tuple<Symbol, double, double>;

struct GroupFit {
  bool root; ///< has a term that grows with the square root of the size

  /// Returns the start a and bandwidth b, and the root term g if there is one.
  std::vector<double> closed(const Points& p) const {
    std::vector<double> measured;
    double least = p.front()->forward, rate = 0, most = 0;
    for (const Sample* s : p) {
      measured.push_back(s->forward);
      least = std::min(least, s->forward);
      rate = std::max(rate, wireBytes(*s) / s->forward);
      most = std::max(most, wireBytes(*s));
    }
    // Start with no small term, because the search cannot recover a term that has vanished.
    std::vector<double> start{least / 2, rate};
    if (root) start.push_back(least / 2 / std::max(eq::rootTerm(1.0, most), 1e-3));
    return fitClosed(start, measured, [&](std::span<const double> v, size_t i) {
      return eq::sampled(v[0], v[1], v.size() > 2 ? v[2] : 0, wireBytes(*p[i]));
    });
  }
  ir::Table table(const Points& p) const {
    std::vector<double> x, y;
    for (const Sample* s : p) x.push_back((*s)[Extent::Bytes]), y.push_back(s->forward);
    const auto same = [](double, double v) { return v; };
    return monotone(fitCurve(x, y, kMessageKnots), same, same);
  }
};

/// A third constant must reduce the held-out error at least to this share of the error with two.
constexpr double kBetter = 0.8;

Fitter closedFitter(const GroupFit& fit) {
  return [fit](const Points& p) -> Predict {
    return
        [v = fit.closed(p)](const Sample& s) { return eq::sampled(v[0], v[1], v.size() > 2 ? v[2] : 0, wireBytes(s)); };
  };
}

bool wantsRoot(const Points& points) {
  const auto error = [&](bool root) {
    const Quality q = judge(points, Direction::Forward, Size::Bytes, closedFitter(GroupFit{root}));
    return q.median + q.p75; // up to a tenth of the samples may be wild
  };
  return error(true) < kBetter * error(false);
}

void fitGroup(Fitting& f, const Group& group, const Points& points) {
  const auto& [name, nodes, ranks] = group;
  const CollectiveKind kind = *parseCollective(name.view());
  const ir::FabricFact fact = factOf(kind);
  const bool sends = kind == CollectiveKind::SendRecv;
  const GroupFit fit{!sends && wantsRoot(points)};
  const std::string who = nodes > 1 ? fmt::format("{} of {} on {} nodes", name.view(), ranks, nodes)
                                    : fmt::format("{} of {}", name.view(), ranks);
  const Fitter table = [&](const Points& p) -> Predict {
    return [c = fit.table(p)](const Sample& s) { return c.at(s[Extent::Bytes]); };
  };
  Quality q = f.choose(who, points, Direction::Forward, Size::Bytes, closedFitter(fit), sends ? Fitter() : table);
  std::vector<double> v = fit.closed(points);
  double least = points.front()->forward;
  for (const Sample* s : points) least = std::min(least, s->forward);
  if (!sends) v.resize(3);
  if (v[0] < kNothing * least) v[0] = 0;
  if (!sends && v[2] < kNothing * least) v[2] = 0;
  const Record record = nodes > 1 ? Record::Network : Record::Node;
  Section section = f.section(record, points, {&q});
  if (sends) {
    section.facts = {{fact, v[0]}, {ir::FabricFact::SendRecvBandwidth, v[1]}};
  } else {
    section.samplesOf = fact;
    section.sample = {.ranks = ranks, .a = v[0], .b = v[1], .g = v[2], .nodes = nodes > 1 ? nodes : 0};
    if (q.form == Form::Table) section.sample.time = fit.table(points);
  }
  q.constants = q.form == Form::Table ? fmt::format("{} points", fit.table(points).x.size())
                                      : fmt::format("a {}, b {}{}", formatQuantity(v[0], units::time),
                                                    formatQuantity(v[1], units::bandwidth),
                                                    v.size() > 2 ? ", g " + formatQuantity(v[2], units::time) : "");
  f.out.sections.push_back(std::move(section));
  f.out.qualities.push_back(std::move(q));
}

} // namespace

void fitCollectives(Fitting& f) {
  std::map<Group, Points> groups;
  for (const Sample* s : f.points(Kind::Collective, Direction::Forward))
    if (parseCollective(s->name.view())) groups[{s->name, (*s)[Extent::Nodes], (*s)[Extent::Ranks]}].push_back(s);
  for (const auto& [group, points] : groups) fitGroup(f, group, points);
}

} // namespace planc::calibrate
