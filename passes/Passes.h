// The lowering, top to bottom: a plan becomes a program with layouts, then with collectives, then a schedule of tasks.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"
#include "ir/program/Task.h"
#include "passes/PlanParts.h"
#include "support/Diagnostics.h"

#include <functional>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

namespace planc::passes {

/// The inputs on which the results of a pass depend. They decide which plans share the results (`Lowerings`).
enum class DependsOn : uint8_t {
  Model,  ///< makes the model that layers are lowered from; shared by plans that agree in `reads`, whatever the mesh
  Layers, ///< makes the instances of layers; shared by plans that agree in `reads`
  Plan    ///< runs for every plan, on layers that it may share with other plans, and replaces all its results
};

/// A row of the pass list. Passes are free functions over one program. Each reports the errors it finds and returns
/// false to stop. The last pass cannot fail and makes the schedule.
struct Pass {
  using OnHead = bool (*)(ir::ProgramHead& program, DiagnosticEngine& diagnostics); ///< at both levels
  using OnSharded = bool (*)(ir::ShardedProgram& program, DiagnosticEngine& diagnostics);
  using ToComm = std::unique_ptr<ir::Program> (*)(ir::ShardedProgram&& program);
  using OnComm = bool (*)(ir::Program& program, DiagnosticEngine& diagnostics);
  using ToTasks = std::unique_ptr<ir::Schedule> (*)(const ir::Program& program);

  std::string_view name;
  std::string_view doc;
  DependsOn on;
  std::variant<OnHead, OnSharded, ToComm, OnComm, ToTasks> run;
  bool verify = false;  ///< the verifier of the level runs after it
  PlanParts reads = {}; ///< parts of the plan on which its effect on layers depends; empty: it has none
};
/// Every pass, in the order in which they run.
const std::vector<Pass>& pipeline();

/// The state after a pass.
struct Passed {
  const Pass& pass;
  const ir::ProgramHead& program;
  const ir::ShardedProgram* sharded; ///< `program` at its level: either `sharded` or `comm`; the other is null
  const ir::Program* comm;
  const ir::Schedule* schedule; ///< after the pass that makes it
  double seconds;               ///< duration of the pass
};
/// Called after each pass.
using PassObserver = std::function<void(const Passed&)>;

/// The schedules by word. The first row is the schedule of a plan without a pipeline.
ir::Implementations<ir::ScheduleKind>& scheduleKinds();

/// Returns the program of a plan before the first pass. The plan must outlive it.
std::unique_ptr<ir::ShardedProgram> programOf(const ir::Plan& plan);

/// Runs the pipeline on a plan up to level sharded. Null if the plan breaks a law (reported). The plan must outlive the
/// program. An internal verifier failure throws InternalError, which names the pass.
std::unique_ptr<ir::ShardedProgram> shard(const ir::Plan& plan, DiagnosticEngine& diagnostics,
                                          const PassObserver& observer = {});
/// As `shard`, up to level comm.
std::unique_ptr<ir::Program> lower(const ir::Plan& plan, DiagnosticEngine& diagnostics,
                                   const PassObserver& observer = {});
/// As above, for a program that `programOf` made. If the program already has the model and the precisions of another
/// plan, the passes that depend on the model alone do not run.
std::unique_ptr<ir::Program> lower(std::unique_ptr<ir::ShardedProgram> program, DiagnosticEngine& diagnostics,
                                   const PassObserver& observer = {});

/// Runs the passes that depend on the whole plan on a program at level comm whose layers other plans share
/// (`Lowerings`). Returns false after an error.
bool lowerPlan(ir::Program& program, DiagnosticEngine& diagnostics);

/// Turns the verifiers after passes on or off, for the whole process. They are on by default in builds without NDEBUG.
void setVerifying(bool on);

/// Returns whether the layers of a plan can be cut into stages as it states. Reports nothing.
bool canCutStages(const ir::Plan& plan);

/// Lowers a program from level comm to level task, the end of the pipeline. The program must outlive the schedule.
std::unique_ptr<ir::Schedule> schedule(const ir::Program& program, const PassObserver& observer = {});

/// A broken invariant of the compiler itself: exit code 3.
struct InternalError : std::exception {
  std::string message;
  explicit InternalError(std::string m) : message(std::move(m)) {}
  const char* what() const noexcept override { return message.c_str(); }
};

} // namespace planc::passes
