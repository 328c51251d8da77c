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

// Constants of the equations, not measured (docs/cost-model.md, sections 1.1 and 1.2). Adding a gradient reads it and
// the accumulated gradient and writes the sum, each as wide as the accumulated gradient, because a narrower one is
// converted in passing. A copy reads and writes.
constexpr double kSeparatePasses = 3;
constexpr double kCopyPasses = 2;

bool isBackward(const Pricing& p) {
  return p.compute().role == ir::Role::Backward;
}

/// Returns a price of 0 for a node without time of its own.
Priced nothing(const Pricing& p, std::string_view reason) {
  p.free(reason);
  Priced free;
  free.launches = 0;
  free.bound = Bound::Memory;
  return free;
}

/// Returns whether the stack gives the operator's number of passes over memory, at least in one direction.
bool hasPasses(const Pricing& p) {
  for (const StackFact fact :
       {StackFact::PassesForward, StackFact::PassesBackward, StackFact::PassesForwardRow, StackFact::PassesBackwardRow})
    if (p.facts.stack.has(fact, p.op().name)) return true;
  return false;
}

/// Returns whether the stack states the backward time as a multiple of the forward time.
bool ofForward(const Pricing& p) {
  return isBackward(p) && p.facts.stack.has(StackFact::RatesBackward, p.op().name);
}

/// Returns the factor on the time of the forward pass; 1 if this is that pass, or if backward is priced by its own
/// bytes.
Term factorOf(const Pricing& p) {
  return ofForward(p) ? *kernelRatio(p) : Term(1);
}

/// Prices `bytes` at the rate of the operator's kernel. They are those of the forward pass if `ofForward`.
Priced ofKernel(const Pricing& p, const Term& bytes) {
  Priced priced = memoryTime(p, bytes, kernelRate(p), factorOf(p));
  priced.flops = p.compute().work.flops;
  return priced;
}

/// Prices passes · moved bytes on the memory roofline. An operator without passes is part of a neighbour's kernel and
/// is free.
Priced byPasses(const Pricing& p, double moved, std::string_view of) {
  const Symbol name = p.op().name;
  const bool back = isBackward(p) && !ofForward(p);
  const StackFact passes = back ? StackFact::PassesBackward : StackFact::PassesForward,
                  rows = back ? StackFact::PassesBackwardRow : StackFact::PassesForwardRow;
  Term count = p.facts.stack.has(passes, name) ? p.fact(passes, name, "passes", byteSize(moved)) : 0;
  // Kernels that keep a row in registers read it once; other kernels read it block by block.
  if (forwardWork(p).row > 0 && p.facts.stack.has(rows, name))
    count *= p.fact(rows, name, "row", {forwardWork(p).row, units::none});
  if (count.value == 0) return nothing(p, "it has no pass of its own: it is part of a neighbouring kernel");
  return ofKernel(p, count * p.known(moved, of, units::bytes));
}

} // namespace

Priced memoryTime(const Pricing& p, const Term& bytes, const Term& rate, const Term& factor) {
  const Term bandwidth = p.fact(DeviceFact::Bandwidth, "B");
  const Term efficiency = p.fact(DeviceFact::MemoryEfficiency, "efficiency", byteSize(bytes.value));
  const Term start = p.fact(DeviceFact::MemoryStart, "start");
  Priced priced = p.priced(equations::moved(bytes, efficiency * bandwidth * rate, start) * factor);
  priced.bytes = bytes.value;
  return priced;
}

Term readsAndWrites(const Pricing& p, const ir::LocalWork& w) {
  return p.known(w.reads, "reads", units::bytes) + p.known(w.writes, "writes", units::bytes);
}

Priced memoryOperator(const Pricing& p) {
  if (hasPasses(p)) return byPasses(p, forwardWork(p).firstOperandBytes, "bytes(first operand)");
  const ir::LocalWork& work = p.compute().work;
  if (work.reads + work.writes + work.flops == 0) return nothing(p, "it moves and computes nothing");
  return ofKernel(p, readsAndWrites(p, ofForward(p) ? forwardWork(p) : work));
}

Priced lookup(const Pricing& p) {
  if (hasPasses(p)) return byPasses(p, forwardWork(p).resultBytes, "bytes(result)");
  // Reads rows in random order. The backward writes the rows that the forward read.
  const Term bandwidth = p.fact(DeviceFact::Bandwidth, "B");
  const Term efficiency = p.fact(DeviceFact::LookupEfficiency, "efficiency") * kernelRate(p);
  const Term reads = p.known(forwardWork(p).reads, "reads", units::bytes);
  Priced priced = p.priced(memory(reads / (efficiency * bandwidth)) * factorOf(p));
  priced.bytes = reads.value;
  priced.flops = p.compute().work.flops;
  return priced;
}

Priced cast(const Pricing& p) {
  return memoryTime(p, readsAndWrites(p, p.compute().work));
}

Priced accumulate(const Pricing& p) {
  const Term elements = p.known(p.compute().work.elements, "elements");
  if (elements.value == 0) return nothing(p, "no gradient is stored: the optimizer updates the rows that were read");
  if (p.hasOp() && p.op().kind == ir::OpKind::Lookup) {
    // The gradient of a table that is read row by row. Without passes in the stack, the backward has already written
    // the touched rows.
    if (!hasPasses(p)) return nothing(p, "its backward has written the touched rows");
    return memoryTime(p, p.fact(StackFact::TableGradient, "table gradient") * elements);
  }
  p.facts.find(StackFact::Accumulate, p.requester());
  const std::optional<ir::Accumulate> how = p.facts.stack.accumulate();
  if (how == ir::Accumulate::Separate || how == ir::Accumulate::Deferred) {
    if (p.facts.stack.has(StackFact::Accumulation))
      return memoryTime(p, p.fact(StackFact::Accumulation, "bytes to add a gradient") * elements);
    const ir::Value& parameter = p.program.model->values[p.compute().value];
    const double width = ir::width(p.program.precisionOf(parameter).grads);
    return memoryTime(p, kSeparatePasses * p.known(width, "width of gradients", units::bytes) * elements);
  }
  return nothing(p,
                 how == ir::Accumulate::Fused ? "added where the gradient is made" : "gradients are not accumulated");
}

Priced copy(const Pricing& p) {
  const Term moved = kCopyPasses * p.known(p.node.copy().bytes, "bytes", units::bytes);
  Priced priced = p.priced(memory(moved / p.fact(DeviceFact::Bandwidth, "B")));
  priced.bytes = moved.value;
  return priced;
}

} // namespace planc::cost
