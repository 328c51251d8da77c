// The whole lowering from top to bottom: one row per pass.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Passes.h"

#include "passes/Steps.h"

#include <chrono>
#include <fmt/format.h>

namespace planc::passes {
using namespace ir;

namespace {

/// A pass over what a program is at both levels, at one of them.
template <auto run>
constexpr Pass::OnSharded sharded = [](ShardedProgram& p, DiagnosticEngine& d) { return run(p, d); };

/// A pass on what other plans share.
template <auto run> bool again(Program& program, DiagnosticEngine& diagnostics) {
  return run(program, diagnostics);
}

} // namespace

const std::vector<Pass>& pipeline() {
  using enum PlanPart;
  static const std::vector<Pass> passes = {
      // clang-format off
      {"check-mesh", "axes multiply to the devices; `within` and `across` hold",
       sharded<checkMesh>, false, {Machine, Mesh, Placements}, again<checkMesh>},
      {"open-repeats", "an instance that stage lines cut becomes layers of its own",
       sharded<openRepeats>, false, {Model, Opened}, nullptr, true},
      {"wrap-layers", "several layers of one body are wrapped each by itself",
       sharded<wrapLayers>, false, {Model, Opened}, nullptr, true},
      {"bind-workload", "the extent of `batch`, and the micro-batches of a step",
       sharded<bindWorkload>, false, {Workload, Mesh, Placements}, again<bindWorkload>},
      {"bind-precision", "the element types that hold at each layer",
       sharded<bindPrecision>, false, {Precision, Machine, Workload}, nullptr, true},
      {"insert-casts", "casts before contractions that compute narrower than their operands",
       sharded<insertCasts>, false, {Precision}, nullptr, true},
      {"refine-axes", "splits axes that a composite dimension straddles",
       sharded<refineAxes>, false, {Mesh, Placements}},
      {"select-schedule", "the row of the schedule table, its arguments and needs",
       sharded<selectSchedule>, false, {}, again<selectSchedule>},
      {"cut-layers", "virtual stages, and classes of equal instances",
       cutLayers, false, {Mesh, Placements, SlicedStates, Recompute, Keeps, Workload, StageCut}, again<cutLayersAgain>},
      {"place-operators", "rules to the axes of every dimension of every operator",
       sharded<placeOperators>, false, {Mesh, Placements}},
      {"check-rules", "every rule places something; warnings for idle axes",
       checkRules, false, {Mesh, Placements, Workload, Precision}, again<checkStageAxes>},
      {"lower-forward", "layouts of every value, explicit reshards",
       lowerForward, false, {Mesh, Workload}},
      {"derive-backward", "backward operators, what is kept, what is replayed",
       deriveBackward, true, {Mesh, Machine, Workload, Precision, Recompute, Keeps}},
      {"place-states", "storage of parameters, gradients and optimizer states",
       sharded<placeStates>, true, {}, again<placeStates>},
      {"lower-reshards", "reshards to collectives",
       lowerReshards, false, {Mesh, Precision}},
      {"size-work", "local FLOPs and bytes of every operator",
       sizeWork, false, {Mesh, Precision}},
      {"size-gradients", "the shard of its gradient that a device accumulates",
       sizeGradients, false, {}, again<sizeGradients>},
      {"size-tables", "the rows of lookup tables that a micro-batch reads and updates",
       sizeTables, true, {}, again<sizeTables>},
      {"cross-boundaries", "what every stage sends to the next",
       crossBoundaries, true, {}, again<crossBoundaries>},
      {"check-idle", "warnings for facts about communication that the plan does not have",
       checkIdle, false, {}, again<checkIdle>},
      // clang-format on
      {.name = "schedule-tasks",
       .doc = "tasks on streams, in the order of the schedule's row",
       .run = scheduleTasks,
       .verify = true},
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

/// Measures the seconds since its construction.
class Watch {
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();

public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
};

std::unique_ptr<ShardedProgram> programOf(const Plan& plan) {
  auto program = std::make_unique<ShardedProgram>();
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
    const auto run = std::get<Pass::OnSharded>(pass.run);
    if (!run(*program, ignored)) return false;
    if (run == cutLayers) break;
  }
  return true;
}

std::unique_ptr<ShardedProgram> shard(const Plan& plan, DiagnosticEngine& diagnostics, const PassObserver& observer,
                                      const PreparedModel* prepared) {
  if (auto problems = verifying ? verify(*plan.model) : std::vector<std::string>(); !problems.empty())
    throw InternalError("the model is broken on entry: " + problems.front());
  auto program = programOf(plan);
  if (prepared) program->model = prepared->model, program->precisions = prepared->precisions;
  for (const Pass& pass : pipeline()) {
    const auto* run = std::get_if<Pass::OnSharded>(&pass.run);
    if (!run) break;
    if (prepared && pass.ofModel) continue;
    const Watch watch;
    if (!(*run)(*program, diagnostics)) return nullptr;
    verifyAfter(pass, *program);
    if (observer) observer({pass, *program, program.get(), nullptr, nullptr, watch.seconds()});
  }
  return program;
}

std::unique_ptr<Program> lower(const Plan& plan, DiagnosticEngine& diagnostics, const PassObserver& observer,
                               const PreparedModel* prepared) {
  const auto before = shard(plan, diagnostics, observer, prepared);
  if (!before) return nullptr;
  std::unique_ptr<Program> program;
  for (const Pass& pass : pipeline()) {
    const Watch watch;
    if (const auto* const make = std::get_if<Pass::ToComm>(&pass.run))
      program = (*make)(std::move(*before));
    else if (const auto* const run = std::get_if<Pass::OnComm>(&pass.run); !run)
      continue;
    else if (!(*run)(*program, diagnostics))
      return nullptr;
    verifyAfter(pass, *program);
    if (observer) observer({pass, *program, nullptr, program.get(), nullptr, watch.seconds()});
  }
  return program;
}

bool lowerAgain(Program& program, DiagnosticEngine& diagnostics) {
  for (const Pass& pass : pipeline()) {
    if (!pass.again) continue;
    if (!pass.again(program, diagnostics)) return false;
    if (std::holds_alternative<Pass::OnComm>(pass.run)) verifyAfter(pass, program);
  }
  return true;
}

std::unique_ptr<Schedule> schedule(const Program& program, const PassObserver& observer) {
  const Pass& pass = pipeline().back();
  const Watch watch;
  auto result = std::get<Pass::ToTasks>(pass.run)(program);
  verifyAfter(pass, *result);
  if (observer) observer({pass, program, nullptr, &program, result.get(), watch.seconds()});
  return result;
}

} // namespace planc::passes
