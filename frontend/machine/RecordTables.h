// Reads the facts of devices, fabrics, stacks, levels and clusters that need more than their table row (ir/facts).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/facts/Schema.h"
#include "ir/vocabulary/Vocabulary.h"

namespace planc::frontend {

/// Reads a fact whose form is Custom or Text.
void readCustom(ir::Device& device, ir::DeviceFact id, FactInput& in);
void readCustom(ir::Fabric& fabric, ir::FabricFact id, FactInput& in);
/// Reads all custom facts of a level except `link`.
void readCustom(ir::ClusterLevel& level, ir::LevelFact id, FactInput& in);
/// Does nothing: Machines reads the device of a cluster.
void readCustom(ir::Cluster& cluster, ir::ClusterFact id, FactInput& in);
void readCustom(ir::Stack& stack, ir::StackFact id, FactInput& in);

/// Reads a word of a vocabulary; null after a report. The caller reads its arguments, if any.
const ir::Word* readWord(FactInput& input, const ir::Vocabulary& vocabulary);
/// Reads a word of a list, with an optional call, `fused`, `fat_tree(oversubscription = 1)`. Returns its index, or -1
/// after a report.
int wordIndex(FactInput& input, const std::vector<std::string>& words);

} // namespace planc::frontend
