// Explains the lines of the report's heading: model, cluster, software, workload, precision, mesh, pipeline.
// SPDX-License-Identifier: Apache-2.0
#include "ir/facts/ClusterFacts.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"
#include "report/estimate/EstimateParts.h"
#include "report/explain/ExplainParts.h"

#include <algorithm>
#include <fmt/core.h>

namespace planc::report {
namespace {

/// Orders whose steps differ by less than this share count as equal.
constexpr double kSameOrder = 1e-9;

/// Writes the texts of a record: each is the key of its fact.
template <class Id> void textFacts(ExplainPage& page, const ir::FactsOf<Id>& record, std::initializer_list<Id> facts) {
  for (const Id fact : facts)
    for (const ir::FactKey& text : record.keys(fact)) page.fact(ir::FactRef(fact).path(), std::string(text.text()));
}

void headingModel(ExplainPage& page, const ExplainInput& input) {
  explainParameters(page, input);
}

/// Writes the levels from the inside out, then the facts of the device and the cluster that every estimate reads.
void headingCluster(ExplainPage& page, const ExplainInput& input) {
  const ir::Cluster& cluster = *input.report->plan->cluster;
  Table table{"lrrlrrl"};
  table.head({"level", "units", "devices", "link", "bandwidth", "latency", "topology"});
  double devices = 1;
  for (const ir::ClusterLevel& level : cluster.levels) {
    const ir::Number* latency = level.number(ir::LevelFact::Latency);
    devices *= static_cast<double>(level.count);
    table.add({level.name.str(), countText(static_cast<double>(level.count)), countText(devices),
               level.fabric.name.str(), cell(level.rate(), units::bandwidth),
               latency ? formatQuantity(latency->value, units::time) : "-", level.topology.kind.str()});
  }
  page.table(table);
  page.fact("device", fmt::format("{}, {}", cluster.device.name.view(), page.sources().where(cluster.device.range)));
  const ir::Device& device = cluster.device;
  const std::pair<ir::FactRef, const ir::Number*> facts[] = {
      {ir::DeviceFact::Memory, device.number(ir::DeviceFact::Memory)},
      {ir::DeviceFact::Bandwidth, device.number(ir::DeviceFact::Bandwidth)},
      {ir::DeviceFact::Power, device.number(ir::DeviceFact::Power)},
      {ir::ClusterFact::Price, cluster.priceOfDevice()},
      {ir::ClusterFact::HostPower, cluster.number(ir::ClusterFact::HostPower)},
      {ir::ClusterFact::Storage, cluster.number(ir::ClusterFact::Storage)},
      {ir::ClusterFact::Jitter, cluster.number(ir::ClusterFact::Jitter)}};
  for (const auto& [fact, number] : facts)
    if (number) page.constant(fact.path(), *number);
  using enum ir::DeviceFact;
  textFacts(page, device, {FittedSamples, FittedPlanc, FittedDate});
}

void headingSoftware(ExplainPage& page, const ExplainInput& input) {
  const ir::Stack& stack = *input.report->plan->stack;
  page.fact("stack", fmt::format("{}, {}", stack.name.view(), page.sources().where(stack.range)));
  page.fact("platform", stack.platform);
  using enum ir::StackFact;
  textFacts(page, stack, {Framework, Released, Dispatcher, FittedSamples, FittedPlanc, FittedDate});
  for (const ir::FactKey& device : stack.keys(FittedOn))
    page.constant(ir::FactRef(FittedOn, device).path(), *stack.number(FittedOn, device));
  const std::optional<ir::Accuracy> accuracy = stack.accuracy();
  if (!accuracy) return;
  const ir::Accuracy& a = *accuracy;
  page.fact("accuracy", fmt::format("{} of {}: nine of ten measured between {:.3g} and {:.3g} times the prediction",
                                    plural(a.runs, "published run", "published runs"),
                                    plural(a.sources, "source", "sources"), a.low, a.high));
  page.fact("", a.source);
}

/// Explains attention over packed documents: a token meets only the keys of its own document.
void headingDocuments(ExplainPage& page, const ir::Plan& plan) {
  const ir::Documents& documents = *plan.workload.documents;
  const ir::Dim& dim = plan.model->dims[plan.model->countedDims().front()];
  const double sequence = static_cast<double>(dim.extent), keys = ir::keysOfToken(documents, sequence);
  page.fact("packed", fmt::format("{} in a sequence of {}, {}", documents.str(), dim.extent,
                                  page.sources().where(documents.range)));
  if (const double padding = documents.padding(sequence); padding > 0)
    page.fact("", fmt::format("{:.0f} of the tokens are padding: attention skips them, other operators process them",
                              padding));
  const std::string_view name = dim.name.view();
  page.equation(documents.lengths.empty()
                    ? fmt::format("pairs of positions = (mean² + spread²) / mean · {0} / {0}²", name)
                    : fmt::format("pairs of positions = Σ s² / {}²", name),
                fmt::format("{:.6g} · {} / {}² = {}", keys, dim.extent, dim.extent, percentText(keys / sequence)));
  page.fact("", "fused attention computes only these pairs, and model FLOPs count only these");
}

void headingWorkload(ExplainPage& page, const ExplainInput& input) {
  const ir::Workload& w = input.report->plan->workload;
  page.fact("written", page.sources().where(w.range));
  explainMicroBatches(page, input);
  if (w.documents) headingDocuments(page, *input.report->plan);
  if (!w.optimizer) return;
  page.fact("optimizer", fmt::format("{}, {} of an element{}", w.optimizer->name.view(),
                                     plural(w.optimizer->states, "state", "states"),
                                     w.optimizer->master ? ", a master copy if parameters are narrower" : ""));
  if (w.optimizer->orthogonalise > 0)
    page.fact("", fmt::format("{} iterations of Newton-Schulz on each matrix of a repeated layer, {}",
                              w.optimizer->orthogonalise,
                              w.optimizer->repeated ? "repeated on every device that gathers them"
                                                    : "divided among the devices that gather them"));
}

void headingPrecision(ExplainPage& page, const ExplainInput& input) {
  const ir::Precision& p = input.report->plan->precision;
  const std::pair<const char*, ir::DType> types[] = {{"compute", p.compute}, {"activations", p.activations},
                                                     {"params", p.params},   {"grads", p.grads},
                                                     {"reduce", p.reduce},   {"optimizer", p.optimizer}};
  Table table{"llrl"};
  table.head({"of", "type", "bytes", ""});
  auto row = [&](const std::string& name, ir::DType type, const std::string& where = {}) {
    table.add({name, std::string(ir::name(type)), fmt::format("{:.4g}", ir::width(type)), where});
  };
  for (const auto& [name, type] : types) row(name, type);
  if (p.saved) row("saved", *p.saved);
  if (p.frozen) row("frozen", *p.frozen);
  for (const auto& [state, type] : p.states) row("optimizer." + state.str(), type);
  for (const auto& [name, onWire] : p.onWire) {
    if (onWire.result) row(name.str() + ", in transit", onWire.result->type);
    if (onWire.gradient) row(name.str() + ".grad, in transit", onWire.gradient->type);
  }
  const std::vector<ir::PrecisionRule>& rules = input.report->plan->precisionRules;
  for (const ir::PrecisionRule& rule : rules)
    for (const ir::PrecisionFact& fact : rule.facts)
      row(fmt::format("{}, at {}", fact.str(), rule.selector.str()), fact.type, page.sources().where(fact.range));
  page.table(table);
  page.fact("written", p.range.valid() ? page.sources().where(p.range) : "not given: these are defaults");
}

void headingMesh(ExplainPage& page, const ExplainInput& input) {
  const ir::Mesh& mesh = input.report->plan->mesh;
  Table table{"lrrll"};
  table.head({"axis", "ranks", "apart", "within one", "written"});
  for (ir::AxisId id : mesh.order) {
    const ir::Axis& axis = mesh.axes[id];
    const size_t level = mesh.levelOf(ir::maskOf(id));
    table.add({axis.name.str(), std::to_string(axis.size),
               plural(static_cast<double>(axis.stride), "device", "devices"),
               level < mesh.levelNames.size() ? mesh.levelNames[level].str() : "-",
               axis.range.valid() ? page.sources().where(axis.range) : ""});
  }
  page.table(table);
}

/// Writes the orders that the schedule could have run, with their differences.
void triedOrders(ExplainPage& page, const cost::Estimate& estimate) {
  const auto taken =
      std::find_if(estimate.orders.begin(), estimate.orders.end(), [](const auto& o) { return o.taken; });
  if (taken == estimate.orders.end()) return;
  Table table{"lrrl"};
  table.head({"order", "step before the optimizer", "apart", ""});
  for (const cost::TriedOrder& order : estimate.orders) {
    const double apart = order.seconds / taken->seconds - 1;
    table.add({std::string(order.name), timeText(order.seconds), order.taken ? "" : errorText(apart),
               order.taken           ? estimate.memory.fits ? "chosen: the fastest that fits in memory"
                                                            : "chosen: the fastest; no order fits in memory"
               : apart < -kSameOrder ? "does not fit in memory"
                                     : ""});
  }
  page.table(table);
}

/// Writes what each virtual stage holds.
void headingPipeline(ExplainPage& page, const ExplainInput& input) {
  const ir::Program& program = *input.schedule->program;
  page.fact("written", page.quote(input.report->plan->pipeline->scheduleRange));
  triedOrders(page, *input.report->estimate);
  Table table{"rll"};
  table.head({"virtual stage", "on stages", "holds"});
  for (size_t s = 0; s < program.virtualStages.size(); ++s) {
    const ir::StageKind& stage = program.kindOf(s);
    std::vector<std::pair<ir::LayerId, int64_t>> layers; // instances of a repeat together, of all classes
    for (const auto& [id, count] : stage.classes) {
      const ir::LayerClass& layerClass = program.classes[id];
      if (layerClass.boundaryReshard) continue;
      if (layers.empty() || layers.back().first != layerClass.layer) layers.emplace_back(layerClass.layer, 0);
      layers.back().second += count;
    }
    std::string holds;
    for (const auto& [unit, count] : layers) {
      holds += (holds.empty() ? "" : ", ") + program.model->layers[unit].ref().str();
      if (count > 1) holds += fmt::format(" x {}", count);
    }
    const auto& on = program.virtualStages[s].devices;
    std::vector<int64_t> devices(on.begin(), on.end());
    std::sort(devices.begin(), devices.end());
    table.add({std::to_string(s), rangesText(devices), holds});
  }
  page.table(table);
}

/// Returns the lines of the heading with their explanations.
const std::vector<std::pair<std::string_view, Explanation>>& headingPages() {
  static const std::vector<std::pair<std::string_view, Explanation>> kPages = {
      {"model", headingModel},       {"cluster", headingCluster},     {"software", headingSoftware},
      {"workload", headingWorkload}, {"precision", headingPrecision}, {"mesh", headingMesh},
      {"pipeline", headingPipeline}};
  return kPages;
}

} // namespace

bool explainHeading(ExplainPage& page, const ExplainInput& input, const std::string& what) {
  for (const auto& [key, value] : headingRows(*input.report)) {
    if (key != what) continue;
    page.number(key, value);
    for (const auto& [name, explain] : headingPages())
      if (name == what) explain(page, input);
    return true;
  }
  return false;
}

} // namespace planc::report
