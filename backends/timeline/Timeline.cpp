// Names of the timeline's parts.
// SPDX-License-Identifier: Apache-2.0
#include "backends/timeline/Timeline.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::timeline {

std::string_view name(SpanKind kind) {
  static constexpr std::array<std::string_view, 9> kNames{
      "compute", "communication", "wait", "host", "idle", "optimizer", "overhead", "straggler", "communication"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view name(MemoryKind kind) {
  static constexpr std::array<std::string_view, kMemoryKinds> kNames{"parameters",  "gradients",   "optimizer states",
                                                                     "activations", "working set", "buffers"};
  return kNames[static_cast<size_t>(kind)];
}

std::vector<std::string> Timeline::layerNames(const PassRef& pass, const PassDetail& detail) const {
  std::vector<int64_t> all(layers.size()); // by class: its layers in the pass
  for (const LayerSpan& layer : detail.layers) ++all[layer.layerClass.index];
  std::vector<std::string> out;
  for (const LayerSpan& layer : detail.layers) {
    const uint32_t c = layer.layerClass.index;
    const LayerNames& names = layers[c];
    if (!names.repeated || pass.virtualStage < 0) {
      out.push_back(names.name);
      continue;
    }
    const auto vs = static_cast<size_t>(pass.virtualStage);
    const int64_t before = instancesBefore[vs][c], count = instancesBefore[vs + 1][c] - before;
    const int64_t each = std::max<int64_t>(1, all[c] / std::max<int64_t>(1, count)); // layers of an instance
    const int64_t number = (isBackward(pass.action) ? all[c] - 1 - layer.number : layer.number) / each;
    const auto place = static_cast<size_t>(before + number);
    out.push_back(fmt::format("{}[{}]", names.name, place < names.instances.size() ? names.instances[place] : number));
  }
  return out;
}

} // namespace planc::timeline
