// The layers of a model cut into virtual stages: what cut-layers begins with, and a program of level comm cut again.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/Program.h"
#include "support/Diagnostics.h"
#include "support/Indexed.h"

#include <optional>
#include <vector>

namespace planc::passes {

/// Instances [lo, hi) of a layer on one virtual stage.
struct Piece {
  ir::LayerId layer;
  int64_t lo = 0, hi = 0;
};
/// By virtual stage, in the order of the model.
using Cut = Indexed<std::vector<Piece>>;

/// The instance of a repeat whose part a selector of a stage line names: `decoder[3].local`, and `decoder.local` where
/// there is one instance.
std::optional<int64_t> instanceCut(const ir::Selector& selector, const ir::Layer& layer);

/// The cut that the plan wants of the program's model. Nothing after a report.
std::optional<Cut> cutStages(const ir::Program& program, const ir::Plan& plan, DiagnosticEngine& diagnostics);

/// Appends the virtual stages of a cut, with the classes of instances that run there and the devices of each.
void addStages(ir::Program& program, const Cut& cut);

} // namespace planc::passes
