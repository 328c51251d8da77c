// The facts of devices, fabrics, stacks and levels: one row each.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/facts/Schema.h"

namespace planc::frontend {

std::span<const FactRow<ir::Device>> deviceFacts();
std::span<const FactRow<ir::Fabric>> fabricFacts();
std::span<const FactRow<ir::Stack>> stackFacts();
/// All of a level but `link`.
std::span<const FactRow<ir::ClusterLevel>> levelFacts();
/// All of a cluster but its levels; `device` is only named.
std::span<const FactRow<ir::Cluster>> clusterFacts();

/// Sections of such a record whose facts are measurements; the empty one stands for the whole record.
std::span<const std::string_view> calibratedFacts(DeclKind kind);

/// A bare word out of a list, with an optional call: `fused`, `fat_tree(oversubscription = 1)`. -1 after a report.
int wordIndex(FactInput& input, const std::vector<std::string>& words);

} // namespace planc::frontend
