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

/// A row of the pass list. Passes are free functions over one program. Each reports the errors it finds and returns
/// false to stop. The last pass cannot fail and makes the schedule.
///
/// The instances of a layer depend only on a part of the plan. Passes with `reads` produce that part of the program,
/// and a program whose plan agrees in everything that they read shares it (`Lowerings`). The other passes run again on
/// the shared layers and replace all their results. A pass that does both has a function `again` for the second.
struct Pass {
  using OnSharded = bool (*)(ir::ShardedProgram& program, DiagnosticEngine& diagnostics);
  using ToComm = std::unique_ptr<ir::Program> (*)(ir::ShardedProgram&& program);
  using OnComm = bool (*)(ir::Program& program, DiagnosticEngine& diagnostics);
  using ToTasks = std::unique_ptr<ir::Schedule> (*)(const ir::Program& program);

  std::string_view name;
  std::string_view doc;
  std::variant<OnSharded, ToComm, OnComm, ToTasks> run;
  bool verify = false;  ///< the verifier of the level runs after it
  PlanParts reads = {}; ///< empty: nothing that is shared
  bool (*again)(ir::Program& program, DiagnosticEngine& diagnostics) = nullptr; ///< on what other plans share
  bool ofModel = false; ///< makes the model that layers are lowered from, whatever the mesh (`PreparedModel`)
};
/// Every pass, in the order in which they run.
const std::vector<Pass>& pipeline();

/// The state after a pass.
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

/// The schedules by word. The first row is the schedule of a plan without a pipeline.
ir::Implementations<ir::ScheduleKind>& scheduleKinds();

/// The result of the passes with `ofModel`, shared by plans that agree in what these passes read. The passes are not
/// run again on it.
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

/// Runs the passes that are not about layers alone on a program at level comm whose layers other plans share
/// (`Lowerings`). Returns false after an error.
bool lowerAgain(ir::Program& program, DiagnosticEngine& diagnostics);

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
