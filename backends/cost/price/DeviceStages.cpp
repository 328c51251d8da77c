// Groups device stages by the virtual stages that they hold.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/DeviceStages.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace planc::cost {

DeviceStages::DeviceStages(const ir::Program& program)
    : program_(program), held_(program.virtualStages.size() * static_cast<size_t>(program.routes)),
      from_(static_cast<size_t>(program.stages) + 1) {
  for (const ir::VirtualStage& stage : program.virtualStages)
    for (const int64_t device : stage.devices) ++from_[static_cast<size_t>(device) + 1];
  std::partial_sum(from_.begin(), from_.end(), from_.begin());
  std::vector<size_t> next(from_.begin(), from_.end() - 1);
  for (size_t route = 0; route < static_cast<size_t>(program.routes); ++route)
    for (uint32_t vs = 0; vs < program.virtualStages.size(); ++vs)
      held_[next[static_cast<size_t>(program.virtualStages[vs].devices[route])]++] = vs;
  kindOf_.reserve(from_.size() - 1);
  for (size_t s = 0; s + 1 < from_.size(); ++s) {
    const auto alike = [&](uint32_t first) {
      return std::ranges::equal(heldBy(s), heldBy(first), [&](uint32_t a, uint32_t b) {
        return program.virtualStages[a].kind == program.virtualStages[b].kind;
      });
    };
    // Adjacent stages are usually alike.
    const auto same = std::find_if(first_.rbegin(), first_.rend(), alike);
    kindOf_.push_back(static_cast<uint32_t>(same == first_.rend() ? first_.size() : first_.rend() - same - 1));
    if (same == first_.rend()) first_.push_back(static_cast<uint32_t>(s));
  }
}

std::vector<std::pair<ir::LayerClassId, int64_t>> DeviceStages::instancesOn(size_t stage) const {
  std::map<ir::LayerClassId, int64_t> counts;
  for (const uint32_t vs : heldBy(stage))
    for (const auto& [id, count] : program_.kindOf(vs).classes) counts[id] += count;
  std::erase_if(counts, [](const auto& entry) { return entry.second == 0; });
  return {counts.begin(), counts.end()};
}

std::vector<const ir::StageKind*> DeviceStages::stageKinds(size_t stage) const {
  std::vector<const ir::StageKind*> kinds;
  kinds.reserve(heldBy(stage).size());
  for (const uint32_t vs : heldBy(stage)) kinds.push_back(&program_.kindOf(vs));
  return kinds;
}

} // namespace planc::cost
