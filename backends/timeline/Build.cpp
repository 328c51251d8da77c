// Simulates a schedule, and joins the lines of its stages, their memory and the links between them.
// SPDX-License-Identifier: Apache-2.0
#include "backends/timeline/Build.h"

#include "backends/cost/facts/Facts.h"
#include "backends/cost/memory/MemoryUse.h"
#include "backends/cost/simulate/pipeline/Timeline.h"
#include "backends/timeline/MemoryLines.h"
#include "backends/timeline/StageLines.h"

#include <fmt/format.h>
#include <unordered_map>

namespace planc::timeline {

PLANC_ERROR(TooManyPasses, 850, "a step of plan `{plan}` has {passes} passes, but a timeline holds at most {most}")

namespace {

/// A timeline of so many passes takes some 3 GB of memory.
constexpr int64_t kMostPasses = 4'000'000;

/// Sorts the slices of the pipeline by stage.
class ByStage : public cost::SliceObserver {
public:
  explicit ByStage(int64_t stages) : stages(static_cast<size_t>(stages)) {}
  void observe(const cost::Slice& slice) override {
    StageSlices& of = stages[static_cast<size_t>(slice.stage)];
    (slice.stream == 0 ? of.computing : of.communicating).push_back(slice);
  }
  std::vector<StageSlices> stages;
};

bool small(const cost::Simulation& sim, const ir::Plan& plan, DiagnosticEngine& diagnostics) {
  double passes = 0;
  for (const ir::Order& order : sim.pipeline.actions) passes += static_cast<double>(order.size());
  if (passes <= static_cast<double>(kMostPasses)) return true;
  diagnostics
      .report(TooManyPasses, plan.range,
              {{"plan", plan.name.str()},
               {"passes", fmt::format("{:.0f}", passes)},
               {"most", fmt::format("{}", kMostPasses)}})
      .help("export a step of fewer micro-batches, as with `--set train.global_batch=…`: all repeat the same passes");
  return false;
}

/// Links every transfer to the pass that waits for it.
void addLinks(Timeline& line) {
  std::unordered_map<uint64_t, std::pair<int64_t, uint32_t>> sent; // by key of the pass, whole backward passes
  const auto keyOf = [](const PassRef& pass, int64_t virtualStage) {
    const bool back = isBackward(pass.action);
    return PassRef{back ? ir::ActionKind::Backward : ir::ActionKind::Forward, virtualStage, pass.microBatch}.key();
  };
  for (size_t s = 0; s < line.stages.size(); ++s) {
    const StageLine& stage = line.stages[s];
    for (size_t i = stage.computing; i < stage.spans.size(); ++i)
      if (const StageSpan& span = stage.spans[i]; span.stream == kSends)
        sent[keyOf(span.pass, span.pass.virtualStage)] = {static_cast<int64_t>(s), static_cast<uint32_t>(i)};
  }
  const auto link = [&](size_t stage, size_t i, const PassRef& pass) {
    if (pass.microBatch < 0 || pass.action == ir::ActionKind::BackwardWeight) return;
    const auto from = sent.find(keyOf(pass, pass.virtualStage + (isBackward(pass.action) ? 1 : -1)));
    if (from == sent.end()) return;
    line.links.push_back(
        {from->second.first, static_cast<int64_t>(stage), from->second.second, static_cast<uint32_t>(i)});
    sent.erase(from); // a pass that is drawn in parts waits before the first
  };
  for (size_t s = 0; s < line.stages.size(); ++s)
    for (size_t i = 0; i < line.stages[s].computing; ++i)
      if (const StageSpan& span = line.stages[s].spans[i]; span.detail != kNone) {
        link(s, i, span.pass);
        link(s, i, span.paired);
      }
}

void nameStreams(Timeline& line, const ir::Program& program) {
  line.streams = {"compute", "transfers to stages", "states after passes", "gathers of the step",
                  "reductions of the step"};
  line.streamLevels.resize(kInside);
  const auto& levels = program.mesh.levelNames;
  for (size_t level = 0; level <= levels.size(); ++level) {
    const std::string name = level < levels.size() ? levels[level].str() : std::string(ir::kHost);
    line.streams.push_back("collectives, " + name);
    line.streams.push_back("states ahead, " + name);
    line.streamLevels.insert(line.streamLevels.end(), 2, name);
  }
}

void nameLayers(Timeline& line, const ir::Program& program) {
  for (uint32_t c = 0; c < program.classes.size(); ++c) {
    const ir::LayerClass& layerClass = program.classes[ir::LayerClassId(c)];
    const ir::Layer& layer = program.model->layers[layerClass.layer];
    LayerNames& names = line.layers.emplace_back();
    names.name = layer.ref().str(), names.repeated = layer.repeat && !layerClass.boundaryReshard;
    if (layerClass.boundaryReshard) names.name = program.refOf(layerClass).str() + " (carry)";
    for (const ir::Range& r : layerClass.instances.ranges)
      for (int64_t i = r.begin; names.repeated && i < r.end && names.instances.size() < 100'000; i += r.step)
        names.instances.push_back(i);
  }
  std::vector<int64_t> before(program.classes.size());
  for (size_t vs = 0; vs < program.virtualStages.size(); ++vs) {
    line.instancesBefore.push_back(before);
    for (const auto& [id, count] : program.kindOf(vs).classes) before[id.index] += count;
  }
  line.instancesBefore.push_back(before);
}

} // namespace

std::unique_ptr<Timeline> build(const ir::Schedule& schedule, DiagnosticEngine& diagnostics) {
  const ir::Program& program = *schedule.program;
  cost::Facts facts(*program.plan->cluster, *program.plan->stack);
  const std::unique_ptr<cost::CostModel> model = cost::makeCostModel(facts, diagnostics);
  const cost::Simulation sim = cost::simulate(schedule, *model, facts, {.even = false, .accounts = true});
  if (!model->complete() || !small(sim, *program.plan, diagnostics)) return nullptr;
  ByStage slices(program.stages);
  const std::vector<cost::StageTimes> times = cost::runTimeline(sim.pipeline, &slices);
  auto line = std::make_unique<Timeline>();
  line->stepTime = sim.stepTime, line->microBatches = program.microBatches, line->critical = sim.critical;
  WorkTable works(sim, *model);
  PassDetails details(sim, works);
  for (int64_t s = 0; s < program.stages; ++s)
    line->stages.push_back(
        stageLine(sim, s, slices.stages[static_cast<size_t>(s)], times[static_cast<size_t>(s)], works, details));
  line->works = std::move(works.works), line->details = std::move(details.details);
  nameStreams(*line, program);
  nameLayers(*line, program);
  addLinks(*line);
  MemoryLines memory(*line);
  cost::accountMemory(schedule, sim.pipeline.actions, facts, false, &memory);
  memory.finish();
  return line;
}

} // namespace planc::timeline
