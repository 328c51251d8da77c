// The whole lowering, readable top to bottom: one row per pass.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Passes.h"

#include "passes/Steps.h"

#include <chrono>
#include <fmt/format.h>

namespace planc::passes {
using namespace ir;

const std::vector<Pass>& pipeline() {
  using enum ir::Level;
  static const std::vector<Pass> passes = {
      {"check-mesh", "axes multiply to the devices; `within` and `across` hold", Sharded, false, checkMesh},
      {"open-repeats", "an instance that stage lines cut becomes layers of its own", Sharded, false, openRepeats},
      {"bind-workload", "the extent of `batch`, and the micro-batches of a step", Sharded, false, bindWorkload},
      {"bind-precision", "the element types that hold at each layer", Sharded, false, bindPrecision},
      {"insert-casts", "casts before contractions that compute narrower than their operands", Sharded, false,
       insertCasts},
      {"refine-axes", "splits axes that a composite dimension straddles", Sharded, false, refineAxes},
      {"select-schedule", "the row of the schedule table, its arguments and needs", Sharded, false, selectSchedule},
      {"cut-layers", "virtual stages, and classes of equal instances", Sharded, false, cutLayers},
      {"place-operators", "rules to the axes of every dimension of every operator", Sharded, false, placeOperators},
      {"check-rules", "every rule places something; warnings for idle axes", Sharded, false, checkRules},
      {"lower-forward", "layouts of every value, explicit reshards", Sharded, false, lowerForward},
      {"derive-backward", "backward operators, what is kept, what is replayed", Sharded, true, deriveBackward},
      {"place-states", "storage of parameters, gradients and optimizer states", Sharded, true, placeStates},
      {"lower-reshards", "reshards to collectives", Comm, false, lowerReshards},
      {"size-work", "local FLOPs and bytes of every operator", Comm, false, sizeWork},
      {"size-tables", "the rows of lookup tables that a micro-batch reads and updates", Comm, true, sizeTables},
      {"cross-boundaries", "what every stage sends to the next", Comm, true, crossBoundaries},
      {"check-idle", "warnings for facts about communication that there is none of", Comm, false, checkIdle},
      {"schedule-tasks", "tasks on streams, in the order of the schedule's row", Comm, true, nullptr, scheduleTasks},
  };
  return passes;
}

namespace {

template <class Made> void verifyAfter(const Pass& pass, const Made& made) {
  if (!pass.verify) return;
  if (auto problems = verify(made); !problems.empty())
    throw InternalError(fmt::format("pass {} left the program broken: {}", pass.name, problems.front()));
}

/// Seconds since its making.
class Watch {
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();

public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
};

std::unique_ptr<Program> programOf(const Plan& plan) {
  auto program = std::make_unique<Program>();
  program->plan = &plan;
  program->model = *plan.model;
  program->mesh = plan.mesh;
  return program;
}

} // namespace

bool canCutStages(const Plan& plan) {
  const auto program = programOf(plan);
  DiagnosticEngine ignored;
  for (const Pass& pass : pipeline()) {
    if (!pass.run(*program, ignored)) return false;
    if (pass.run == cutLayers) break;
  }
  return true;
}

std::unique_ptr<Program> lower(const Plan& plan, Level level, DiagnosticEngine& diagnostics,
                               const PassObserver& observer) {
  if (auto problems = verify(*plan.model); !problems.empty())
    throw InternalError("the model is broken on entry: " + problems.front());
  auto program = programOf(plan);
  for (const Pass& pass : pipeline()) {
    if (!pass.run || (pass.after == Level::Comm && level == Level::Sharded)) break;
    const Watch watch;
    if (!pass.run(*program, diagnostics)) return nullptr;
    verifyAfter(pass, *program);
    if (observer) observer({pass, *program, nullptr, watch.seconds()});
  }
  return program;
}

std::unique_ptr<Schedule> schedule(const Program& program, const PassObserver& observer) {
  const Pass& pass = pipeline().back();
  const Watch watch;
  auto result = pass.schedule(program);
  verifyAfter(pass, *result);
  if (observer) observer({pass, program, result.get(), watch.seconds()});
  return result;
}

} // namespace planc::passes
