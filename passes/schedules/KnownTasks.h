// Cached tasks of node lists, for schedules of one cluster, stack and overlap.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Task.h"

#include <memory>
#include <unordered_map>

namespace planc::passes {

/// Caches the tasks that schedule-tasks made for layers that several programs share. The cache is cleared when cluster,
/// stack or `overlap` change.
class KnownTasks {
public:
  /// Clears the cache if its entries do not hold for a schedule with these shares.
  void prepare(const ir::Schedule& schedule);
  /// Returns the tasks of the forward or backward list of a class, cached or new. Call `prepare` first.
  ir::Segment of(const ir::Schedule& schedule, ir::LayerClassId layerClass, bool backward, bool earlyStop);

private:
  static constexpr size_t kMost = 1 << 10; ///< lists
  struct Known {
    Shared<Indexed<ir::Node>> nodes; ///< kept alive, so that no other list gets its address
    Shared<std::vector<ir::Task>> tasks;
  };
  std::shared_ptr<const ir::Cluster> cluster_;
  std::shared_ptr<const ir::Stack> stack_;
  EnumArray<ir::CollectiveClass, double, ir::kCollectiveClasses> shares_{};
  std::unordered_map<const void*, Known> known_; ///< by the address of the list
};

} // namespace planc::passes
