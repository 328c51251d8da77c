// Layouts: how a value lies on the mesh (shard, replicate, partial), in digits, and the change from one layout to
// another.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/layout/Mesh.h"

#include <span>
#include <string>
#include <vector>

namespace planc::ir {

/// An axis in a dimension's list holds one digit of the index. It says which axes were left of it rather than how many
/// ranks they have: a list is one and the same on meshes of other sizes.
struct Digit {
  AxisId axis;
  AxisMask left = 0;
  /// Product of the sizes left of it: parts of the dimension that it divides.
  int64_t offset(const Mesh& mesh) const { return mesh.size(left); }
  bool operator==(const Digit&) const = default;
};

/// Per dimension of a value its digits, major to minor, in one list: few values have any, and hardly one has four.
class Shards {
  Few<Digit, 3> digits_;
  Few<uint8_t, 8> ends_; ///< by dimension, in `digits_`; a mesh has at most 64 axes, and an axis one digit

  size_t begin(size_t dim) const { return dim == 0 ? 0 : ends_[dim - 1]; }

public:
  size_t size() const { return ends_.size(); } ///< dimensions
  bool empty() const { return ends_.empty(); }
  std::span<const Digit> operator[](size_t dim) const { return {digits_.data() + begin(dim), ends_[dim] - begin(dim)}; }
  const Few<Digit, 3>& digits() const { return digits_; } ///< of all dimensions
  void resize(size_t dims) { ends_.resize(dims, static_cast<uint8_t>(digits_.size())); }
  /// One more digit, the minor one of its dimension.
  void add(size_t dim, Digit digit) {
    digits_.insert(digits_.begin() + ends_[dim], digit);
    for (size_t d = dim; d < ends_.size(); ++d) ++ends_[d];
  }
  /// In place of the digits of a dimension.
  void set(size_t dim, std::span<const Digit> digits) {
    const Few<Digit, 3> copy(digits.begin(), digits.end());
    const size_t old = ends_[dim] - begin(dim);
    digits_.erase(digits_.begin() + begin(dim), digits_.begin() + ends_[dim]);
    digits_.insert(digits_.begin() + begin(dim), copy.begin(), copy.end());
    for (size_t d = dim; d < ends_.size(); ++d) ends_[d] = static_cast<uint8_t>(ends_[d] + copy.size() - old);
  }
  bool operator==(const Shards&) const = default;
};
inline bool operator==(std::span<const Digit> a, std::span<const Digit> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

/// The digits of every dimension; and the axes over which the value is a pending sum. All else is replicated.
struct Layout {
  Shards shard;
  AxisMask partial = 0;
  bool operator==(const Layout&) const = default;
  AxisMask axes() const; ///< that shard a dimension
  /// From axes per dimension, major first. Axes of one rank hold no digit and no pending sum: they are left out.
  static Layout of(const Mesh& mesh, const std::vector<AxisList>& perDim, AxisMask partial = 0);
  /// Gives a dimension without digits these axes, major first, without those of one rank.
  void place(const Mesh& mesh, size_t dim, const AxisList& axes);
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
