// select-schedule: selects the plan's schedule, reads its arguments, and checks its requirements on stages and
// micro-batches.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Passes.h"
#include "passes/Steps.h"
#include "passes/schedules/Schedules.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::passes {
using namespace ir;

PLANC_ERROR(ScheduleNeedsMore, 713, "schedule `{schedule}` needs {need}")
PLANC_ERROR(UnknownSchedule, 714, "unknown schedule `{schedule}`")
PLANC_ERROR(UnknownArgument, 715, "schedule `{schedule}` takes no `{argument}`")
PLANC_ERROR(TooManyActions, 724,
            "{micro} micro-batches over {stages} virtual stages exceed the limit of {limit} steps of a schedule")
PLANC_WARNING(NoChunks, 925, "`{schedule}` has one virtual stage per device, but it needs several")
PLANC_ERROR(TooManyStages, 720, "{stages} stages x {chunks} chunks are more than {limit} virtual stages")

namespace {

constexpr int64_t kMaxActions = 1 << 25;       // without repetition these take seconds, at worst twenty
constexpr int64_t kMaxVirtualStages = 1 << 13; // all of them are examined in a second or two

std::string listOf(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += fmt::format("{}`{}`", list.empty() ? "" : ", ", name);
  return list;
}

const ScheduleKind* findKind(const Pipeline& pipeline, DiagnosticEngine& diagnostics) {
  if (const ScheduleKind* kind = scheduleKinds().find(pipeline.schedule.view())) return kind;
  const std::vector<std::string> names = scheduleWords().names();
  auto report = diagnostics.report(UnknownSchedule, pipeline.scheduleRange, {{"schedule", pipeline.schedule.str()}});
  report.meant(pipeline.schedule.view(), names);
  report.note("known schedules: " + listOf(names));
  return nullptr;
}

/// Reads the values of the word's parameters, in the order of the word. Returns false after reporting an unknown
/// argument.
bool readArguments(ProgramHead& program, const Pipeline& pipeline, DiagnosticEngine& diagnostics) {
  const ScheduleKind& kind = *program.kind;
  program.scheduleArguments = kind.standardArguments();
  for (const ScheduleArgument& given : pipeline.arguments) {
    if (const Parameter* known = kind.word->find(given.name.view())) {
      program.scheduleArguments[static_cast<size_t>(known - kind.word->parameters.data())] = given.value;
      if (kind.chunks == 0 && known->name == "chunks") program.chunks = given.value;
      continue;
    }
    auto report =
        diagnostics.report(UnknownArgument, given.range, {{"schedule", kind.name()}, {"argument", given.name.str()}});
    if (kind.word->parameters.empty())
      report.help("remove it: the schedule takes no arguments");
    else
      report.help("it takes " + listOf(kind.word->parameterNames()));
    return false;
  }
  return true;
}

std::string textOf(std::string_view text, const ScheduleShape& shape) {
  return fmt::format(fmt::runtime(text), fmt::arg("p", shape.stages), fmt::arg("v", shape.chunks),
                     fmt::arg("m", shape.microBatches));
}

/// Returns whether the schedule has something to order on one stage: a forward pass paired with the backward pass of
/// another micro-batch.
bool pairsAlone(const ProgramHead& program) {
  const ScheduleShape shape{1, program.chunks, program.microBatches, program.scheduleArguments, {}};
  return program.kind->pairs && std::all_of(program.kind->needs.begin(), program.kind->needs.end(),
                                            [&](const auto& n) { return n.holds(shape); });
}

bool checkNeeds(const ProgramHead& program, DiagnosticEngine& diagnostics) {
  const Plan& plan = *program.plan;
  const int64_t p = program.stages, v = program.chunks, m = program.microBatches;
  const ScheduleShape shape{p, v, m, program.scheduleArguments, {}};
  std::string needs;
  std::vector<std::string> helps;
  for (const ScheduleNeed& need : program.kind->needs) {
    if (need.holds(shape)) continue;
    needs += fmt::format("{}{}", needs.empty() ? "" : "; and ", textOf(need.text, shape));
    helps.push_back(textOf(need.help, shape));
  }
  if (!needs.empty()) {
    auto report = diagnostics.report(ScheduleNeedsMore, plan.pipeline->scheduleRange,
                                     {{"schedule", program.kind->name()}, {"need", needs}});
    report.label(plan.workload.globalBatchRange, fmt::format("makes {} micro-batches", m));
    for (std::string& help : helps) report.help(std::move(help));
    return false;
  }
  int64_t actions = 0;
  if (__builtin_mul_overflow(m, 2 * p * v, &actions) || actions > kMaxActions) {
    diagnostics
        .report(TooManyActions, plan.workload.globalBatchRange,
                {{"micro", m}, {"stages", p * v}, {"limit", kMaxActions}})
        .help("choose a larger `micro_batch` or a smaller `global_batch`");
    return false;
  }
  return true;
}

/// Warns of a schedule over chunks with one virtual stage per device and no pairs, which equals a plain schedule.
void warnWithoutChunks(const ProgramHead& program, DiagnosticEngine& diagnostics) {
  const ScheduleKind& kind = *program.kind;
  if (kind.chunks != 0 || program.chunks > 1 || program.stages == 1) return;
  const ScheduleShape shape{program.stages, program.chunks, program.microBatches, program.scheduleArguments, {}};
  const Orders orders = kind.orders(shape);
  const std::span<const Action> written = orders.written();
  if (std::any_of(written.begin(), written.end(), [](const Action& a) { return a.paired; })) return;
  diagnostics.report(NoChunks, program.plan->pipeline->scheduleRange, {{"schedule", kind.name()}})
      .help(fmt::format("state the number of chunks: `{}({} = 2)`, or write `schedule = {}`", kind.name(),
                        kind.word->parameters[0].name, scheduleKinds().rows().front()->name()));
}

} // namespace

Implementations<ScheduleKind>& scheduleKinds() {
  static Implementations<ScheduleKind> kinds(scheduleWords(), schedules::kKinds);
  return kinds;
}

bool selectSchedule(ProgramHead& program, DiagnosticEngine& diagnostics) {
  const auto& pipeline = program.plan->pipeline;
  program.kind = scheduleKinds().rows().front();
  program.stageAxes = 0;
  program.stages = program.chunks = program.routes = 1;
  program.scheduleArguments.clear();
  if (!pipeline) return checkNeeds(program, diagnostics);
  program.kind = findKind(*pipeline, diagnostics);
  if (!program.kind) return false;
  program.stageAxes = maskOf(resolveTargets(program.mesh, pipeline->axes));
  program.stages = program.mesh.size(program.stageAxes);
  program.routes = program.kind->routes;
  program.chunks = std::max<int64_t>(1, program.kind->chunks);
  if (!readArguments(program, *pipeline, diagnostics)) return false;
  if (!pipelineOf(*program.plan) && !pairsAlone(program)) { // an axis of one device needs no order
    program.kind = scheduleKinds().rows().front();
    program.routes = program.chunks = 1;
    program.scheduleArguments.clear();
  }
  if (program.stages > kMaxVirtualStages || program.chunks > kMaxVirtualStages / program.stages) {
    diagnostics.report(TooManyStages, pipeline->range,
                       {{"stages", program.stages}, {"chunks", program.chunks}, {"limit", kMaxVirtualStages}});
    return false;
  }
  if (!checkNeeds(program, diagnostics)) return false;
  if (diagnostics.wantsWarnings()) warnWithoutChunks(program, diagnostics);
  return true;
}

} // namespace planc::passes
