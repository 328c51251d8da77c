// The passes of the pipeline in the order in which they run. Each has a file of its name.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"
#include "ir/program/Task.h"
#include "passes/lower/Lowering.h"
#include "support/Diagnostics.h"

#include <memory>

namespace planc::passes {

bool checkMesh(ir::ProgramHead& program, DiagnosticEngine& diagnostics);
bool openRepeats(ir::ProgramHead& program, DiagnosticEngine& diagnostics);
bool wrapLayers(ir::ProgramHead& program, DiagnosticEngine& diagnostics);
bool bindWorkload(ir::ProgramHead& program, DiagnosticEngine& diagnostics);
bool bindPrecision(ir::ProgramHead& program, DiagnosticEngine& diagnostics);
bool insertCasts(ir::ProgramHead& program, DiagnosticEngine& diagnostics);
bool refineAxes(ir::ProgramHead& program, DiagnosticEngine& diagnostics);
bool selectSchedule(ir::ProgramHead& program, DiagnosticEngine& diagnostics);
bool cutLayers(ir::ShardedProgram& program, DiagnosticEngine& diagnostics);
bool cutStages(ir::ProgramHead& program, DiagnosticEngine& diagnostics);
bool placeOperators(ir::ProgramHead& program, DiagnosticEngine& diagnostics);
bool checkStageAxes(ir::ProgramHead& program, DiagnosticEngine& diagnostics);
bool checkRules(ir::ShardedProgram& program, DiagnosticEngine& diagnostics);
bool lowerForward(ir::ShardedProgram& program, DiagnosticEngine& diagnostics);
bool deriveBackward(ir::ShardedProgram& program, DiagnosticEngine& diagnostics);
bool placeStates(ir::ProgramHead& program, DiagnosticEngine& diagnostics);
std::unique_ptr<ir::Program> lowerReshards(ir::ShardedProgram&& program);
bool sizeWork(ir::Program& program, DiagnosticEngine& diagnostics);
bool sizeGradients(ir::Program& program, DiagnosticEngine& diagnostics);
bool sizeTables(ir::Program& program, DiagnosticEngine& diagnostics);
bool crossBoundaries(ir::Program& program, DiagnosticEngine& diagnostics);
bool checkIdle(ir::Program& program, DiagnosticEngine& diagnostics);
std::unique_ptr<ir::Schedule> scheduleTasks(const ir::Program& program);

/// Part of check-rules: reports rules that split a dimension that an operator contracts inside its kernel (L10).
bool checkKernels(const ir::ShardedProgram& program, DiagnosticEngine& diagnostics);

/// Part of check-rules: warns of a dimension that a rule splits in some layers while other layers hold it whole.
void warnPlacedByHalf(const ir::ShardedProgram& program, DiagnosticEngine& diagnostics);

/// Part of check-rules: reports facts that have no effect in this plan, and facts with impossible values.
bool checkEffects(const ir::ProgramHead& program, DiagnosticEngine& diagnostics);

} // namespace planc::passes
