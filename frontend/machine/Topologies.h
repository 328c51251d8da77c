// Reads `topology = torus(dims = [16, 16])` against the table of topologies.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/facts/Schema.h"

namespace planc::frontend {

/// A row's name with its parameters; reports what the table does not know.
void readTopology(ir::Topology& topology, FactInput& input);
/// Dimensions multiply to the units of the level. False after a report.
bool checkDims(Context& context, const ir::Topology& topology, int64_t count, Symbol level, SourceRange at);

} // namespace planc::frontend
