// The optimizer's step (docs/cost-model.md, section 1.6).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/Update.h"

#include "backends/cost/Operators.h"
#include "ir/States.h"

#include <algorithm>

namespace planc::cost {

namespace {

/// Products of an orthogonalisation run in bf16 (Jordan et al. 2024).
constexpr ir::DType kMatrixType = ir::DType::bf16;

/// `rows`: at the efficiency of random access.
double secondsPerByte(const Pricing& p, bool rows) {
  const double memory = p.device(p.facts.device.bandwidth, "B", {"bandwidth"});
  const double efficiency =
      rows ? p.device(p.facts.device.lookupEfficiency, "efficiency", {"calibration.lookup.efficiency"})
           : p.device(p.facts.device.memoryEfficiency, "efficiency", {"calibration.memory.efficiency"});
  return 1 / (efficiency * memory);
}

/// FLOP/s of large products in the type of the orthogonalisation.
double matrixRate(const Pricing& p) {
  const ir::Device& device = p.facts.device;
  const std::string_view type = ir::name(kMatrixType);
  const auto found = device.gemm.find(kMatrixType);
  static const ir::OptNumber kNone;
  const double peak = p.device(pointer(device.peak, kMatrixType), "P", {"peak", type});
  const double efficiency = p.device(found == device.gemm.end() ? kNone : found->second.efficiency, "e",
                                     {"calibration.gemm", type, "efficiency"});
  return peak * efficiency;
}

ir::Node updateNode() {
  ir::Node node;
  node.role = ir::Role::Optimizer;
  node.phase = ir::Phase::Step;
  return node;
}

} // namespace

Priced updateShard(const Pricing& p, const ir::ParamState& s) {
  Priced priced;
  const ir::Optimizer* by = s.owner ? ir::updaterOf(p.program, s) : nullptr;
  if (!by) return priced;
  const double elements = ir::updatedElements(p.program, s);
  const ir::Number* told = pointer(p.facts.stack.optimizer, by->name);
  priced.bound = Bound::Memory;
  priced.bytes =
      told ? elements * p.stack(told, "bytes", {"optimizer", by->name.view()}) : ir::leastUpdateBytes(p.program, s);
  priced.seconds = priced.bytes * secondsPerByte(p, s.touched > 0);
  if (p.why)
    p.explain(told ? "bytes · elements / (efficiency · B)"
                   : "(gradient + 2 · (states + master copy) + parameter) / (efficiency · B): the stack has no figure",
              fmt::format("{} elements, {} = {}", number(elements), bytes(priced.bytes), seconds(priced.seconds)));
  return priced;
}

double updateSeconds(Facts& facts, const ir::Program& program, const ir::VirtualStage& stage) {
  const ir::Node node = updateNode();
  const Pricing pricing(facts, program, node, nullptr);
  double seconds = 0, flops = 0, largest = 0;
  for (const auto& [id, count] : stage.bodies)
    for (const ir::ParamState& p : program.bodies[id].params) {
      seconds += updateShard(pricing, p).seconds * static_cast<double>(count);
      const ir::Optimizer* by = p.owner && count > 0 ? ir::updaterOf(program, p) : nullptr;
      if (!by || by->orthogonalise == 0) continue;
      const auto matrices = ir::matricesOf(program, p, false);
      if (!matrices) continue;
      const double each = by->orthogonalise * ir::newtonSchulzFlops(matrices->rows, matrices->columns);
      largest = std::max(largest, each);
      flops +=
          each * matrices->count * static_cast<double>(count) / static_cast<double>(program.mesh.size(p.optimizer));
    }
  return largest > 0 ? seconds + std::max(flops, largest) / matrixRate(pricing) : seconds;
}

} // namespace planc::cost
