// Builds layouts from axis lists, compares them, and counts the elements on one device.
// SPDX-License-Identifier: Apache-2.0
#include "ir/layout/Layout.h"

#include <array>
#include <cassert>

namespace planc::ir {

std::string_view name(CollectiveKind k) {
  static constexpr std::array<std::string_view, 7> kNames{"slice",      "all_gather", "reduce_scatter", "all_reduce",
                                                          "all_to_all", "send_recv",  "host_copy"};
  return kNames[static_cast<size_t>(k)];
}

AxisMask Layout::axes() const {
  AxisMask m = 0;
  for (const Digit& d : shard.digits()) m |= maskOf(d.axis);
  return m;
}

void Layout::place(const Mesh& mesh, size_t dim, const AxisList& axes) {
  AxisMask left = 0;
  for (AxisId a : axes) {
    if (mesh.axes[a].size == 1) continue; // an axis of one rank holds no digit
    shard.add(dim, {a, left});
    left |= maskOf(a);
  }
}

Layout Layout::of(const Mesh& mesh, const std::vector<AxisList>& perDim, AxisMask partial) {
  Layout layout;
  layout.shard.resize(perDim.size());
  for (size_t i = 0; i < perDim.size(); ++i) layout.place(mesh, i, perDim[i]);
  for (AxisId a : mesh.list(partial))
    if (mesh.axes[a].size > 1) layout.partial |= maskOf(a);
  return layout;
}

bool sameLayout(const std::vector<bool>& unordered, const Layout& a, const Layout& b) {
  if (a.partial != b.partial || a.shard.size() != b.shard.size()) return false;
  auto axesOf = [](std::span<const Digit> digits) {
    AxisMask m = 0;
    for (const Digit& d : digits) m |= maskOf(d.axis);
    return m;
  };
  for (size_t i = 0; i < a.shard.size(); ++i) {
    bool same = unordered[i] ? axesOf(a.shard[i]) == axesOf(b.shard[i]) : a.shard[i] == b.shard[i];
    if (!same) return false;
  }
  return true;
}

double localElements(const Mesh& mesh, const std::vector<int64_t>& extents, const Layout& layout) {
  assert(extents.size() == layout.shard.size());
  double n = 1;
  for (size_t i = 0; i < extents.size(); ++i) {
    int64_t ranks = 1;
    for (const Digit& d : layout.shard[i]) ranks *= mesh.axes[d.axis].size;
    n *= static_cast<double>(ceilDiv(extents[i], ranks)); // of the largest shard
  }
  return n;
}

} // namespace planc::ir
