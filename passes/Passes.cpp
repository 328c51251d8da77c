// The whole lowering, readable top to bottom: one row per pass.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Passes.h"

#include "passes/Steps.h"

#include <chrono>
#include <fmt/format.h>

namespace planc::passes {
using namespace ir;

namespace {

using Run = bool (*)(Program& program, DiagnosticEngine& diagnostics);
using Again = bool (*)(Program& program, DiagnosticEngine& diagnostics, KnownStates* known);

/// The same from scratch, and on what other plans share.
template <Run run> bool again(Program& program, DiagnosticEngine& diagnostics, KnownStates*) {
  return run(program, diagnostics);
}
template <Again run> bool anew(Program& program, DiagnosticEngine& diagnostics) {
  return run(program, diagnostics, nullptr);
}

} // namespace

const std::vector<Pass>& pipeline() {
  using enum ir::Level;
  using enum PlanPart;
  static const std::vector<Pass> passes = {
      // clang-format off
      {"check-mesh", "axes multiply to the devices; `within` and `across` hold",
       Sharded, false, checkMesh, {Machine, Mesh, Placements}, again<checkMesh>},
      {"open-repeats", "an instance that stage lines cut becomes layers of its own",
       Sharded, false, openRepeats, {Model, Opened}, nullptr, true},
      {"wrap-layers", "several layers of one body are wrapped each by itself",
       Sharded, false, wrapLayers, {Model, Opened}, nullptr, true},
      {"bind-workload", "the extent of `batch`, and the micro-batches of a step",
       Sharded, false, bindWorkload, {Workload, Mesh, Placements}, again<bindWorkload>},
      {"bind-precision", "the element types that hold at each layer",
       Sharded, false, bindPrecision, {Precision, Machine, Workload}, nullptr, true},
      {"insert-casts", "casts before contractions that compute narrower than their operands",
       Sharded, false, insertCasts, {Precision}, nullptr, true},
      {"refine-axes", "splits axes that a composite dimension straddles",
       Sharded, false, refineAxes, {Mesh, Placements}},
      {"select-schedule", "the row of the schedule table, its arguments and needs",
       Sharded, false, selectSchedule, {}, again<selectSchedule>},
      {"cut-layers", "virtual stages, and classes of equal instances",
       Sharded, false, cutLayers, {Mesh, Placements, SlicedStates, Recompute, Keeps, Workload, Cut}, again<cutLayersAgain>},
      {"place-operators", "rules to the axes of every dimension of every operator",
       Sharded, false, placeOperators, {Mesh, Placements}},
      {"check-rules", "every rule places something; warnings for idle axes",
       Sharded, false, checkRules, {Mesh, Placements, Workload, Precision}, again<checkStageAxes>},
      {"lower-forward", "layouts of every value, explicit reshards",
       Sharded, false, lowerForward, {Mesh, Workload}},
      {"derive-backward", "backward operators, what is kept, what is replayed",
       Sharded, true, deriveBackward, {Mesh, Machine, Workload, Precision, Recompute, Keeps}},
      {"place-states", "storage of parameters, gradients and optimizer states",
       Sharded, true, anew<placeStates>, {}, placeStates},
      {"lower-reshards", "reshards to collectives",
       Comm, false, lowerReshards, {Mesh, Precision}},
      {"size-work", "local FLOPs and bytes of every operator",
       Comm, false, sizeWork, {Mesh, Precision}},
      {"size-gradients", "the shard of its gradient that a device accumulates",
       Comm, false, anew<sizeGradients>, {}, sizeGradients},
      {"size-tables", "the rows of lookup tables that a micro-batch reads and updates",
       Comm, true, sizeTables, {}, again<sizeTables>},
      {"cross-boundaries", "what every stage sends to the next",
       Comm, true, crossBoundaries, {}, again<crossBoundaries>},
      {"check-idle", "warnings for facts about communication that there is none of",
       Comm, false, checkIdle, {}, again<checkIdle>},
      // clang-format on
      {.name = "schedule-tasks",
       .doc = "tasks on streams, in the order of the schedule's row",
       .after = Comm,
       .verify = true,
       .schedule = scheduleTasks},
  };
  return passes;
}

namespace {

#ifdef NDEBUG
bool verifying = false;
#else
bool verifying = true;
#endif

template <class Made> void verifyAfter(const Pass& pass, const Made& made) {
  if (!pass.verify || !verifying) return;
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
  program->model = plan.model;
  program->mesh = plan.mesh;
  return program;
}

} // namespace

void setVerifying(bool on) {
  verifying = on;
}

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
                               const PassObserver& observer, const PreparedModel* prepared) {
  if (auto problems = verifying ? verify(*plan.model) : std::vector<std::string>(); !problems.empty())
    throw InternalError("the model is broken on entry: " + problems.front());
  auto program = programOf(plan);
  if (prepared) program->model = prepared->model, program->precisions = prepared->precisions;
  for (const Pass& pass : pipeline()) {
    if (!pass.run || (pass.after == Level::Comm && level == Level::Sharded)) break;
    if (prepared && pass.ofModel) continue;
    const Watch watch;
    if (!pass.run(*program, diagnostics)) return nullptr;
    verifyAfter(pass, *program);
    if (observer) observer({pass, *program, nullptr, watch.seconds()});
  }
  return program;
}

bool lowerAgain(Program& program, DiagnosticEngine& diagnostics, KnownStates& known) {
  for (const Pass& pass : pipeline()) {
    if (!pass.again) continue;
    if (!pass.again(program, diagnostics, &known)) return false;
    if (program.level == pass.after) verifyAfter(pass, program);
  }
  return true;
}

std::unique_ptr<Schedule> schedule(const Program& program, const PassObserver& observer, KnownTasks* known) {
  const Pass& pass = pipeline().back();
  const Watch watch;
  auto result = pass.schedule(program, known);
  verifyAfter(pass, *result);
  if (observer) observer({pass, program, result.get(), watch.seconds()});
  return result;
}

} // namespace planc::passes
