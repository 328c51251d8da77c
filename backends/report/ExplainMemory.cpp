// Where the peak of the memory comes from: what lives when the fullest stage is fullest.
// SPDX-License-Identifier: Apache-2.0
#include "backends/report/ExplainParts.h"
#include "ir/facts/DeviceFacts.h"

#include <fmt/core.h>

namespace planc::report {

void explainMemory(ExplainPage& page, const ExplainInput& input) {
  const cost::Memory& m = input.report->estimate->memory;
  auto text = [](double bytes) { return formatQuantity(bytes, units::bytes); };
  page.number("memory", text(m.peak),
              fmt::format("of {} ({}){}", text(m.capacity), percentText(m.peak / m.capacity),
                          m.stages.size() > 1 ? fmt::format(" on stage {}", m.fullest) : ""));
  if (const ir::Number* capacity = input.facts->device.number(ir::DeviceFact::Memory))
    page.constant("memory.capacity", *capacity);
  SumTable parts(page, units::bytes);
  parts.add("memory.params", m.params, "parameters");
  parts.add("memory.grads", m.grads, "gradients");
  parts.add("memory.optimizer", m.optimizer, "states of the optimizer, master copies");
  parts.add("memory.activations", m.activations, "kept for backward, and the working set");
  parts.add("memory.buffers", m.buffers, "gathered parameters, transfers, logits in fp32");
  parts.write(m.params + m.grads + m.optimizer + m.activations + m.buffers);
  for (const cost::StageMemory& s : m.stages) {
    if (s.stage != m.fullest || s.live.empty()) continue;
    const std::string when = s.phase == ir::Phase::Step ? "in the optimizer's step"
                                                        : fmt::format("in {} of micro-batch {}, {}", ir::name(s.phase),
                                                                      s.microBatch, runningText(s));
    page.line("");
    page.line("fullest " + when + ":");
    SumTable live(page, units::bytes);
    for (const cost::LiveBytes& l : s.live) live.add(l.what, l.bytes);
    live.write(s.peak);
  }
  for (const cost::StageMemory& s : m.stages) {
    if (m.hostPeak <= 0 || s.hostBytes < m.hostPeak) continue;
    page.line("");
    page.line(fmt::format("in the host's memory, of a device's {}:", text(m.hostCapacity)));
    SumTable host(page, units::bytes);
    for (const cost::LiveBytes& l : s.host) host.add(l.what, l.bytes);
    host.write(m.hostPeak);
    break;
  }
}

} // namespace planc::report
