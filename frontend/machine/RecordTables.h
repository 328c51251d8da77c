// What of devices, fabrics, stacks, levels and clusters is read beside their tables (ir/facts).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/facts/Schema.h"
#include "ir/vocabulary/Vocabulary.h"

namespace planc::frontend {

/// Reads a fact whose form is Custom or Text.
void readCustom(ir::Device& device, ir::DeviceFact id, FactInput& in);
void readCustom(ir::Fabric& fabric, ir::FabricFact id, FactInput& in);
/// All of a level but `link`.
void readCustom(ir::ClusterLevel& level, ir::LevelFact id, FactInput& in);
/// Nothing: the device of a cluster is only named.
void readCustom(ir::Cluster& cluster, ir::ClusterFact id, FactInput& in);
void readCustom(ir::Stack& stack, ir::StackFact id, FactInput& in);

/// A word of a vocabulary; its arguments, if any, are left to the caller. Null after a report.
const ir::Word* readWord(FactInput& input, const ir::Vocabulary& vocabulary);
/// A bare word out of a list, with an optional call: `fused`, `fat_tree(oversubscription = 1)`. -1 after a report.
int wordIndex(FactInput& input, const std::vector<std::string>& words);

} // namespace planc::frontend
