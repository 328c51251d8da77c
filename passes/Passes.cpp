// The whole lowering from top to bottom: one row per pass.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Passes.h"

#include "passes/Steps.h"

#include <chrono>
#include <fmt/format.h>

namespace planc::passes {
using namespace ir;

const std::vector<Pass>& pipeline() {
  using enum PlanPart;
  static constexpr DependsOn kModel = DependsOn::Model, kLayers = DependsOn::Layers, kPlan = DependsOn::Plan;
  static const std::vector<Pass> passes = {
      // clang-format off
      {"check-mesh", "axes multiply to the devices; `within` and `across` hold",
       kPlan, checkMesh},
      {"open-repeats", "an instance that stage lines cut becomes layers of its own",
       kModel, openRepeats, false, {Model, Opened}},
      {"wrap-layers", "several layers of one body are wrapped each by itself",
       kModel, wrapLayers, false, {Model}},
      {"bind-workload", "the extent of `batch`, and the micro-batches of a step",
       kPlan, bindWorkload, false, {Workload, Mesh, Placements}},
      {"bind-precision", "the element types that hold at each layer",
       kModel, bindPrecision, false, {Precision, Machine}},
      {"insert-casts", "casts before contractions that compute narrower than their operands",
       kModel, insertCasts},
      {"refine-axes", "splits axes that a composite dimension straddles",
       kLayers, refineAxes, false, {Mesh, Placements}},
      {"select-schedule", "the row of the schedule table, its arguments and needs",
       kPlan, selectSchedule},
      {"cut-layers", "classes of equal instances",
       kLayers, cutLayers, false, {Mesh, Placements, SlicedStates, Recompute, Keeps, Workload, StageCut}},
      {"cut-stages", "virtual stages, and the instances of each class on them",
       kPlan, cutStages},
      {"place-operators", "rules to the axes of every dimension of every operator",
       kLayers, placeOperators, false, {Mesh, Placements}},
      {"check-stage-axes", "nothing is split over the axes of the stages",
       kPlan, checkStageAxes},
      {"check-rules", "every rule places something; warnings for idle axes",
       kLayers, checkRules, false, {Mesh, Placements, Workload}},
      {"lower-forward", "layouts of every value, explicit reshards",
       kLayers, lowerForward, false, {Mesh, Workload, Placements}},
      {"derive-backward", "backward operators, what is kept, what is replayed",
       kLayers, deriveBackward, true, {Mesh, Machine, Workload, Recompute, Keeps}},
      {"place-states", "storage of parameters, gradients and optimizer states",
       kPlan, placeStates, true},
      {"lower-reshards", "reshards to collectives",
       kLayers, lowerReshards, false, {Mesh, Precision}},
      {"size-work", "local FLOPs and bytes of every operator",
       kLayers, sizeWork, false, {Mesh}},
      {"size-gradients", "the shard of its gradient that a device accumulates",
       kPlan, sizeGradients},
      {"size-tables", "the rows of lookup tables that a micro-batch reads and updates",
       kPlan, sizeTables, true},
      {"cross-boundaries", "what every stage sends to the next",
       kPlan, crossBoundaries, true},
      {"check-idle", "warnings for facts about communication that the plan does not have",
       kPlan, checkIdle},
      {"schedule-tasks", "tasks on streams, in the order of the schedule's row",
       kPlan, scheduleTasks, true},
      // clang-format on
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

/// Runs a pass at the level of the program, or returns nothing if it works at another level.
template <class P> std::optional<bool> runAt(const Pass& pass, P& program, DiagnosticEngine& diagnostics) {
  if (const auto* run = std::get_if<Pass::OnHead>(&pass.run)) return (*run)(program, diagnostics);
  if (const auto* run = std::get_if<bool (*)(P&, DiagnosticEngine&)>(&pass.run)) return (*run)(program, diagnostics);
  return std::nullopt;
}

std::unique_ptr<ShardedProgram> shard(std::unique_ptr<ShardedProgram> program, DiagnosticEngine& diagnostics,
                                      const PassObserver& observer) {
  const bool bound = !program->precisions.empty();
  for (const Pass& pass : pipeline()) {
    if (bound && pass.on == DependsOn::Model) continue;
    const Watch watch;
    const std::optional<bool> ran = runAt(pass, *program, diagnostics);
    if (!ran) break;
    if (!*ran) return nullptr;
    verifyAfter(pass, *program);
    if (observer) observer({pass, *program, program.get(), nullptr, nullptr, watch.seconds()});
  }
  return program;
}

} // namespace

void setVerifying(bool on) {
  verifying = on;
}

std::unique_ptr<ShardedProgram> programOf(const Plan& plan) {
  if (auto problems = verifying ? verify(*plan.model) : std::vector<std::string>(); !problems.empty())
    throw InternalError("the model is broken on entry: " + problems.front());
  auto program = std::make_unique<ShardedProgram>();
  program->plan = &plan;
  program->model = plan.model;
  program->mesh = plan.mesh;
  return program;
}

bool canCutStages(const Plan& plan) {
  const auto program = programOf(plan);
  DiagnosticEngine ignored;
  const Pass::OnHead last = cutStages;
  for (const Pass& pass : pipeline()) {
    if (!*runAt(pass, *program, ignored)) return false;
    if (const auto* run = std::get_if<Pass::OnHead>(&pass.run); run && *run == last) break;
  }
  return true;
}

std::unique_ptr<ShardedProgram> shard(const Plan& plan, DiagnosticEngine& diagnostics, const PassObserver& observer) {
  return shard(programOf(plan), diagnostics, observer);
}

std::unique_ptr<Program> lower(std::unique_ptr<ShardedProgram> begin, DiagnosticEngine& diagnostics,
                               const PassObserver& observer) {
  const auto sharded = shard(std::move(begin), diagnostics, observer);
  if (!sharded) return nullptr;
  std::unique_ptr<Program> program;
  for (const Pass& pass : pipeline()) {
    const Watch watch;
    if (const auto* const make = std::get_if<Pass::ToComm>(&pass.run)) {
      program = (*make)(std::move(*sharded));
    } else {
      const std::optional<bool> ran = program ? runAt(pass, *program, diagnostics) : std::nullopt;
      if (!ran) continue;
      if (!*ran) return nullptr;
    }
    verifyAfter(pass, *program);
    if (observer) observer({pass, *program, nullptr, program.get(), nullptr, watch.seconds()});
  }
  return program;
}

std::unique_ptr<Program> lower(const Plan& plan, DiagnosticEngine& diagnostics, const PassObserver& observer) {
  return lower(programOf(plan), diagnostics, observer);
}

bool lowerPlan(Program& program, DiagnosticEngine& diagnostics) {
  for (const Pass& pass : pipeline()) {
    if (pass.on != DependsOn::Plan) continue;
    const std::optional<bool> ran = runAt(pass, program, diagnostics);
    if (ran && !*ran) return false;
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
