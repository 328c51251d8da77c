// Finds facts of fabrics and levels that have no effect because of other facts that are given or missing.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/machine/VoidFacts.h"

#include "ir/facts/ClusterFacts.h"
#include "ir/facts/DeviceFacts.h"
#include "support/Quantity.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {
using ir::FabricFact;
using ir::LevelFact;

PLANC_WARNING(VoidFact, 541, "`{fact}` of {owner} has no effect: {why}")

namespace {

bool isCard(const ir::Fabric& f) {
  return f.has(FabricFact::NicEfficiency);
}
bool hasRows(const ir::Fabric& f) {
  return std::ranges::any_of(ir::Fabric::sampledOperations(),
                             [&](const auto& operation) { return !(f.*operation.samples).rows.empty(); });
}
/// Returns whether transfers and all operations of groups inside of a level have samples.
bool allSampled(const ir::Fabric& f) {
  return f.has(FabricFact::SendRecvBandwidth) &&
         std::ranges::all_of(ir::Fabric::sampledOperations(),
                             [&](const auto& operation) { return !(f.*operation.samples).rows.empty(); });
}
bool isMeasured(const ir::Fabric& f) {
  return isCard(f) || f.sampled() || f.has(FabricFact::SendRecvStart);
}
bool hasLowLatency(const ir::Fabric& f) {
  return isCard(f) && f.has(FabricFact::LowLatencyHop) && f.has(FabricFact::LowLatencyEfficiency);
}
bool hasNoTransferRate(const ir::Fabric& f) {
  return !f.has(FabricFact::SendRecvBandwidth);
}

/// A fact of a fabric, and whether the fabric has the other facts without which nothing reads it.
struct Condition {
  FabricFact fact;
  bool (*read)(const ir::Fabric& fabric);
  std::string_view why, help;
};
constexpr std::string_view kNoCard = "the fabric has no constants of network cards",
                           kSayCard = "add `nic_efficiency`, the share of a card's rate that collectives reach";
constexpr std::string_view
    kNoProtocol = "it takes `hop` and `efficiency` of `low_latency`, and a network card",
    kSayProtocol = "add the missing facts: `low_latency = {hop = 4us, efficiency = 92%}` and `nic_efficiency`";
constexpr std::string_view kNoSamples = "the fabric has no samples",
                           kSaySamples = "remove it, or add samples: `planc calibrate` writes them";
constexpr Condition kConditions[] = {
    {FabricFact::SampledAt, [](const ir::Fabric& f) { return f.sampled(); }, kNoSamples, kSaySamples},
    {FabricFact::SampledLatency, isMeasured, "the fabric has neither samples nor constants of network cards",
     kSaySamples},
    {FabricFact::Growth, hasRows, kNoSamples, kSaySamples},
    {FabricFact::GrowthBeyond, [](const ir::Fabric& f) { return hasRows(f) && f.has(FabricFact::Growth); },
     "the fabric has no samples whose `a` grows", "remove it, or add `growth` to the samples"},
    {FabricFact::Start, isCard, kNoCard, kSayCard},
    {FabricFact::Hop, isCard, kNoCard, kSayCard},
    {FabricFact::HopInside, isCard, kNoCard, kSayCard},
    {FabricFact::Root, isCard, kNoCard, kSayCard},
    {FabricFact::PairBonus, isCard, kNoCard, kSayCard},
    {FabricFact::LowLatencyHop, hasLowLatency, kNoProtocol, kSayProtocol},
    {FabricFact::LowLatencyHopInside, hasLowLatency, kNoProtocol, kSayProtocol},
    {FabricFact::LowLatencyEfficiency, hasLowLatency, kNoProtocol, kSayProtocol},
    {FabricFact::SendRecvEfficiency, hasNoTransferRate, "`send_recv.bandwidth` already gives the rate of a transfer",
     "remove one of the two"},
};

std::string fabricText(const ir::Fabric& f) {
  return fmt::format("fabric `{}`", f.name.view());
}

/// Warns of a level's latency that has no effect: the fabric's measured constants contain it, or do not give their own.
void checkLatency(Context& context, const ir::ClusterLevel& level, const std::string& owner) {
  const ir::Number* latency = level.number(LevelFact::Latency);
  if (!latency || !isMeasured(level.fabric)) return;
  const ir::Number* held = level.fabric.number(FabricFact::SampledLatency);
  if (held ? latency->value >= held->value : latency->value == 0) return; // read, or nothing to add
  const std::string why =
      held ? fmt::format("{} was measured with links that already take {} a step", fabricText(level.fabric),
                         formatQuantity(held->value, units::time))
           : fmt::format("{} does not state the latency of its links when measured", fabricText(level.fabric));
  context.report(VoidFact, latency->range, {{"fact", "latency"}, {"owner", owner}, {"why", why}})
      .label(held ? held->range : level.fabric.range, held ? "this latency" : "this fabric")
      .help(held ? "remove `latency`, or extend the fabric with constants of a machine with shorter links"
                 : "add the latency of a step on the measured machine, `sampled_latency = 5us : \"…\"`, so that only "
                   "the excess of a level is added; or remove `latency`");
}

} // namespace

void reportVoidFacts(Context& context, const ir::Fabric& fabric) {
  for (const Condition& c : kConditions) {
    const ir::Number* fact = fabric.number(c.fact);
    if (!fact || c.read(fabric)) continue;
    context
        .report(VoidFact, fact->range,
                {{"fact", ir::FactRef(c.fact).path()}, {"owner", fabricText(fabric)}, {"why", c.why}})
        .help(std::string(c.help));
  }
}

void reportVoidFacts(Context& context, const ir::Cluster& cluster) {
  for (const ir::ClusterLevel& level : cluster.levels) {
    const std::string owner = fmt::format("level `{}`", level.name.view());
    checkLatency(context, level, owner);
    if (level.topology.kind != ir::Topology().kind && allSampled(level.fabric))
      context
          .report(VoidFact, level.range,
                  {{"fact", "topology"},
                   {"owner", owner},
                   {"why", fmt::format("the samples of {} have the wiring of their machine in them",
                                       fabricText(level.fabric))}})
          .label(level.fabric.range, "this fabric")
          .help("remove `topology`, or link the level by a fabric without samples");
    if (const ir::Number* cards = level.number(LevelFact::Cards); cards && &level == &cluster.levels.front())
      context
          .report(VoidFact, cards->range,
                  {{"fact", "cards"}, {"owner", owner}, {"why", "it is the innermost: each device has its own"}})
          .help("remove it: `cards` counts the cards that the devices of one unit below share");
  }
  const ir::Number* host = cluster.number(ir::ClusterFact::HostPower);
  if (host && !cluster.device.has(ir::DeviceFact::Power))
    context
        .report(VoidFact, host->range,
                {{"fact", "host_power"},
                 {"owner", fmt::format("cluster `{}`", cluster.name.view())},
                 {"why", fmt::format("device `{}` has no `power`", cluster.device.name.view())}})
        .help("add `power` to the device: energy is the sum of both");
}

} // namespace planc::frontend
