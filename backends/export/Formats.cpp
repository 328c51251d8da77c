// The table of formats. A new format is a file with its function and a row here.
// SPDX-License-Identifier: Apache-2.0
#include "backends/export/Export.h"

#include <array>

namespace planc::exports {

std::span<const Format> formats() {
  static constexpr std::array<Format, 4> kFormats{{
      {"perfetto", "trace events for ui.perfetto.dev and speedscope", true, false, writePerfetto},
      {"kineto", "one device in the words of PyTorch's profiler", true, true, writeKineto},
      {"dot", "operators, collectives and the order of passes for Graphviz", false, false, writeDot},
      {"megatron", "arguments of Megatron-LM for what the plan says", false, false, nullptr},
  }};
  return kFormats;
}

const Format* findFormat(std::string_view name) {
  for (const Format& format : formats())
    if (format.name == name) return &format;
  return nullptr;
}

} // namespace planc::exports
