// Reads `topology = torus(dims = [16, 16])`, and checks it against the vocabulary of topologies.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/facts/Schema.h"

namespace planc::frontend {

/// Reads a topology with its arguments. Reports an unknown word or parameter.
void readTopology(ir::Topology& topology, FactInput& input);
/// Checks that the product of the dimensions equals the level's units. Returns false after a report.
bool checkDims(Context& context, const ir::Topology& topology, int64_t count, Symbol level, SourceRange at);

} // namespace planc::frontend
