// Explains the peak of memory: the contents of the fullest stage at its peak, and the probability that they fit.
// SPDX-License-Identifier: Apache-2.0
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"
#include "report/explain/ExplainParts.h"

#include <cmath>
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
  if (m.fitsProbability) page.fact("fits", chanceText(*m.fitsProbability) + " sure: memory.fits_probability");
  if (m.pool) page.fact("the allocator holds", text(*m.pool) + ": memory.pool");
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
    page.gap();
    page.line("fullest " + when + ":");
    SumTable live(page, units::bytes);
    for (const cost::LiveBytes& l : s.live) live.add(l.what, l.bytes);
    live.write(s.peak);
  }
  for (const cost::StageMemory& s : m.stages) {
    if (m.hostPeak <= 0 || s.hostBytes < m.hostPeak) continue;
    page.gap();
    page.line(fmt::format("in the host's memory, {} for a device:", text(m.hostCapacity)));
    SumTable host(page, units::bytes);
    for (const cost::LiveBytes& l : s.host) host.add(l.what, l.bytes);
    host.write(m.hostPeak);
    break;
  }
}

void explainPool(ExplainPage& page, const ExplainInput& input) {
  const cost::Memory& m = input.report->estimate->memory;
  const ir::Number* caching = input.report->plan->stack->number(ir::StackFact::Caching);
  if (!m.pool || !caching) return page.number("memory.pool", "-", "the stack gives no `caching`");
  auto text = [](double bytes) { return formatQuantity(bytes, units::bytes); };
  page.number("memory.pool", text(*m.pool), "maximum that the allocator holds, cached blocks included");
  page.equation("min( caching · peak, memory - reserved ), but at least peak",
                fmt::format("min( {:.4g} · {}, {} ) = {}", caching->value, text(m.peak), text(m.capacity - m.reserved),
                            text(*m.pool)));
  page.line("it does not affect what fits: free blocks are released before an allocation fails", 2);
  page.constant("caching", *caching);
}

void explainFits(ExplainPage& page, const ExplainInput& input) {
  const cost::Memory& m = input.report->estimate->memory;
  const ir::Stack& stack = *input.report->plan->stack;
  const ir::Number* error = stack.number(ir::StackFact::AccuracyMemory);
  if (!m.fitsProbability || !error)
    return page.number("memory.fits_probability", "-", "no probability: the stack gives no `accuracy.memory`");
  const bool host = m.hostIsFuller();
  const double peak = host ? m.hostPeak : m.peak, room = host ? m.hostCapacity : m.room();
  auto text = [](double bytes) { return formatQuantity(bytes, units::bytes); };
  page.number("memory.fits_probability", chanceText(*m.fitsProbability),
              host ? fmt::format("in a device's share of the host's memory: {} of {}", text(peak), text(room))
              : m.stages.size() > 1
                  ? fmt::format("on stage {}, the fullest: {} of {}", m.fullest, text(peak), text(room))
                  : fmt::format("{} of {}", text(peak), text(room)));
  if (peak > 0 && room > 0 && error->value > 0)
    page.equation("Φ( ln( room / peak ) / accuracy.memory )",
                  fmt::format("Φ( ln( {} / {} ) / {:.3g} ) = Φ( {:.3g} ) = {}", text(room), text(peak), error->value,
                              std::log(room / peak) / error->value, chanceText(*m.fitsProbability)));
  page.constant("accuracy.memory", *error);
  const ir::Device& device = input.facts->device;
  const ir::Number* capacity = device.number(host ? ir::DeviceFact::HostMemory : ir::DeviceFact::Memory);
  if (capacity) page.constant(host ? "host.memory" : "memory.capacity", *capacity);
  const ir::Number* reserved = stack.number(ir::StackFact::Reserved);
  if (!host && reserved) page.constant("reserved", *reserved);
  const ir::Number* fragmentation = stack.number(ir::StackFact::Fragmentation);
  if (!host && fragmentation) page.constant("fragmentation", *fragmentation);
}

} // namespace planc::report
