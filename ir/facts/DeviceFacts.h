// Ids of the facts of a device. DeviceFacts.cpp documents each fact.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/facts/FactStore.h"

namespace planc::ir {

enum class DeviceFact : uint8_t {
  Platform,
  Names,
  Architecture,
  Usual,
  Memory,
  Bandwidth,
  Power,
  Price,
  Recipes,
  Peak,
  GemmEfficiency,
  GemmMemoryEfficiency,
  GemmStart,
  GemmEnergy,
  GemmRuns,
  Alignment,
  ScoresMemoryEfficiency,
  ScoresBackward,
  ScoresSize,
  ContextMemoryEfficiency,
  ContextBackward,
  ContextSize,
  AttentionForward,
  AttentionHead,
  AttentionBackward,
  AttentionStart,
  AttentionSplit,
  AttentionEnergy,
  MemoryEfficiency,
  MemoryStart,
  LookupEfficiency,
  HostDevices,
  HostBandwidth,
  HostMemory,
  HostMemoryBandwidth,
  HostUpdateEfficiency,
  FittedSamples,
  FittedPlanc,
  FittedDate,
};

} // namespace planc::ir
