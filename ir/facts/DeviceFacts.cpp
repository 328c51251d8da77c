// The facts of a device: one row each, in the order of their ids.
// SPDX-License-Identifier: Apache-2.0
#include "ir/facts/DeviceFacts.h"

#include "ir/facts/FactTable.h"

namespace planc::ir {

std::span<const FactRow> deviceFacts() {
  using enum DeviceFact;
  static const std::vector<FactRow> rows{
      {Platform, "platform", text(), "what its software is compiled for, as stacks write it, too"},
      {Names, "names", custom(), "list of what drivers call it, or a part of that; of several that fit the longest"},
      {Architecture, "architecture", text(),
       "generation of its kind, as `hopper`: stacks say of which their runs were"},
      {Usual, "usual", text(),
       "a cluster of it, as `hgx.hgx_h100`: its links are those that samples of collectives are held against"},
      {Memory, "memory", number(units::bytes, ranges::kSize), "capacity"},
      {Bandwidth, "bandwidth", number(units::bandwidth, ranges::kBandwidth), "of the memory, as the datasheet says"},
      {Power, "power", number(units::power, ranges::kDraw), "drawn by the device alone"},
      {Price, "price", number(units::price, ranges::kPrice), "of one device with its share of everything else"},
      {Recipes, "recipes", custom(), "list of the ways of scaling fp8 and fp4 that it multiplies"},
      {Peak, "peak.*", number(units::rate, ranges::kRate).by(StarKey::DType).asBasis(),
       "of dense products; a device that states it anew has none of the samples and runs of the one that it extends"},
      {GemmEfficiency, "calibration.gemm.*.efficiency",
       number({}, ranges::kEfficiency).by(StarKey::DType).orTable(units::flops).measured(),
       "share of `peak` that products reach"},
      {GemmMemoryEfficiency, "calibration.gemm.*.memory_efficiency",
       number({}, ranges::kEfficiency).by(StarKey::DType).measured(), "share of `bandwidth` that products reach"},
      {GemmStart, "calibration.gemm.*.start", number(units::time, ranges::kTime).by(StarKey::DType).measured(),
       "time of a product beside its work"},
      {GemmEnergy, "calibration.gemm.*.energy",
       number(units::energyPerFlop, ranges::kEnergyPerFlop).by(StarKey::DType).measured(),
       "of a FLOP of `peak` at full clocks: in long training they drop where `power` is less than that"},
      {GemmRuns, "calibration.gemm.*.runs", count(ranges::kSome).by(StarKey::DType).measured().asEvidence(),
       "published whole runs in this type that it was compared with"},
      {Alignment, "calibration.alignment", number(units::bytes, ranges::kSize).measured(),
       "of a head: a product of scores or of values whose heads are no multiple of it runs at `peak.fp32`"},
      {ScoresMemoryEfficiency, "calibration.scores.memory_efficiency",
       number({}, ranges::kEfficiency).orTable(units::none).measured(),
       "of the product of queries and keys; a table goes by head dimension"},
      {ScoresBackward, "calibration.scores.backward", number({}, ranges::kFactor).orTable(units::none).measured(),
       "backward over forward; a table goes by head dimension"},
      {ScoresSize, "calibration.scores.size", curve({}, ranges::kRelative, units::bytes).measured(),
       "factor on `memory_efficiency`, by bytes of the scores"},
      {ContextMemoryEfficiency, "calibration.context.memory_efficiency",
       number({}, ranges::kEfficiency).orTable(units::none).measured(),
       "of the product of scores and values; a table goes by head dimension"},
      {ContextBackward, "calibration.context.backward", number({}, ranges::kFactor).orTable(units::none).measured(),
       "backward over forward; a table goes by head dimension"},
      {ContextSize, "calibration.context.size", curve({}, ranges::kRelative, units::bytes).measured(),
       "factor on `memory_efficiency`, by bytes of the scores"},
      {AttentionForward, "calibration.attention.forward", curve(units::rate, ranges::kRate).measured(),
       "useful rate of the fused kernel by sequence length, at head dimension 128",
       "calibration.attention.forward.rate"},
      {AttentionHead, "calibration.attention.head", curve({}, ranges::kRelative).measured(),
       "factor by head dimension"},
      {AttentionBackward, "calibration.attention.backward", number({}, ranges::kFactor).orTable(units::none).measured(),
       "backward over forward; a table goes by head dimension"},
      {AttentionStart, "calibration.attention.start", number(units::time, ranges::kTime).measured(),
       "time beside its work"},
      {AttentionSplit, "calibration.attention.split", number({}, ranges::kEfficiency).measured(),
       "efficiency where the queries or the keys are split"},
      {AttentionEnergy, "calibration.attention.energy", number(units::energyPerFlop, ranges::kEnergyPerFlop).measured(),
       "of a useful FLOP of the fused kernel at its best rate: without it its clocks do not drop"},
      {MemoryEfficiency, "calibration.memory.efficiency", number({}, ranges::kEfficiency).measured(),
       "share of `bandwidth` that operators bound by memory reach"},
      {MemoryStart, "calibration.memory.start", number(units::time, ranges::kTime).measured(),
       "time of such an operator beside its bytes"},
      {LookupEfficiency, "calibration.lookup.efficiency", number({}, ranges::kEfficiency).measured(),
       "share of `bandwidth` that rows in random order reach"},
      {HostBandwidth, "host.bandwidth", number(units::bandwidth, ranges::kBandwidth).measured(),
       "of the link to the host, achieved, in one direction"},
      {HostMemory, "host.memory", number(units::bytes, ranges::kSize), "share of one device"},
      {HostMemoryBandwidth, "host.memory_bandwidth", number(units::bandwidth, ranges::kBandwidth),
       "share of one device, reads and writes together"},
      {HostUpdateEfficiency, "host.update_efficiency", number({}, ranges::kEfficiency).measured(),
       "share of `memory_bandwidth` that an optimizer's update on the host reaches"},
  };
  return rows;
}

} // namespace planc::ir
