// Axes and groups of a mesh: sizes, names, refinement, and how a group of ranks divides over the cluster's levels.
// SPDX-License-Identifier: Apache-2.0
#include "ir/layout/Mesh.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>

namespace planc::ir {

namespace {

/// Multiplies with saturation: an absurd mesh size is a user's mistake and must not be undefined behaviour.
int64_t times(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max() : product;
}

/// `dp*cp`. The parts of a refined axis print once, under the name in the plan.
std::string joinWritten(const Mesh& mesh, const AxisList& axes) {
  std::string text;
  std::vector<Symbol> seen;
  for (AxisId a : axes) {
    Symbol written = mesh.axes[a].written.empty() ? mesh.axes[a].name : mesh.axes[a].written;
    if (std::find(seen.begin(), seen.end(), written) != seen.end()) continue;
    if (!seen.empty()) text += '*';
    text += written.view();
    seen.push_back(written);
  }
  return text;
}

/// Ranks of one axis, `stride` devices apart, that share an aligned block of `unit` devices. Exact if sizes divide each
/// other; if an axis straddles blocks, the minimum, which the worst placed group has.
int64_t inBlock(int64_t size, int64_t stride, int64_t unit) {
  int64_t shared = std::gcd(unit, times(stride, size)) / std::gcd(unit, stride);
  return std::clamp<int64_t>(std::min(shared, unit / stride), 1, size);
}

} // namespace

int64_t Mesh::devices() const {
  return size(order);
}

int64_t Mesh::size(const AxisList& list) const {
  int64_t n = 1;
  for (AxisId a : list) n = times(n, axes[a].size);
  return n;
}

int64_t Mesh::size(AxisMask mask) const {
  int64_t n = 1;
  for (uint32_t i = 0; mask != 0; ++i, mask >>= 1)
    if (mask & 1) n = times(n, axes[AxisId(i)].size);
  return n;
}

std::optional<AxisId> Mesh::findAxis(Symbol name) const {
  for (AxisId a : order)
    if (axes[a].name == name) return a;
  return std::nullopt;
}

const AxisGroup* Mesh::findGroup(Symbol name) const {
  for (const AxisGroup& g : groups)
    if (g.name == name) return &g;
  return nullptr;
}

std::optional<AxisList> Mesh::resolve(Symbol name) const {
  if (auto axis = findAxis(name)) return AxisList{*axis};
  if (const AxisGroup* group = findGroup(name)) return group->axes;
  return std::nullopt;
}

std::pair<AxisId, AxisId> Mesh::refine(AxisId axis, int64_t majorSize) {
  const Axis whole = axes[axis];
  assert(majorSize > 0 && whole.size % majorSize == 0 && "an axis is split by a divisor");
  int64_t minorSize = whole.size / majorSize;
  Symbol written = whole.written.empty() ? whole.name : whole.written;
  AxisId major = axes.add({Symbol(whole.name.str() + ".0"), majorSize, whole.stride * minorSize, written, whole.range});
  AxisId minor = axes.add({Symbol(whole.name.str() + ".1"), minorSize, whole.stride, written, whole.range});

  auto at = std::find(order.begin(), order.end(), axis);
  assert(at != order.end() && "only a live axis is split");
  *at = minor; // `order` lists axes inner to outer
  order.insert(at + 1, major);

  for (AxisGroup& g : groups) { // groups list axes major first
    auto it = std::find(g.axes.begin(), g.axes.end(), axis);
    if (it == g.axes.end()) continue;
    *it = major;
    g.axes.insert(it + 1, minor);
  }
  groups.push_back({whole.name, {major, minor}, whole.range});
  return {major, minor};
}

int64_t Mesh::ranksInBlock(AxisMask mask, int64_t devices) const {
  int64_t ranks = 1;
  for (AxisId a : list(mask)) ranks *= inBlock(axes[a].size, axes[a].stride, devices);
  return ranks;
}

int64_t Mesh::ranksWithin(AxisMask mask, size_t level) const {
  return ranksInBlock(mask, levelSizes[level]);
}

int64_t Mesh::reach(AxisMask mask, int64_t low, int64_t high) const {
  int64_t blocks = 1;
  for (AxisId a : list(mask)) {
    const int64_t end = std::min(times(axes[a].stride, axes[a].size), high);
    if (end > low && axes[a].size > 1) blocks = std::max(blocks, (end + low - 1) / low);
  }
  return blocks;
}

bool Mesh::dividesLevels(AxisMask mask) const {
  for (AxisId a : list(mask)) {
    const int64_t end = times(axes[a].stride, axes[a].size);
    for (int64_t unit : levelSizes) {
      const bool inside = unit % end == 0, outside = axes[a].stride % unit == 0;
      const bool across = unit % axes[a].stride == 0 && end % unit == 0;
      if (axes[a].size > 1 && !inside && !outside && !across) return false;
    }
  }
  return true;
}

size_t Mesh::levelOf(AxisMask mask) const {
  int64_t all = size(mask);
  for (size_t l = 0; l < levelSizes.size(); ++l)
    if (ranksWithin(mask, l) == all) return l;
  return levelSizes.empty() ? 0 : levelSizes.size() - 1;
}

std::string Mesh::str(AxisMask mask) const {
  return joinWritten(*this, list(mask));
}

std::string Mesh::str(const AxisList& some) const {
  return joinWritten(*this, some);
}

AxisList Mesh::list(AxisMask mask) const {
  AxisList out;
  for (auto it = order.rbegin(); it != order.rend(); ++it)
    if (mask & maskOf(*it)) out.push_back(*it);
  return out;
}

} // namespace planc::ir
