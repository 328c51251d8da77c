// Selects the algorithm that prices a collective: the one of the requested word, else the first form that applies.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/collectives/Algorithms.h"

#include "ir/facts/ClusterFacts.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"
#include "ir/vocabulary/Topologies.h"

#include <algorithm>

namespace planc::cost {

using ir::CollectiveKind;
using ir::DeviceFact;

namespace {

bool isHostCopy(const Pricing& p, const Route&) {
  return p.collective().kind == CollectiveKind::HostCopy;
}
Term hostCopy(const Pricing& p, const Route&) {
  const Term link = p.fact(DeviceFact::HostBandwidth, "host link");
  const ir::Number* memory = p.facts.device.number(DeviceFact::HostMemoryBandwidth);
  const bool narrow = memory && memory->value < link.value;
  const Term rate = narrow ? p.fact(DeviceFact::HostMemoryBandwidth, "host memory") : link;
  return p.spent(p.known(p.collective().bytes, "bytes", units::bytes) / rate, narrow ? "host memory" : "host link");
}

bool isFree(const Pricing& p, const Route& r) {
  return p.collective().kind == CollectiveKind::Slice || p.collective().bytes <= 0 ||
         (r.ranks <= 1 && p.collective().kind != CollectiveKind::SendRecv);
}

Term nothing(const Pricing&, const Route&) {
  return 0;
}

constexpr std::string_view kSamples = "samples of the fabric";

/// In order of precedence.
constexpr CollectiveAlgorithm kForms[] = {
    {.applies = isHostCopy,
     .seconds = hostCopy,
     .name = "host copy",
     .source = "copy engines, both directions at once"},
    {.applies = isFree, .seconds = nothing, .name = "local"},
    {.applies = isTransfer, .seconds = transfer, .name = "send and receive", .source = "Hockney 1994"},
    {.applies = isSampled, .seconds = sampled, .name = "sampled", .source = kSamples},
    {.applies = isSampledAcross,
     .seconds = sampledAcross,
     .name = "sampled across",
     .source = "samples of the fabric, by ranks and nodes"},
    {.applies = isExchange,
     .seconds = exchange,
     .name = "exchange across",
     .source = "Thakur et al. 2005, pairwise exchange"},
    {.applies = isCard,
     .seconds = card,
     .name = "pipelined",
     .source = "rings and trees through all cards of a node at once, as NCCL"},
    {.applies = always, .seconds = nominal, .name = "nominal", .source = "Hockney 1994"},
};

/// Returns the algorithm that the stack requests, else the choice of the outermost level's fabric. Returns null if
/// neither has a word.
const CollectiveAlgorithm* choiceOf(const Pricing& p, const Route& r) {
  const ir::Number* choice = p.facts.stack.number(ir::StackFact::Algorithm, p.collective().kind);
  if (!choice) choice = p.facts.cluster.levels[r.top].fabric.number(ir::FabricFact::Algorithm, p.collective().kind);
  if (!choice) return nullptr;
  return collectiveAlgorithms().find(ir::algorithmWords().words()[static_cast<size_t>(choice->value)]->name);
}

/// Adds a note on the wiring of every level that is not priced from samples and does not have the default topology.
void noteTopologies(const Pricing& p, const Route& r) {
  const auto& levels = p.facts.cluster.levels;
  for (size_t l : r.spread()) {
    const ir::Topology& topology = levels[l].topology;
    const ir::Word* word = ir::topologyWords().find(topology.kind.view());
    if (!word || topology.kind == ir::Topology().kind || (r.domain && &levels[l] <= r.domain)) continue;
    const TopologyFactors factors = factorsAt(p, r, l);
    const std::string share = factors.bandwidth == 1 ? "all" : fmt::format("{} %", number(factors.bandwidth * 100));
    p.note("topology", fmt::format("{}, {}: {} of the bandwidth, {} steps ({})", levels[l].name.view(), word->name,
                                   share, number(factors.steps), word->source));
  }
}

} // namespace

ir::Implementations<CollectiveAlgorithm>& collectiveAlgorithms() {
  static ir::Implementations<CollectiveAlgorithm> table(ir::algorithmWords(), kAlgorithms);
  return table;
}

std::span<const CollectiveAlgorithm> collectiveForms() {
  return kForms;
}

const CollectiveAlgorithm& usual(const Pricing& p, const Route& r) {
  return *std::find_if(std::begin(kForms), std::end(kForms), [&](const auto& form) { return form.applies(p, r); });
}

/// Returns the algorithm with the least time. Rows are priced on a copy of the facts, so that facts missing in rejected
/// rows are not reported.
const CollectiveAlgorithm& fastest(const Pricing& p, const Route& r) {
  Facts scratch = p.facts;
  const Pricing trial(scratch, p.program, p.node, {});
  const CollectiveAlgorithm* best = &usual(trial, r);
  double least = best->seconds(trial, r).value;
  for (const CollectiveAlgorithm* row : collectiveAlgorithms().rows()) {
    if (row->standsFor || !row->applies(trial, r)) continue;
    if (const double time = row->seconds(trial, r).value; time < least) least = time, best = row;
  }
  return *best;
}

const CollectiveAlgorithm& algorithmOf(const Pricing& p, const Route& r) {
  const CollectiveAlgorithm* choice = isFree(p, r) ? nullptr : choiceOf(p, r);
  if (choice && choice->standsFor) return choice->standsFor(p, r);
  return choice && choice->applies(p, r) ? *choice : usual(p, r);
}

Term collectiveTime(const Pricing& p) {
  if (p.facts.cluster.levels.empty()) return 0;
  const Route route = routeOf(p);
  const CollectiveAlgorithm& row = algorithmOf(p, route);
  if (p.why && !isFree(p, route)) {
    const std::string_view name = row.name.empty() ? row.word->name : row.name;
    const std::string_view source = row.word ? row.word->source : row.source;
    p.note("algorithm", source.empty() ? std::string(name) : fmt::format("{}: {}", name, source));
    if (route.ranks > 1 && p.collective().kind != CollectiveKind::SendRecv) p.note("levels", routeText(p, route));
    noteTopologies(p, route);
  }
  return row.seconds(p, route);
}

Reads readByCollective(const Pricing& p) {
  const ir::Collective& c = p.collective();
  const ir::Mesh& mesh = p.program.mesh;
  Reads reads;
  reads << p.node.does.index() << c.kind << c.group << c.level << c.bytes << c.copies << c.places;
  reads << c.groupLimit.groups << c.groupLimit.limit << c.ring << (p.node.phase == ir::Phase::Backward);
  // The mesh enters through the positions of the group's axes in the levels.
  reads << mesh.size(c.axes) << mesh.levelSizes.size();
  for (const int64_t size : mesh.levelSizes) reads << size;
  for (const ir::AxisId axis : mesh.order)
    if (c.axes & ir::maskOf(axis)) reads << mesh.axes[axis].size << mesh.axes[axis].stride;
  return reads;
}

Priced priceCollective(const Pricing& p) {
  Priced priced = p.priced(collectiveTime(p));
  priced.bound = Bound::Network;
  return priced;
}

} // namespace planc::cost
