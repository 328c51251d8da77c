// Names of machine facts and the interpolation of measured curves.
// SPDX-License-Identifier: Apache-2.0
#include "ir/Machine.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace planc::ir {

namespace {

constexpr std::array<std::string_view, kAlgorithms> kAlgorithmNames{"pipelined",    "ring",    "tree",
                                                                    "hierarchical", "fastest", "all_reduce"};
constexpr std::array<std::string_view, kCollectiveClasses> kClasses{
    "activation", "regather", "exchange", "ring", "state", "gradient", "pipeline", "statistic", "offload"};

} // namespace

std::string_view name(Algorithm a) {
  return kAlgorithmNames[static_cast<size_t>(a)];
}

std::string_view name(CollectiveClass c) {
  return kClasses[static_cast<size_t>(c)];
}

std::optional<CollectiveClass> parseCollectiveClass(std::string_view text) {
  for (size_t i = 0; i < kClasses.size(); ++i)
    if (kClasses[i] == text) return static_cast<CollectiveClass>(i);
  return std::nullopt;
}

bool Fabric::sampled() const {
  for (const Samples* s : {&allReduce, &allGather, &reduceScatter, &allToAll})
    if (!s->rows.empty() || !s->across.empty()) return true;
  return sendRecvBandwidth.has_value();
}

double ClusterLevel::rate() const {
  return bandwidth ? bandwidth->value * (links ? links->value : 1) : 0;
}

std::optional<double> Cluster::powerOfDevice() const {
  if (!device.power) return std::nullopt;
  return device.power->value + (hostPower ? hostPower->value : 0);
}

int64_t Cluster::devices() const {
  int64_t n = 1;
  for (const ClusterLevel& l : levels)
    if (__builtin_mul_overflow(n, l.count, &n)) return std::numeric_limits<int64_t>::max();
  return n;
}

namespace {

/// Devices reach it through network cards: it is priced from them, or was sampled between units of the level below.
bool isNetwork(const ClusterLevel& level) {
  const Fabric& f = level.fabric;
  return f.nicEfficiency || level.cards || !f.allReduce.across.empty() || !f.allGather.across.empty() ||
         !f.reduceScatter.across.empty() || !f.allToAll.across.empty();
}

} // namespace

size_t Cluster::portOf(size_t level) const {
  for (; level > 0; --level)
    if (levels[level].ownPort.value_or(isNetwork(levels[level]) && !isNetwork(levels[level - 1]))) break;
  return level;
}

double Table::at(double v) const {
  if (empty()) return 0;
  if (v <= x.front()) return y.front();
  if (v >= x.back()) return y.back();
  size_t hi = std::upper_bound(x.begin(), x.end(), v) - x.begin();
  size_t lo = hi - 1;
  // A zero has no logarithm: such a segment is interpolated linearly.
  if (x[lo] <= 0 || y[lo] <= 0 || y[hi] <= 0) return std::lerp(y[lo], y[hi], (v - x[lo]) / (x[hi] - x[lo]));
  double share = std::log(v / x[lo]) / std::log(x[hi] / x[lo]);
  return y[lo] * std::pow(y[hi] / y[lo], share);
}

} // namespace planc::ir
