// The layers of a model cut into virtual stages: what cut-layers begins with, and a program of level comm cut again.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"
#include "support/Diagnostics.h"
#include "support/Indexed.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <vector>

namespace planc::passes {

/// Instances [lo, hi) of a layer on one virtual stage.
struct Piece {
  ir::LayerId layer;
  int64_t lo = 0, hi = 0;
};
/// By virtual stage, in the order of the model.
using Cut = Indexed<Few<Piece, 2>>;

/// The instance of a repeat whose part a selector of a stage line names: `decoder[3].local`, and `decoder.local` where
/// there is one instance.
std::optional<int64_t> instanceCut(const ir::Selector& selector, const ir::Layer& layer);

/// The cut that the plan wants of the program's model. Nothing after a report.
std::optional<Cut> cutStages(const ir::ProgramHead& program, const ir::Plan& plan, DiagnosticEngine& diagnostics);

/// By virtual stage: classes in the order in which they run there, with how many instances of each.
using StageRuns = Indexed<llvm::SmallVector<std::pair<ir::LayerClassId, int64_t>, 4>>;

/// The virtual stages of the program, as far as they hold classes; nothing is sent yet.
StageRuns runsOf(const ir::ProgramHead& program);
/// Makes them what the virtual stages hold: those that hold the same are of one kind.
void setRuns(ir::ProgramHead& program, const StageRuns& runs);

/// Makes the virtual stages of a cut, with the devices of each, and gives the classes that run on them.
StageRuns addStages(ir::ProgramHead& program, const Cut& cut);

} // namespace planc::passes
