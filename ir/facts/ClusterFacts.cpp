// The facts of a fabric, a cluster level and a cluster: one row each, in the order of their ids.
// SPDX-License-Identifier: Apache-2.0
#include "ir/facts/ClusterFacts.h"

#include "ir/facts/FactTable.h"

namespace planc::ir {

std::span<const FactRow> fabricFacts() {
  using enum FabricFact;
  static const std::vector<FactRow> rows{
      {AllReduce, "all_reduce", custom().asCalibrated(), "samples: `{ranks, a, b, g}`, or `{ranks, time = curve(…)}`"},
      {AllGather, "all_gather", custom().asCalibrated(), "samples"},
      {ReduceScatter, "reduce_scatter", custom().asCalibrated(), "samples"},
      {AllToAll, "all_to_all", custom().asCalibrated(), "samples"},
      {SampledAt, "sampled_at", number(units::bandwidth, ranges::kBandwidth).asCalibrated(),
       "rate of a device, in one direction, of the level that the samples were taken in"},
      {SampledLatency, "sampled_latency", number(units::time, ranges::kTime).asCalibrated(),
       "latency of a step, of the level that samples and constants were taken in: what a level has more is added to "
       "each step"},
      {Growth, "growth", number({}, ranges::kError).asCalibrated(),
       "of `a` per doubling beyond the nearest sampled group, and beyond `growth_beyond` ranks"},
      {FabricFact::GrowthBeyond, "growth_beyond", count(ranges::kSome).asCalibrated(),
       "ranks up to which `a` does not grow, however small the nearest sampled group is; 8 by default"},
      {Start, "start", number(units::time, ranges::kTime).asCalibrated(), "of a collective over network cards"},
      {Hop, "hop", number(units::time, ranges::kTime).asCalibrated(), "of each of its steps between nodes"},
      {HopInside, "hop_inside", number(units::time, ranges::kTime).asCalibrated(),
       "of each step of a ring that stays in a node; as `hop` where it is not given"},
      {LowLatencyHop, "low_latency.hop", number(units::time, ranges::kTime).asCalibrated(),
       "as `hop`, of the protocol that rings run where it is faster: it waits less and moves less at a time"},
      {LowLatencyHopInside, "low_latency.hop_inside", number(units::time, ranges::kTime).asCalibrated(),
       "as `hop_inside`, of that protocol; as its `hop` where it is not given"},
      {LowLatencyEfficiency, "low_latency.efficiency", number({}, ranges::kEfficiency).asCalibrated(),
       "share of the rate that is left to it"},
      {Root, "g", number(units::time, ranges::kTime).asCalibrated(), "of it, times √(x / 1 GB)"},
      {NicEfficiency, "nic_efficiency", number({}, ranges::kEfficiency).asCalibrated(),
       "share of a card's rate that collectives reach"},
      {ExchangeEfficiency, "exchange_efficiency", number({}, ranges::kEfficiency).asCalibrated(),
       "the same of exchanges"},
      {PairBonus, "pair_bonus", number({}, ranges::kRelative).asCalibrated(),
       "factor on the rate of an all-reduce of two nodes"},
      {SendRecvStart, "send_recv.start", number(units::time, ranges::kTime).asCalibrated(),
       "of a transfer from one device to another"},
      {SendRecvBandwidth, "send_recv.bandwidth", number(units::bandwidth, ranges::kBandwidth).asCalibrated(),
       "rate of a transfer"},
      {SendRecvEfficiency, "send_recv.efficiency", number({}, ranges::kEfficiency).asCalibrated(),
       "share of the level's rate, in place of a rate"},
      {FabricFact::Algorithm, "algorithm.*", custom().by(StarKey::Name).asCalibrated(),
       "how a collective over several levels is run"},
      {FabricFact::FittedSamples, "fitted.samples", text().asProvenance(),
       "the SHA-256 of the file of samples that it was fitted to, as `sha256:…`; of several files that of their "
       "digests"},
      {FabricFact::FittedPlanc, "fitted.planc", text().asProvenance(), "the version of planc that fitted it"},
      {FabricFact::FittedDate, "fitted.date", text().asProvenance(), "the day on which it was fitted, as `2026-11-28`"},
  };
  return rows;
}

std::span<const FactRow> levelFacts() {
  using enum LevelFact;
  static const std::vector<FactRow> rows{
      {Link, "link", custom(), "the fabric that connects its units"},
      {Bandwidth, "bandwidth", number(units::bandwidth, ranges::kBandwidth),
       "nominal, per device and direction; with `links` of one of them"},
      {Links, "links", count(ranges::kSome), "of a device"},
      {Latency, "latency", number(units::time, ranges::kTime),
       "nominal, of a step; beside samples and network cards what it is above `sampled_latency` of the fabric"},
      {Cards, "cards", count(ranges::kSome), "network cards that the devices of one unit below share"},
      {OwnPort, "own_port", truth(), "a device reaches it over other wires than the level below"},
      {LevelFact::Topology, "topology", custom(), "how its units are wired"},
      {LevelFact::Jitter, "jitter", number({}, ranges::kShare),
       "of the time in a step of each of all units below: standard deviation over mean"},
  };
  return rows;
}

std::span<const FactRow> clusterFacts() {
  using enum ClusterFact;
  static const std::vector<FactRow> rows{
      {ClusterFact::Device, "device", custom(), "what it is made of"},
      {ClusterFact::Jitter, "jitter", number({}, ranges::kShare),
       "of a device's time in a step: standard deviation over mean"},
      {Price, "price", number(units::price, ranges::kPrice),
       "of one device with its share of the rest; wins over the device's"},
      {HostPower, "host_power", number(units::power, ranges::kPower),
       "of hosts, cards and switches, per device, beside the device's"},
      {Storage, "storage", number(units::bandwidth, ranges::kBandwidth),
       "rate at which all devices together write a checkpoint"},
  };
  return rows;
}

} // namespace planc::ir
