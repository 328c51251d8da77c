// The layers of a model cut into virtual stages: what cut-layers begins with.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/Program.h"
#include "support/Diagnostics.h"

#include <optional>
#include <vector>

namespace planc::passes {

/// Instances [lo, hi) of a layer on one virtual stage.
struct Piece {
  ir::LayerId layer;
  int64_t lo = 0, hi = 0;
};
/// By virtual stage, in the order of the model.
using Cut = std::vector<std::vector<Piece>>;

/// The instance of a repeat whose part a selector of a stage line names: `decoder[3].local`, and `decoder.local` where
/// there is one instance.
std::optional<int64_t> instanceCut(const ir::Selector& selector, const ir::Layer& layer);

/// Nothing after a report.
std::optional<Cut> cutStages(const ir::Program& program, DiagnosticEngine& diagnostics);

} // namespace planc::passes
