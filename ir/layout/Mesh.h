// The mesh: named axes over the devices of a cluster, groups of axes, and the position of each axis in the cluster's
// levels.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Few.h"
#include "support/Ids.h"
#include "support/Source.h"
#include "support/Symbol.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace planc::ir {

struct Axis;
using AxisId = Id<Axis>;
/// Set of axes; a mesh has at most 64 after refinement.
using AxisMask = uint64_t;
inline AxisMask maskOf(AxisId a) {
  return AxisMask(1) << a.index;
}
/// Ordered axes, major first.
using AxisList = Few<AxisId, 4>;

/// An atomic axis, disjoint from every other axis. `stride` is the product of the sizes of the axes inside it.
struct Axis {
  Symbol name;
  int64_t size = 1;
  int64_t stride = 1;
  Symbol written; ///< for reports: the plan's axis of which this is a part; `name` unless refined
  SourceRange range;
  bool operator==(const Axis&) const = default;
};

/// A name for a list of axes, major first. Only the text of a plan uses it.
struct AxisGroup {
  Symbol name;
  AxisList axes;
  SourceRange range;
  bool operator==(const AxisGroup&) const = default;
};

struct Mesh {
  Store<Axis> axes; ///< live axes and axes that were refined; see `order`
  AxisList order;   ///< live axes, inner to outer
  std::vector<AxisGroup> groups;
  /// Devices in one unit of each cluster level, inner to outer (8, 64, …); the last is the device count.
  std::vector<int64_t> levelSizes;
  std::vector<Symbol> levelNames;

  int64_t devices() const;
  int64_t size(const AxisList& axes) const;
  int64_t size(AxisMask axes) const;
  std::optional<AxisId> findAxis(Symbol name) const;
  const AxisGroup* findGroup(Symbol name) const;
  /// The live axes that a name of the plan stands for, major first. A refined axis stands for its parts.
  std::optional<AxisList> resolve(Symbol name) const;
  /// Splits a live axis into `name.0` (major, `majorSize` ranks) and `name.1`. The name becomes a group. Returns both
  /// axes.
  std::pair<AxisId, AxisId> refine(AxisId axis, int64_t majorSize);
  /// Ranks of the group over `axes` that share one unit of `level` (0 = innermost).
  int64_t ranksWithin(AxisMask axes, size_t level) const;
  /// Ranks of the group over `axes` that share one aligned block of `devices` devices.
  int64_t ranksInBlock(AxisMask axes, int64_t devices) const;
  /// Number of adjacent blocks of `low` devices over which the group over `axes` extends in a block of `high` devices.
  /// Blocks without ranks count too: if only every second of the first 8 of 16 blocks has ranks, the reach is 8.
  int64_t reach(AxisMask axes, int64_t low, int64_t high) const;
  /// Returns whether `axes` divide into equal parts at every level. If not, `ranksWithin` counts the worst placed
  /// group.
  bool dividesLevels(AxisMask axes) const;
  /// The innermost level whose unit holds a whole group.
  size_t levelOf(AxisMask axes) const;
  /// `tp`, or `dp*cp`: axis names as written in the plan, for reports.
  std::string str(AxisMask axes) const;
  std::string str(const AxisList& axes) const;
  AxisList list(AxisMask axes) const;
  bool operator==(const Mesh&) const = default;
};

inline AxisMask maskOf(const AxisList& axes) {
  AxisMask m = 0;
  for (AxisId a : axes) m |= maskOf(a);
  return m;
}

} // namespace planc::ir
