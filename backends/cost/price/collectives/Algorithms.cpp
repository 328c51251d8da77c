// The table of algorithms, and which of its rows prices a collective.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/collectives/Algorithms.h"

#include "ir/facts/ClusterFacts.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"

#include <algorithm>

namespace planc::cost {

using ir::Algorithm;
using ir::CollectiveKind;
using ir::DeviceFact;

namespace {

bool isHostCopy(const Pricing& p, const Route&) {
  return p.node.collective == CollectiveKind::HostCopy;
}
double hostCopy(const Pricing& p, const Route&) {
  const double link = p.fact(DeviceFact::HostBandwidth, "host link");
  const ir::Number* memory = p.facts.device.number(DeviceFact::HostMemoryBandwidth);
  const bool narrow = memory && memory->value < link;
  const double rate = narrow ? p.fact(DeviceFact::HostMemoryBandwidth, "host memory") : link;
  const double time = p.node.bytes / rate;
  const std::string_view limit = narrow ? "host memory" : "host link";
  p.spends(time, std::string(limit));
  if (p.why)
    p.explain(fmt::format("bytes / {}", limit),
              fmt::format("{} / {} = {}", bytes(p.node.bytes), bandwidth(rate), seconds(time)));
  return time;
}

bool isFree(const Pricing& p, const Route& r) {
  return p.node.collective == CollectiveKind::Slice || p.node.bytes <= 0 ||
         (r.ranks <= 1 && p.node.collective != CollectiveKind::SendRecv);
}

double nothing(const Pricing&, const Route&) {
  return 0;
}

/// What the stack asks for, else what the fabric of the outermost level runs; without a word its own form.
Algorithm choiceOf(const Pricing& p, const Route& r) {
  const ir::Number* choice = p.facts.stack.number(ir::StackFact::Algorithm, p.node.collective);
  if (!choice) choice = p.facts.cluster.levels[r.top].fabric.number(ir::FabricFact::Algorithm, p.node.collective);
  return choice ? static_cast<Algorithm>(choice->value) : Algorithm::Pipelined;
}

/// Without a word: samples, card or nominal.
const CollectiveAlgorithm& usual(const Pricing& p, const Route& r) {
  const auto& table = collectiveAlgorithms();
  return *std::find_if(table.begin(), table.end(),
                       [&](const CollectiveAlgorithm& row) { return !row.word && row.applies(p, r); });
}

/// Prices every row on a copy of the facts: what those not chosen lack must not be reported.
const CollectiveAlgorithm& fastest(const Pricing& p, const Route& r) {
  Facts scratch = p.facts;
  const Pricing trial(scratch, p.program, p.node, {});
  const CollectiveAlgorithm* best = &usual(trial, r);
  double least = best->seconds(trial, r);
  for (const CollectiveAlgorithm& row : collectiveAlgorithms()) {
    if (!row.word || !row.applies(trial, r)) continue;
    if (const double time = row.seconds(trial, r); time < least) least = time, best = &row;
  }
  return *best;
}

/// The wiring of every level that is not priced from samples, where it is not the standard one.
void noteTopologies(const Pricing& p, const Route& r) {
  const auto& levels = p.facts.cluster.levels;
  for (size_t l : r.spread()) {
    const ir::Topology& topology = levels[l].topology;
    const ir::TopologyKind* row = ir::findTopology(topology.kind);
    if (!row || topology.kind == ir::Topology().kind || (r.domain && &levels[l] <= r.domain)) continue;
    const ir::TopologyFactors factors = factorsAt(p, r, l);
    const std::string share = factors.bandwidth == 1 ? "all" : fmt::format("{} %", number(factors.bandwidth * 100));
    p.note("topology", fmt::format("{}, {}: {} of the bandwidth, {} steps ({})", levels[l].name.view(), row->name,
                                   share, number(factors.steps), row->source));
  }
}

} // namespace

const std::vector<CollectiveAlgorithm>& collectiveAlgorithms() {
  static const std::vector<CollectiveAlgorithm> table = {
      {"host copy", "bytes / host link", "copy engines, both directions at once", isHostCopy, hostCopy},
      {"local", "0", "", isFree, nothing},
      {"send and receive", "start + bytes / b, a ring per step", "Hockney 1994", isTransfer, transfer},
      {"sampled", "a + x / b + g·√(x / 1 GB)", "samples of the fabric", isSampled, sampled},
      {"sampled across", "a + x / b + g·√(x / 1 GB)", "samples of the fabric, by ranks and nodes", isSampledAcross,
       sampledAcross},
      {"exchange across", "start + across / (efficiency · NIC) + inside", "Thakur et al. 2005, pairwise exchange",
       isExchange, exchange},
      {"pipelined", "start + hop · steps + x / min(efficiency · NIC · ranks per node, b) + g·√(x / 1 GB)",
       "rings and trees through all cards of a node at once, as NCCL", isCard, card},
      {"nominal", "latency · steps + x / bandwidth", "Hockney 1994", always, nominal},
      {"ring", "hop · (n - 1) per pass, x through the narrowest level", "Patarasuk and Yuan 2009", isRing, ring,
       Algorithm::Ring},
      {"tree", "hop · log2(n) per pass, x through the narrowest level", "Sanders, Speck, Traeff 2009", isTree, tree,
       Algorithm::Tree},
      {"hierarchical", "reduce-scatter inside, across on 1 / ranks inside, all-gather inside",
       "Cho et al. 2019 (BlueConnect); exchange: arXiv 2201.05596", isHierarchical, hierarchical,
       Algorithm::Hierarchical},
      {"reduced whole", "as an all-reduce, of which a device keeps its part", "DeepSpeed, ZeRO-1 and -2",
       isReducedWhole, reducedWhole, Algorithm::AllReduce},
  };
  return table;
}

const CollectiveAlgorithm& algorithmOf(const Pricing& p, const Route& r) {
  const CollectiveAlgorithm& first = usual(p, r);
  const Algorithm choice = choiceOf(p, r);
  if (choice == Algorithm::Pipelined || isFree(p, r)) return first;
  if (choice == Algorithm::Fastest) return fastest(p, r);
  for (const CollectiveAlgorithm& row : collectiveAlgorithms())
    if (row.word == choice && row.applies(p, r)) return row;
  return first;
}

double priceCollective(const Pricing& p) {
  if (p.facts.cluster.levels.empty()) return 0;
  const Route route = routeOf(p);
  const CollectiveAlgorithm& row = algorithmOf(p, route);
  if (p.why && !isFree(p, route)) {
    p.note("algorithm", row.source.empty() ? std::string(row.name) : fmt::format("{}: {}", row.name, row.source));
    if (route.ranks > 1 && p.node.collective != CollectiveKind::SendRecv) p.note("levels", routeText(p, route));
    noteTopologies(p, route);
  }
  return row.seconds(p, route);
}

} // namespace planc::cost
