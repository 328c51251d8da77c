// Layouts: how a value lies on the mesh (shard, replicate, partial), in digits, and the change from one layout to
// another.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/Mesh.h"

#include <string>
#include <vector>

namespace planc::ir {

/// An axis in a dimension's list holds one digit of the index: offset = product of the sizes left of it.
struct Digit {
  AxisId axis;
  int64_t offset = 1;
  bool operator==(const Digit&) const = default;
};

/// Per dimension the digits, major to minor; and the axes over which the value is a pending sum. All else is
/// replicated.
struct Layout {
  std::vector<std::vector<Digit>> shard;
  AxisMask partial = 0;
  bool operator==(const Layout&) const = default;
  AxisMask axes() const; ///< that shard a dimension
  /// From axes per dimension, major first. Axes of one rank hold no digit and no pending sum: they are left out.
  static Layout of(const Mesh& mesh, const std::vector<AxisList>& perDim, AxisMask partial = 0);
};

enum class CollectiveKind { Slice, AllGather, ReduceScatter, AllReduce, AllToAll, SendRecv, HostCopy };
std::string_view name(CollectiveKind k);

/// One step of a change of layout.
struct ReshardStep {
  CollectiveKind kind = CollectiveKind::Slice;
  AxisMask axes = 0;
  double elements = 0; ///< local elements of the larger side
  Layout after;
  bool strided = false; ///< the intermediate state is strided: a local copy of 2 · bytes
};

/// The one algorithm: docs/language.md, section 10. `unordered` marks routed and following dims, whose digits have no
/// order.
std::vector<ReshardStep> reshard(const Mesh& mesh, const std::vector<int64_t>& extents,
                                 const std::vector<bool>& unordered, Layout from, const Layout& to);
/// Equal as layouts; unordered dims as sets.
bool sameLayout(const std::vector<bool>& unordered, const Layout& a, const Layout& b);
/// Elements of the largest of `ranks` shards of an extent.
inline int64_t ceilDiv(int64_t extent, int64_t ranks) {
  return extent / ranks + (extent % ranks != 0);
}
/// Elements one device holds: every extent over its axes (ceil when it does not divide).
double localElements(const Mesh& mesh, const std::vector<int64_t>& extents, const Layout& layout);

} // namespace planc::ir
