// The lowering, top to bottom: a plan becomes a program with layouts, then with collectives, then a schedule of tasks.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"
#include "ir/program/Task.h"
#include "passes/PlanParts.h"
#include "passes/place/KnownStates.h"
#include "passes/schedules/KnownTasks.h"
#include "support/Diagnostics.h"

#include <functional>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

namespace planc::passes {

/// A row of the pass list. Passes are free functions over one program; each reports what it finds wrong and returns
/// false to stop. The type of the function is the level of the program that it works on; the two that lead from one
/// level to the next cannot fail.
///
/// What a layer's instances do depends on a part of the plan alone: passes with `reads` make that, and a program whose
/// plan agrees in all that they read shares it (`Lowerings`). The others run again on it, and make anew all that they
/// make; a pass that does both has a function for the second.
struct Pass {
  using OnSharded = bool (*)(ir::ShardedProgram& program, DiagnosticEngine& diagnostics);
  using ToComm = std::unique_ptr<ir::Program> (*)(ir::ShardedProgram&& program);
  using OnComm = bool (*)(ir::Program& program, DiagnosticEngine& diagnostics);
  using ToTasks = std::unique_ptr<ir::Schedule> (*)(const ir::Program& program, KnownTasks* known);

  std::string_view name;
  std::string_view doc;
  std::variant<OnSharded, ToComm, OnComm, ToTasks> run;
  bool verify = false;  ///< the verifier of the level runs after it
  PlanParts reads = {}; ///< empty: nothing that is shared
  /// On what other plans share; `known`: what it made of it for plans before.
  bool (*again)(ir::Program& program, DiagnosticEngine& diagnostics, KnownStates* known) = nullptr;
  bool ofModel = false; ///< makes the model that layers are lowered from, whatever the mesh (`PreparedModel`)
};
/// Every pass, in the order in which they run.
const std::vector<Pass>& pipeline();

/// What a pass leaves behind it.
struct Passed {
  const Pass& pass;
  const ir::ProgramHead& program;
  const ir::ShardedProgram* sharded; ///< `program` at its level: one of the two, the other is null
  const ir::Program* comm;
  const ir::Schedule* schedule; ///< after the pass that makes it
  double seconds;               ///< that it took
};
/// Called after each pass.
using PassObserver = std::function<void(const Passed&)>;

/// What the words of schedules mean; the first row is what a plan without a pipeline runs.
ir::Implementations<ir::ScheduleKind>& scheduleKinds();

/// What the passes `ofModel` leave. Those are not run again on it: plans that agree in what they read share it.
struct PreparedModel {
  Shared<ir::Model> model;
  std::vector<ir::Precision> precisions;
};

/// Runs the pipeline on a plan up to level sharded. Null if the plan breaks a law (reported). The plan must outlive the
/// program. An internal verifier failure throws InternalError, which names the pass.
std::unique_ptr<ir::ShardedProgram> shard(const ir::Plan& plan, DiagnosticEngine& diagnostics,
                                          const PassObserver& observer = {}, const PreparedModel* prepared = nullptr);
/// The same up to level comm.
std::unique_ptr<ir::Program> lower(const ir::Plan& plan, DiagnosticEngine& diagnostics,
                                   const PassObserver& observer = {}, const PreparedModel* prepared = nullptr);

/// The passes that are not of layers alone, on a program of level comm whose layers other plans share (`Lowerings`).
/// False after a report. `known`: of those layers.
bool lowerAgain(ir::Program& program, DiagnosticEngine& diagnostics, KnownStates& known);

/// Whether a verifier runs after each pass that has one: in builds without NDEBUG, and once somebody says so. Of the
/// whole process.
void setVerifying(bool on);

/// Whether the layers of a plan can be cut into stages as it says; reports nothing.
bool canCutStages(const ir::Plan& plan);

/// Level comm to level task, the end of the pipeline; the program must outlive the schedule.
/// `known`: tasks of layers that other programs share, looked up and added to.
std::unique_ptr<ir::Schedule> schedule(const ir::Program& program, const PassObserver& observer = {},
                                       KnownTasks* known = nullptr);

/// A broken invariant of the compiler itself: exit code 3.
struct InternalError : std::exception {
  std::string message;
  explicit InternalError(std::string m) : message(std::move(m)) {}
  const char* what() const noexcept override { return message.c_str(); }
};

} // namespace planc::passes
