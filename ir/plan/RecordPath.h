// Paths into the records of a plan's machine and software, `cluster.node.link.start`, `software.step`.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/facts/FactTable.h"
#include "ir/plan/Plan.h"

#include <algorithm>

namespace planc::ir {

/// The record of a plan's machine or software that a path leads into, and the rest of the path there.
struct RecordPath {
  RecordKind record;
  std::string_view level; ///< name of the level; only for levels and fabrics
  std::string_view fact;
};
/// Parses a path that begins with `cluster` or `software`. `cluster` tells levels from facts; null: no name is a level.
RecordPath recordPath(std::string_view path, const Cluster* cluster);

/// Returns the table row of the fact at a path, and sets `key` to the key in the path. Null if the record has no such
/// fact.
const FactRow* rowAt(const RecordPath& at, FactKey& key);

/// Calls `use` with the record and the type of its facts.
template <class C, class S, class Use> auto inRecord(const RecordPath& at, C* cluster, S* stack, Use use) {
  if (at.record == RecordKind::Stack) return use(*stack, StackFact());
  if (at.record == RecordKind::Device) return use(cluster->device, DeviceFact());
  if (at.record == RecordKind::Cluster) return use(*cluster, ClusterFact());
  auto& level = *std::ranges::find_if(cluster->levels, [&](const auto& l) { return l.name.view() == at.level; });
  return at.record == RecordKind::Fabric ? use(level.fabric, FabricFact()) : use(level, LevelFact());
}

/// Returns the number that a plan's machine or software gives for the fact at a path, `cluster.node.bandwidth`. Returns
/// nullopt if it gives none.
OptNumber numberAt(const Plan& plan, std::string_view path);

} // namespace planc::ir
