// Ids of the facts of a fabric, a cluster level and a cluster. ClusterFacts.cpp documents each fact.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/facts/FactStore.h"

namespace planc::ir {

/// `growth_beyond` of a fabric that does not state it: public samples end at the eight devices of one node.
inline constexpr double kGrowthBeyond = 8;

enum class FabricFact : uint8_t {
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  SampledAt,
  SampledLatency,
  Growth,
  GrowthBeyond,
  Start,
  Hop,
  HopInside,
  LowLatencyHop,
  LowLatencyHopInside,
  LowLatencyEfficiency,
  Root,
  NicEfficiency,
  ExchangeEfficiency,
  ExchangeRoot,
  PairBonus,
  SendRecvStart,
  SendRecvBandwidth,
  SendRecvEfficiency,
  Algorithm,
  FittedSamples,
  FittedPlanc,
  FittedDate,
};

enum class LevelFact : uint8_t { Link, Bandwidth, Links, Latency, Cards, OwnPort, Topology, Jitter };

enum class ClusterFact : uint8_t { Device, Jitter, Price, HostPower, Storage };

} // namespace planc::ir
