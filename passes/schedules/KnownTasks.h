// Tasks of lists of nodes, for schedules of one machine, stack and overlap.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Task.h"

#include <memory>
#include <unordered_map>

namespace planc::passes {

/// What schedule-tasks has made of the layers that programs share. Of another machine, software or `overlap` than the
/// last time it begins anew.
class KnownTasks {
public:
  /// Forgets what does not hold for a schedule with these shares.
  void prepare(const ir::Schedule& schedule);
  ir::Segment of(const ir::Schedule& schedule, ir::LayerClassId layerClass, bool backward, bool earlyStop);

private:
  static constexpr size_t kMost = 1 << 10; ///< lists
  struct Known {
    Shared<Indexed<ir::Node>> nodes; ///< kept, so that no other list takes its place in memory
    Shared<std::vector<ir::Task>> tasks;
  };
  std::shared_ptr<const ir::Cluster> cluster_;
  std::shared_ptr<const ir::Stack> stack_;
  EnumArray<ir::CollectiveClass, double, ir::kCollectiveClasses> shares_{};
  std::unordered_map<const void*, Known> known_; ///< by list
};

} // namespace planc::passes
