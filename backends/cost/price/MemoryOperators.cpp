// Operators bound by memory, accumulation, casts, copies (docs/cost-model.md, sections 1.1, 1.2 and 1.4).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/Equations.h"
#include "backends/cost/price/Operators.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"

namespace planc::cost {

using ir::DeviceFact;
using ir::StackFact;

namespace {

// Structure of the equations, not measured (docs/cost-model.md, sections 1.1 and 1.2): a stack gives the passes of a
// cast over an operand of 2 B; adding a gradient reads it and the accumulated one and writes the sum, each as wide as
// what is accumulated (a narrower one is converted on the way); a copy reads and writes.
constexpr double kCastSource = 2;
constexpr double kSeparatePasses = 3;
constexpr double kCopyPasses = 2;

bool isBackward(const Pricing& p) {
  return p.node.role == ir::Role::Backward;
}

Priced nothing() {
  Priced free;
  free.launches = 0;
  free.bound = Bound::Memory;
  return free;
}

/// Does the stack say how often the operator passes over memory, be it in one direction?
bool hasPasses(const Pricing& p) {
  for (const StackFact fact :
       {StackFact::PassesForward, StackFact::PassesBackward, StackFact::PassesForwardRow, StackFact::PassesBackwardRow})
    if (p.facts.stack.has(fact, p.op().name)) return true;
  return false;
}

/// Of an accumulation: the parameter is a table whose rows are updated in backward (passes, size-tables).
bool updatesRows(const Pricing& p) {
  for (const ir::LayerClass& layerClass : p.program.classes)
    for (const ir::ParamState& s : layerClass.params)
      if (s.param == p.node.value && s.touched > 0) return true;
  return false;
}

/// passes · moved bytes on the memory roofline; no passes: the operator is part of a neighbour's kernel.
Priced byPasses(const Pricing& p, double moved, std::string_view of) {
  const Symbol name = p.op().name;
  const StackFact passes = isBackward(p) ? StackFact::PassesBackward : StackFact::PassesForward,
                  rows = isBackward(p) ? StackFact::PassesBackwardRow : StackFact::PassesForwardRow;
  double count = p.facts.stack.has(passes, name) ? p.fact(passes, name, "passes", byteSize(moved)) : 0;
  // Kernels that keep a row in registers read it once, others block by block.
  if (forwardWork(p).row > 0 && p.facts.stack.has(rows, name))
    count *= p.fact(rows, name, "row", {forwardWork(p).row, units::none});
  if (count == 0) {
    p.explain("0", "no pass of its own: part of a neighbouring kernel");
    return nothing();
  }
  Priced priced = memoryTime(p, count * moved, fmt::format("passes · bytes({})", of));
  priced.flops = p.node.work.flops;
  return priced;
}

} // namespace

Priced memoryTime(const Pricing& p, double byteCount, std::string_view bytesText) {
  const double memory = p.fact(DeviceFact::Bandwidth, "B");
  const double efficiency = p.fact(DeviceFact::MemoryEfficiency, "efficiency", byteSize(byteCount));
  const double start = p.fact(DeviceFact::MemoryStart, "start");
  Priced priced;
  priced.seconds = equations::moved(byteCount, efficiency * memory, start);
  priced.bound = start > byteCount / (efficiency * memory) ? Bound::Launch : Bound::Memory;
  priced.bytes = byteCount;
  if (p.why)
    p.explain(fmt::format("{} / (efficiency · B) + start", bytesText),
              fmt::format("{} / {} + {} = {}", bytes(byteCount), bandwidth(efficiency * memory), seconds(start),
                          seconds(priced.seconds)));
  return priced;
}

Priced memoryOperator(const Pricing& p) {
  if (hasPasses(p)) return byPasses(p, forwardWork(p).firstOperandBytes, "first operand");
  Priced priced = memoryTime(p, p.node.work.reads + p.node.work.writes, "(reads + writes)");
  priced.flops = p.node.work.flops;
  return priced;
}

Priced lookup(const Pricing& p) {
  if (hasPasses(p)) return byPasses(p, forwardWork(p).resultBytes, "result");
  // Rows in random order; its backward writes the rows that forward read.
  const double memory = p.fact(DeviceFact::Bandwidth, "B");
  const double efficiency = p.fact(DeviceFact::LookupEfficiency, "efficiency");
  Priced priced;
  priced.bytes = forwardWork(p).reads;
  priced.flops = p.node.work.flops;
  priced.seconds = priced.bytes / (efficiency * memory);
  priced.bound = Bound::Memory;
  if (p.why)
    p.explain("reads / (efficiency · B)", fmt::format("{} / {} = {}", bytes(priced.bytes),
                                                      bandwidth(efficiency * memory), seconds(priced.seconds)));
  return priced;
}

Priced cast(const Pricing& p) {
  const double moved = p.node.work.reads + p.node.work.writes;
  if (p.node.role == ir::Role::Cast && p.node.operand >= 0) return memoryTime(p, moved, "(packed + unpacked)");
  if (p.node.role == ir::Role::Save) return memoryTime(p, moved, "(value + as kept)");
  if (hasPasses(p)) return byPasses(p, kCastSource * p.node.work.elements, "operand");
  return memoryTime(p, moved, "(reads + writes)");
}

Priced accumulate(const Pricing& p) {
  const double elements = p.node.work.elements;
  if (updatesRows(p)) {
    p.explain("0", "no gradient is stored: the rows that were read are updated, which is the optimizer's work");
    return nothing();
  }
  if (p.hasOp() && p.op().kind == ir::OpKind::Lookup) {
    // The gradient of a table that is read row by row; without an entry its backward has written the touched rows
    // already.
    if (!hasPasses(p)) return nothing();
    const double width = p.fact(StackFact::TableGradient, "table gradient");
    return memoryTime(p, width * elements, "table gradient · elements");
  }
  p.facts.find(StackFact::Accumulate, p.requester());
  const std::optional<ir::Accumulate> how = p.facts.stack.accumulate();
  if (how == ir::Accumulate::Separate || how == ir::Accumulate::Deferred) {
    const ir::Value& parameter = p.program.model.values[p.node.value];
    const double moved = kSeparatePasses * ir::width(p.program.precisionOf(parameter).grads);
    return memoryTime(p, moved * elements, "3 · width of gradients · elements");
  }
  p.explain("0", how == ir::Accumulate::Fused ? "added by the wgrad product" : "nothing is accumulated");
  return nothing();
}

Priced copy(const Pricing& p) {
  const double memory = p.fact(DeviceFact::Bandwidth, "B");
  Priced priced;
  priced.bytes = kCopyPasses * p.node.bytes;
  priced.seconds = priced.bytes / memory;
  priced.bound = Bound::Memory;
  if (p.why)
    p.explain("2 · bytes / B",
              fmt::format("2 · {} / {} = {}", bytes(p.node.bytes), bandwidth(memory), seconds(priced.seconds)));
  return priced;
}

} // namespace planc::cost
