// Layouts: how a value is distributed over the mesh (sharded, replicated, partial), as digits, and the change from one
// layout to another.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/layout/Mesh.h"

#include <span>
#include <string>
#include <vector>

namespace planc::ir {

/// One axis in the list of axes that shard a dimension: it holds one digit of the index. The digit stores the
/// axes to its left and not their sizes, so that the list stays equal if the mesh changes its sizes.
struct Digit {
  AxisId axis;
  AxisMask left = 0;
  /// Product of the sizes of the axes left of it: the number of parts that the digit divides further.
  int64_t offset(const Mesh& mesh) const { return mesh.size(left); }
  bool operator==(const Digit&) const = default;
};

/// The digits of each dimension of a value, major to minor, in one list. Most values have no digits, and few have more
/// than three.
class Shards {
  Few<Digit, 3> digits_;
  Few<uint8_t, 8> ends_; ///< by dimension: end in `digits_`; 8 bits suffice, because a mesh has at most 64 axes

  size_t begin(size_t dim) const { return dim == 0 ? 0 : ends_[dim - 1]; }

public:
  size_t size() const { return ends_.size(); } ///< number of dimensions
  bool empty() const { return ends_.empty(); }
  std::span<const Digit> operator[](size_t dim) const { return {digits_.data() + begin(dim), ends_[dim] - begin(dim)}; }
  const Few<Digit, 3>& digits() const { return digits_; } ///< of all dimensions
  void resize(size_t dims) { ends_.resize(dims, static_cast<uint8_t>(digits_.size())); }
  /// Appends a digit to a dimension, as its minor digit.
  void add(size_t dim, Digit digit) {
    digits_.insert(digits_.begin() + ends_[dim], digit);
    for (size_t d = dim; d < ends_.size(); ++d) ++ends_[d];
  }
  /// Replaces the digits of a dimension.
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

/// The digits of every dimension, and the axes over which the value is a pending sum. It is replicated over all other
/// axes.
struct Layout {
  Shards shard;
  AxisMask partial = 0;
  bool operator==(const Layout&) const = default;
  AxisMask axes() const; ///< the axes that shard a dimension
  /// Builds a layout from axes per dimension, major first. Ignores axes of one rank: they hold no digit and no pending
  /// sum.
  static Layout of(const Mesh& mesh, const std::vector<AxisList>& perDim, AxisMask partial = 0);
  /// Shards a dimension that has no digits over these axes, major first. Ignores axes of one rank.
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
  bool strided = false; ///< the intermediate state is strided, so a local copy moves 2 · bytes
};

/// The steps that change layout `from` into `to`: docs/language.md, section 10. `unordered` marks routed and following
/// dims, whose digits have no order.
std::vector<ReshardStep> reshard(const Mesh& mesh, const std::vector<int64_t>& extents,
                                 const std::vector<bool>& unordered, Layout from, const Layout& to);
/// Returns whether two layouts are equal. Digits of unordered dims compare as sets.
bool sameLayout(const std::vector<bool>& unordered, const Layout& a, const Layout& b);
/// Elements of the largest of `ranks` shards of an extent.
inline int64_t ceilDiv(int64_t extent, int64_t ranks) {
  return extent / ranks + (extent % ranks != 0);
}
/// Elements that one device holds: every extent divided by its axes, rounded up.
double localElements(const Mesh& mesh, const std::vector<int64_t>& extents, const Layout& layout);

} // namespace planc::ir
