// The optimizer's step (docs/cost-model.md, section 1.6).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/Update.h"

#include "backends/cost/Operators.h"
#include "ir/States.h"

#include <algorithm>

namespace planc::cost {

namespace {

/// `rows`: at the efficiency of random access.
double secondsPerByte(const Pricing& p, bool rows) {
  const double memory = p.device(p.facts.device.bandwidth, "B", {"bandwidth"});
  const double efficiency =
      rows ? p.device(p.facts.device.lookupEfficiency, "efficiency", {"calibration.lookup.efficiency"})
           : p.device(p.facts.device.memoryEfficiency, "efficiency", {"calibration.memory.efficiency"});
  return 1 / (efficiency * memory);
}

double matrixRate(const Pricing& p) {
  const ir::Device& device = p.facts.device;
  const std::string_view type = ir::name(ir::kMatrixType);
  const auto found = device.gemm.find(ir::kMatrixType);
  static const ir::OptNumber kNone;
  const double peak = p.device(pointer(device.peak, ir::kMatrixType), "P", {"peak", type});
  const double efficiency = p.device(found == device.gemm.end() ? kNone : found->second.efficiency, "e",
                                     {"calibration.gemm", type, "efficiency"});
  return peak * efficiency;
}

} // namespace

ir::Node updateNode() {
  ir::Node node;
  node.role = ir::Role::Optimizer;
  node.phase = ir::Phase::Step;
  return node;
}

Priced updateShard(const Pricing& p, const ir::ParamState& s, double together) {
  Priced priced;
  const ir::Optimizer* by = s.owner ? ir::updaterOf(p.program, s) : nullptr;
  if (!by) return priced;
  const double elements = ir::updatedElements(p.program, s);
  const ir::Number* told = pointer(p.facts.stack.optimizer, by->name);
  priced.bound = Bound::Memory;
  priced.bytes = told ? elements * p.stack(told, "bytes", {"optimizer", by->name.view()}, {together, units::none})
                      : ir::leastUpdateBytes(p.program, s);
  priced.seconds = priced.bytes * secondsPerByte(p, s.touched > 0);
  // An update that is launched tensor by tensor.
  const ir::Number* start = pointer(p.facts.stack.optimizerTensor, by->name);
  if (start) priced.seconds += p.stack(start, "tensor", {"optimizer_tensor", by->name.view()});
  if (p.why)
    p.explain(fmt::format("{}{}",
                          told
                              ? "bytes · elements / (efficiency · B)"
                              : "(gradient + 2 · (states + master copy) + parameter, read too without a master copy) / "
                                "(efficiency · B)",
                          start  ? " + tensor"
                          : told ? ""
                                 : ": the stack has no figure"),
              fmt::format("{} elements, {} = {}", number(elements), bytes(priced.bytes), seconds(priced.seconds)));
  return priced;
}

MatrixProducts matrixProducts(const ir::Program& program, const ir::ParamState& s) {
  const ir::Optimizer* by = s.owner ? ir::updaterOf(program, s) : nullptr;
  if (!by || by->orthogonalise == 0) return {};
  const auto matrices = ir::matricesOf(program, s, false);
  if (!matrices) return {};
  MatrixProducts made{matrices->count, matrices->rows, matrices->columns};
  made.one = by->orthogonalise * ir::newtonSchulzFlops(matrices->rows, matrices->columns);
  made.share = made.one * made.matrices / static_cast<double>(program.mesh.size(s.optimizer));
  return made;
}

double matrixSeconds(const Pricing& p, double flops) {
  const double rate = matrixRate(p), seconds = flops / rate;
  p.explain("FLOPs / (e · P)",
            fmt::format("{} / {} = {}", cost::flops(flops), cost::rate(rate), cost::seconds(seconds)));
  return seconds;
}

double updatedTogether(const ir::Program& program, const ir::VirtualStage& stage) {
  double elements = 0;
  for (const auto& [id, count] : stage.bodies)
    for (const ir::ParamState& p : program.bodies[id].params)
      if (p.owner) elements += ir::updatedElements(program, p) * static_cast<double>(count);
  return elements * static_cast<double>(program.chunks); // a device has as many such stages
}

double updatedTogether(const ir::Program& program, ir::BodyId body) {
  for (const ir::VirtualStage& stage : program.virtualStages)
    for (const auto& [id, count] : stage.bodies)
      if (id == body && count > 0) return updatedTogether(program, stage);
  return 0;
}

double updateSeconds(Facts& facts, const ir::Program& program, const ir::VirtualStage& stage) {
  const ir::Node node = updateNode();
  const Pricing pricing(facts, program, node, nullptr);
  double seconds = 0, flops = 0, largest = 0;
  const double together = updatedTogether(program, stage);
  for (const auto& [id, count] : stage.bodies)
    for (const ir::ParamState& p : program.bodies[id].params) {
      seconds += updateShard(pricing, p, together).seconds * static_cast<double>(count);
      if (count == 0) continue;
      const MatrixProducts products = matrixProducts(program, p);
      largest = std::max(largest, products.one);
      flops += products.share * static_cast<double>(count);
    }
  return largest > 0 ? seconds + matrixSeconds(pricing, std::max(flops, largest)) : seconds;
}

} // namespace planc::cost
