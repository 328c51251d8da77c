// Computes the shortest time that a part can reach, by kind of sample.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/fit/Bounds.h"

#include "backends/cost/price/Equations.h"
#include "calibrate/samples/Traffic.h"
#include "ir/facts/DeviceFacts.h"

#include <algorithm>

namespace planc::calibrate {

namespace eq = cost::equations;

namespace {

// Bytes that may stay in a cache and never reach memory: more than the last-level cache of any part so far (126 MB,
// B200).
constexpr double kCached = 256e6;
/// Reductions in the switch send less than the convention counts (NCCL 2.27 with NVLS reaches 1.07 of the link).
constexpr double kLinkSlack = 1.25;
/// Clocks may exceed the datasheet's.
constexpr double kPeakSlack = 1.03;
/// Returns the smallest number of bytes that cross the slowest line. A ring passes through every rank. A tree over
/// nodes, or phases inside and between them, sends over the cards of a node what a ring with one rank per node sends;
/// for two nodes, half of what a ring of all ranks sends.
double lineBytes(const Sample& s) {
  if (s[Extent::Nodes] < 2) return wireBytes(s);
  Sample between = s;
  between[Extent::Ranks] = s[Extent::Nodes];
  return wireBytes(between);
}

} // namespace

double attentionFlops(const Sample& s) {
  const double scores = s[Extent::Batch] * s[Extent::Heads] * s[Extent::Seq] * s[Extent::KvSeq];
  return 4 * scores * s[Extent::HeadDim] * (s[Extent::Causal] > 0 ? 0.5 : 1);
}
double gradientWork(Kind kind) {
  return kind == Kind::Attention ? 2.5 : 2;
}
double lineRate(const Part& part, const Sample& s) {
  const double perNode = s[Extent::Ranks] / s[Extent::Nodes];
  return s[Extent::Nodes] > 1
             ? part.card * (parseCollective(s.name.view()) == ir::CollectiveKind::SendRecv ? 1 : perNode)
             : part.link;
}

double leastTime(const Part& part, const Sample& s, Direction d) {
  const bool backward = d == Direction::Backward;
  const double memory = part.device.value(ir::DeviceFact::Bandwidth, 0);
  const ir::Number* peak = part.device.number(ir::DeviceFact::Peak, ir::arithmetic(s.dtype));
  auto compute = [&](double flops) {
    return peak ? flops * (backward ? gradientWork(s.kind) : 1) / (peak->value * kPeakSlack) : 0;
  };
  auto move = [&](double bytes) { return memory > 0 && bytes > kCached ? bytes / memory : 0; };
  const double scores = s[Extent::Batch] * s[Extent::Heads] * s[Extent::Seq] * s[Extent::KvSeq];
  switch (s.kind) {
  case Kind::Gemm:
  case Kind::GroupedGemm: {
    const eq::Product p{s[Extent::Batch], s[Extent::M], s[Extent::N], s[Extent::K], ir::width(s.dtype)};
    return std::max(compute(eq::flops(p)), move(eq::bytes(p)));
  }
  case Kind::Attention:
    return compute(attentionFlops(s));
  case Kind::Scores:
  case Kind::Context:
    return std::max(compute(2 * scores * s[Extent::HeadDim]), move(scores * ir::width(s.dtype)));
  case Kind::Memory:
  case Kind::Lookup:
    return move(leastPasses(s) * s[Extent::Bytes]);
  case Kind::Optimizer:
    return move(leastPasses(s) * ir::width(s.dtype) * s[Extent::Params]);
  case Kind::Collective:
    // The memory bounds the time even if the link is unknown, because every byte is read from memory.
    return std::max(lineRate(part, s) > 0 ? lineBytes(s) / (lineRate(part, s) * kLinkSlack) : 0, move(wireBytes(s)));
  case Kind::Step:
    break;
  }
  return 0;
}

} // namespace planc::calibrate
