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
       "rate of a device, in one direction, in the sampled level"},
      {SampledLatency, "sampled_latency", number(units::time, ranges::kTime).asCalibrated(),
       "latency of a step in the sampled level; the extra latency of a level is added to each step"},
      {Growth, "growth", number({}, ranges::kError).asCalibrated(),
       "growth of `a` per doubling beyond the nearest sampled group, and beyond `growth_beyond` ranks"},
      {FabricFact::GrowthBeyond, "growth_beyond", count(ranges::kSome).asCalibrated(),
       "ranks up to which `a` does not grow, however small the nearest sampled group is; 8 by default"},
      {Start, "start", number(units::time, ranges::kTime).asCalibrated(), "start of a collective over network cards"},
      {Hop, "hop", number(units::time, ranges::kTime).asCalibrated(), "time of each step between nodes"},
      {HopInside, "hop_inside", number(units::time, ranges::kTime).asCalibrated(),
       "time of each step of a ring inside a node; default `hop`"},
      {LowLatencyHop, "low_latency.hop", number(units::time, ranges::kTime).asCalibrated(),
       "`hop` of a second protocol for rings, which waits less and moves less at a time; the faster one is used"},
      {LowLatencyHopInside, "low_latency.hop_inside", number(units::time, ranges::kTime).asCalibrated(),
       "`hop_inside` of the second protocol; default its `hop`"},
      {LowLatencyEfficiency, "low_latency.efficiency", number({}, ranges::kEfficiency).asCalibrated(),
       "share of the rate that the second protocol reaches"},
      {Root, "g", number(units::time, ranges::kTime).asCalibrated(), "factor of √(x / 1 GB)"},
      {NicEfficiency, "nic_efficiency", number({}, ranges::kEfficiency).asCalibrated(),
       "share of a card's rate that collectives reach"},
      {ExchangeEfficiency, "exchange_efficiency", number({}, ranges::kEfficiency).asCalibrated(),
       "share of a card's rate that exchanges reach"},
      {ExchangeRoot, "exchange_g", number(units::time, ranges::kTime).asCalibrated(),
       "factor of √(x (N - 1) / 1 GB) of an exchange between N nodes; 0 by default"},
      {PairBonus, "pair_bonus", number({}, ranges::kRelative).asCalibrated(),
       "factor on the rate of an all-reduce of two nodes"},
      {SendRecvStart, "send_recv.start", number(units::time, ranges::kTime).asCalibrated(),
       "start of a transfer from one device to another"},
      {SendRecvBandwidth, "send_recv.bandwidth", number(units::bandwidth, ranges::kBandwidth).asCalibrated(),
       "rate of a transfer"},
      {SendRecvEfficiency, "send_recv.efficiency", number({}, ranges::kEfficiency).asCalibrated(),
       "share of the level's rate, instead of a rate"},
      {FabricFact::Algorithm, "algorithm.*", custom().by(StarKey::Name).asCalibrated(),
       "algorithm of a collective over several levels"},
      {FabricFact::FittedSamples, "fitted.samples", text().asProvenance(),
       "SHA-256 of the fitted samples' file, as `sha256:…`; for several files that of their digests"},
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
       "nominal bandwidth per device and direction, or of one link if `links` is given"},
      {Links, "links", count(ranges::kSome), "links of a device"},
      {Latency, "latency", number(units::time, ranges::kTime),
       "nominal latency of a step; with samples and network cards only its excess over `sampled_latency` counts"},
      {Cards, "cards", count(ranges::kSome), "network cards that the devices of one unit below share"},
      {OwnPort, "own_port", truth(), "a device reaches the level over other wires than the level below"},
      {LevelFact::Topology, "topology", custom(), "wiring of its units"},
      {LevelFact::Jitter, "jitter", number({}, ranges::kShare),
       "standard deviation over mean of the step times of the units below"},
  };
  return rows;
}

std::span<const FactRow> clusterFacts() {
  using enum ClusterFact;
  static const std::vector<FactRow> rows{
      {ClusterFact::Device, "device", custom(), "the device of the cluster"},
      {ClusterFact::Jitter, "jitter", number({}, ranges::kShare),
       "standard deviation over mean of the devices' step times"},
      {Price, "price", number(units::price, ranges::kPrice),
       "price of one device with its share of the rest; overrides the device's"},
      {HostPower, "host_power", number(units::power, ranges::kPower),
       "power of hosts, cards and switches per device, in addition to the device's"},
      {Storage, "storage", number(units::bandwidth, ranges::kBandwidth),
       "rate at which all devices together write a checkpoint"},
  };
  return rows;
}

} // namespace planc::ir
