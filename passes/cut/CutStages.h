// The cut of a model's layers into virtual stages, and the classes that run on each stage.
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
struct StagePiece {
  ir::LayerId layer;
  int64_t lo = 0, hi = 0;
};
/// The pieces by virtual stage, in the order of the model.
using Cut = Indexed<Few<StagePiece, 2>>;

/// Returns the instance of a repeat whose part a selector of a stage line names: `decoder[3].local`, or `decoder.local`
/// if there is one instance. Returns null if it names no part.
std::optional<int64_t> instanceCut(const ir::Selector& selector, const ir::Layer& layer);

/// Returns the cut that the plan requests for the program's model. Returns null after an error.
std::optional<Cut> cutOf(const ir::ProgramHead& program, DiagnosticEngine& diagnostics);

/// By virtual stage: classes in the order in which they run, with the number of instances of each.
using StageRuns = Indexed<llvm::SmallVector<std::pair<ir::LayerClassId, int64_t>, 4>>;

/// Returns the classes that the virtual stages of the program hold so far.
StageRuns runsOf(const ir::ProgramHead& program);
/// Sets the classes of the virtual stages. Stages with equal classes become one kind.
void setRuns(ir::ProgramHead& program, const StageRuns& runs);

/// Makes the virtual stages of a cut with their devices. Returns the classes that run on them.
StageRuns addStages(ir::ProgramHead& program, const Cut& cut);

} // namespace planc::passes
