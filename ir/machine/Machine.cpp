// Names of collective classes, values derived from the facts of fabrics, stacks, levels and clusters, and table
// interpolation.
// SPDX-License-Identifier: Apache-2.0
#include "ir/machine/Machine.h"

#include "ir/Between.h"
#include "ir/facts/ClusterFacts.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"
#include "ir/layout/Layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

namespace planc::ir {

namespace {

constexpr std::array<std::string_view, kCollectiveClasses> kClasses{
    "activation", "regather", "exchange", "ring", "state", "gradient", "pipeline", "statistic", "offload"};

} // namespace

std::string_view name(CollectiveClass c) {
  return kClasses[static_cast<size_t>(c)];
}

std::optional<CollectiveClass> parseCollectiveClass(std::string_view text) {
  for (size_t i = 0; i < kClasses.size(); ++i)
    if (kClasses[i] == text) return static_cast<CollectiveClass>(i);
  return std::nullopt;
}

std::span<const Fabric::SampledOperation> Fabric::sampledOperations() {
  static constexpr SampledOperation kOperations[] = {
      {CollectiveKind::AllReduce, FabricFact::AllReduce, &Fabric::allReduce},
      {CollectiveKind::AllGather, FabricFact::AllGather, &Fabric::allGather},
      {CollectiveKind::ReduceScatter, FabricFact::ReduceScatter, &Fabric::reduceScatter},
      {CollectiveKind::AllToAll, FabricFact::AllToAll, &Fabric::allToAll},
  };
  return kOperations;
}

const Fabric::SampledOperation* Fabric::sampledOperation(CollectiveKind kind) {
  for (const SampledOperation& operation : sampledOperations())
    if (operation.kind == kind) return &operation;
  return nullptr;
}

const Fabric::SampledOperation* Fabric::sampledOperation(FabricFact fact) {
  for (const SampledOperation& operation : sampledOperations())
    if (operation.fact == fact) return &operation;
  return nullptr;
}

const Fabric::Samples& Fabric::samplesOf(CollectiveKind kind) const {
  static const Samples kNone;
  const SampledOperation* const operation = sampledOperation(kind);
  return operation ? this->*operation->samples : kNone;
}

Fabric::Samples* Fabric::samplesOf(FabricFact fact) {
  const SampledOperation* const operation = sampledOperation(fact);
  return operation ? &(this->*operation->samples) : nullptr;
}

bool Fabric::sampled() const {
  for (const SampledOperation& operation : sampledOperations()) {
    const Samples& samples = this->*operation.samples;
    if (!samples.rows.empty() || !samples.across.empty()) return true;
  }
  return has(FabricFact::SendRecvBandwidth);
}

std::optional<Accumulate> Stack::accumulate() const {
  const Number* word = number(StackFact::Accumulate);
  return word ? std::optional(static_cast<Accumulate>(word->value)) : std::nullopt;
}

std::optional<Accuracy> Stack::accuracy() const {
  struct AccuracyPart {
    StackFact fact;
    double Accuracy::*field;
  };
  static constexpr std::array<AccuracyPart, 16> kParts{
      {{StackFact::AccuracyRuns, &Accuracy::runs},
       {StackFact::AccuracySources, &Accuracy::sources},
       {StackFact::AccuracyLow, &Accuracy::low},
       {StackFact::AccuracyHigh, &Accuracy::high},
       {StackFact::AccuracyDerived, &Accuracy::derived},
       {StackFact::AccuracyFitted, &Accuracy::fitted},
       {StackFact::AccuracyNominal, &Accuracy::nominal},
       {StackFact::AccuracyDistance, &Accuracy::distance},
       {StackFact::AccuracySequence, &Accuracy::sequence},
       {StackFact::AccuracyNewFramework, &Accuracy::newFramework},
       {StackFact::AccuracyNewArchitecture, &Accuracy::newArchitecture},
       {StackFact::AccuracyNewType, &Accuracy::newType},
       {StackFact::AccuracyNewDevices, &Accuracy::newDevices},
       {StackFact::AccuracyNewSequence, &Accuracy::newSequence},
       {StackFact::AccuracyRatioSameMesh, &Accuracy::ratioSameMesh},
       {StackFact::AccuracyRatioOtherMesh, &Accuracy::ratioOtherMesh}}};
  std::optional<Accuracy> out;
  for (const AccuracyPart& part : kParts) {
    const Number* given = number(part.fact);
    if (!given) continue;
    if (!out) out.emplace();
    (*out).*part.field = given->value;
    out->range = given->range;
    out->source = given->source;
  }
  return out;
}

double ClusterLevel::rate() const {
  return value(LevelFact::Bandwidth, 0) * value(LevelFact::Links, 1);
}

const Number* Cluster::priceOfDevice() const {
  const Number* own = number(ClusterFact::Price);
  return own ? own : device.number(DeviceFact::Price);
}

std::optional<double> Cluster::powerOfDevice() const {
  const Number* power = device.number(DeviceFact::Power);
  if (!power) return std::nullopt;
  return power->value + value(ClusterFact::HostPower, 0);
}

namespace {

int64_t devicesOf(std::span<const ClusterLevel> levels) {
  int64_t n = 1;
  for (const ClusterLevel& l : levels)
    if (__builtin_mul_overflow(n, l.count, &n)) return std::numeric_limits<int64_t>::max();
  return n;
}

} // namespace

int64_t Cluster::devices() const {
  return devicesOf(levels);
}

int64_t Cluster::scaleUpDevices() const {
  return devicesOf(std::span(levels).first(std::min(scaleUp() + 1, levels.size())));
}

bool ClusterLevel::isNetwork() const {
  return fabric.has(FabricFact::NicEfficiency) || has(LevelFact::Cards) || !fabric.allReduce.across.empty() ||
         !fabric.allGather.across.empty() || !fabric.reduceScatter.across.empty() || !fabric.allToAll.across.empty();
}

size_t Cluster::portOf(size_t level) const {
  for (; level > 0; --level)
    if (levels[level].value(LevelFact::OwnPort, levels[level].isNetwork() && !levels[level - 1].isNetwork()) != 0)
      break;
  return level;
}

size_t Cluster::scaleUp() const {
  size_t level = 0;
  while (level + 1 < levels.size() && portOf(level + 1) == 0) ++level;
  return level;
}

double Table::at(double v) const {
  if (empty()) return 0;
  const auto [lo, hi, share] = between(x, v);
  if (lo == hi) return y[lo];
  // Zero has no logarithm, so such a segment is interpolated linearly.
  if (x[lo] <= 0 || y[lo] <= 0 || y[hi] <= 0) return std::lerp(y[lo], y[hi], (v - x[lo]) / (x[hi] - x[lo]));
  return y[lo] * std::pow(y[hi] / y[lo], share);
}

} // namespace planc::ir
