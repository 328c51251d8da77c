// The operators and collectives of one class: one line each, or each with its equation, constants, sources and cause.
// SPDX-License-Identifier: Apache-2.0
#include "report/explain/ExplainNodes.h"

#include "backends/cost/price/Buckets.h"
#include "backends/cost/price/DeviceStages.h"
#include "ir/layout/Routed.h"
#include "ir/program/Task.h"
#include "report/estimate/Lines.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <map>

namespace planc::report {

NodePages::NodePages(const ExplainInput& input, const ir::LayerRef& choice)
    : input_(input), choice_(choice), program_(*input.schedule->program),
      sim_(cost::simulate(*input.schedule, *input.model, *input.facts)) {
  const ir::LayerTree tree(program_.model);
  for (uint32_t b = 0; b < program_.classes.size(); ++b) {
    const ir::Layer& layer = program_.model->layers[program_.classes[ir::LayerClassId(b)].layer];
    cost::ClassLayers layers(program_, tree, ir::LayerClassId(b));
    std::vector<Row>& rows = rowOf_.emplace_back();
    for (uint32_t i = layer.first.index; i < layer.end.index; ++i) {
      const size_t row = layers.rowOf(ir::OpId(i));
      rows.push_back({layers.rows()[row], static_cast<double>(layers.times(row))});
    }
  }
}

const NodePages::Row* NodePages::rowOf(ir::LayerClassId id, ir::OpId op) const {
  const size_t index = op.index - program_.model->layers[program_.classes[id].layer].first.index;
  return index < rowOf_[id.index].size() ? &rowOf_[id.index][index] : nullptr;
}

bool NodePages::belongs(ir::LayerClassId id, ir::OpId op) const {
  if (!op.valid()) return false;
  if (const Row* row = rowOf(id, op)) {
    if (row->layer == choice_) return true;
    if (row->layer.boundary) return false; // not a part of the layer next to it
    if (!choice_.boundary && choice_.matches(row->layer.names())) return true;
  }
  return !choice_.boundary && choice_.matches(program_.model->ops[op].path);
}

bool NodePages::has(ir::LayerClassId id) const {
  return !nodesOf(id).empty();
}

bool NodePages::one(ir::LayerClassId id) const {
  const std::vector<Found> found = nodesOf(id);
  return std::all_of(found.begin(), found.end(), [&](const Found& f) { return f.node->op == found.front().node->op; });
}

/// Returns the exposed seconds on the critical stage if it holds the class, else on the first stage that does. What
/// runs during another pass is hidden there.
double NodePages::exposedOf(ir::LayerClassId id, bool backward, ir::NodeIndex node) const {
  const cost::DeviceStages devices(program_);
  for (int64_t i = -1; i < program_.stages; ++i) {
    const int64_t stage = i < 0 ? sim_.critical : i;
    double count = 0;
    for (const auto& [held, instances] : devices.instancesOn(static_cast<size_t>(stage)))
      if (held == id) count = static_cast<double>(instances * program_.passes());
    const cost::ClassSpent* spent = sim_.accounts[static_cast<size_t>(stage)].account.find(id);
    if (count > 0 && spent && node < spent->nodes(backward).size()) return spent->nodes(backward)[node].exposed / count;
  }
  return 0;
}

/// Returns the nodes that run, in program order, with the share of each on the compute stream.
std::vector<NodePages::Found> NodePages::nodesOf(ir::LayerClassId id) const {
  std::vector<Found> found;
  const ir::LayerClass& layerClass = program_.classes[id];
  for (const bool backward : {false, true}) {
    const auto& segments = backward ? input_.schedule->backward : input_.schedule->forward;
    if (id.index >= segments.size()) continue;
    std::map<ir::NodeIndex, double> onCompute;
    for (const ir::Task& task : segments[id.index].tasks)
      onCompute[task.node] += task.stream == ir::kComputeStream ? task.fraction : 0;
    const std::vector<ir::Node>& list = backward ? layerClass.backward : layerClass.forward;
    for (const auto& entry : onCompute) {
      const ir::Node& node = list[entry.first];
      if (!belongs(id, node.op)) continue;
      const Row* row = rowOf(id, node.op);
      found.push_back({&node, &sim_.classes[id.index].of(backward).nodes[entry.first], entry.second,
                       row ? row->times : 1, exposedOf(id, backward, entry.first)});
    }
  }
  return found;
}

/// Returns the shape as `[batch 1, seq 256 = 2048 / 8 tp, hidden 12288]`.
std::string NodePages::shape(const std::vector<ir::DimId>& dims, const ir::Layout& layout) const {
  std::string text;
  for (size_t i = 0; i < dims.size(); ++i) {
    const ir::Dim& dim = program_.model->dims[dims[i]];
    ir::AxisMask axes = 0;
    if (i < layout.shard.size())
      for (const ir::Digit& digit : layout.shard[i]) axes |= ir::maskOf(digit.axis);
    int64_t over = program_.mesh.size(axes);
    text += (i ? ", " : "") + dim.name.str() + " ";
    const double size = ir::sizeOf(program_.model, dim), share = size / static_cast<double>(over);
    text += over > 1 ? fmt::format("{:.12g} = {:.12g} / {} {}", dim.ordered() ? std::ceil(share) : share, size, over,
                                   program_.mesh.str(axes))
                     : fmt::format("{:.12g}", size);
  }
  std::string partial = layout.partial ? " pending sum over " + program_.mesh.str(layout.partial) : "";
  return "[" + text + "]" + partial;
}

/// Returns the name of the value or the state that a collective moves.
std::string NodePages::nameOf(const ir::Node& node) const {
  const ir::Collective& c = node.collective();
  const std::string what =
      c.value.valid() ? program_.model->pathOf(c.value) : "the statistics of " + program_.model->pathOf(node.op);
  return c.gradient ? "the gradient of " + what : what;
}

/// Writes a compute node, or a copy, which counts as its operator.
void NodePages::kernel(ExplainPage& page, const ir::LayerClass& layerClass, const ir::Node& node) const {
  const ir::Op& op = program_.model->ops[node.op];
  const ir::Compute* compute = node.asCompute();
  const ir::Role role = compute ? compute->role : ir::Role::Forward;
  cost::Derivation why;
  const cost::Priced priced = input_.model->price(program_, node, {&why});
  std::string head = ir::join(op.path) + "  " + op.name.str();
  if (role != ir::Role::Forward) head += fmt::format(" {}", ir::name(role));
  head += "  " + (priced.launches > 0 ? formatQuantity(priced.seconds, units::time) + ", " +
                                            std::string(cost::name(priced.bound)) + "-bound"
                                      : "fused into a neighbour: no time of its own");
  if (node.times != 1) head += fmt::format(", {} times", countText(node.times));
  page.line(head, 4, TextStyle::Bold);
  const size_t index = node.op.index - program_.model->layers[layerClass.layer].first.index;
  if (role == ir::Role::Forward && index < layerClass.results.size())
    page.fact("result", shape(op.resultDims, layerClass.results[index]), kIndent);
  if (compute && compute->work.m > 0) {
    const ir::LocalWork& w = compute->work;
    page.fact("gemm",
              fmt::format("m = {}, n = {}, k = {}{}, {}", countText(w.m), countText(w.n), countText(w.k),
                          w.batch > 1 ? ", batch = " + countText(w.batch) : "", ir::name(w.dtype)),
              kIndent);
  }
  if (priced.flops > 0 || priced.bytes > 0)
    page.fact("work",
              fmt::format("{}, {} moved", formatQuantity(priced.flops, units::flops),
                          formatQuantity(priced.bytes, units::bytes)),
              kIndent);
  for (const auto& [key, text] : why.notes) page.fact(key, text, kIndent);
  page.derivation(why, kIndent);
}

/// Returns whether a fused collective moves a parameter of the requested path.
bool NodePages::holds(const ir::StateCollective& state) const {
  return !choice_.boundary && std::any_of(state.params.begin(), state.params.end(), [&](ir::ValueId p) {
    return choice_.matches(program_.model->values[p].path).has_value();
  });
}

void NodePages::states(ExplainPage& page, ir::LayerClassId id) const {
  bool first = true;
  for (const ir::StateCollective& state : program_.classes[id].states) {
    if (!holds(state)) continue;
    if (first) page.line("states of the whole layer", 2, TextStyle::Gutter);
    first = false;
    explainState(page, input_, id, state,
                 fmt::format("{} in {}", plural(static_cast<double>(state.params.size()), "parameter", "parameters"),
                             ir::name(state.phase)));
  }
}

void NodePages::inFull(ExplainPage& page, ir::LayerClassId id) const {
  const ir::LayerClass& layerClass = program_.classes[id];
  page.gap();
  page.line(classTitle(program_, id), 0, TextStyle::Bold);
  std::optional<ir::Phase> phase;
  for (const Found& found : nodesOf(id)) {
    const ir::Node& node = *found.node;
    if (phase != node.phase) page.line(std::string(ir::name(node.phase)), 2, TextStyle::Gutter);
    phase = node.phase;
    if (node.isCollective()) {
      explainCollective(page, input_, node, nameOf(node), found.blockingShare);
      page.fact("exposed", formatQuantity(found.exposed, units::time) + " of it", kIndent);
    } else {
      kernel(page, layerClass, node);
      if (found.cost->spent.launches > 0)
        page.fact("host",
                  fmt::format("{} more: its part of the host's time to launch the layer",
                              formatQuantity(found.cost->spent.launches, units::time)),
                  kIndent);
    }
  }
  states(page, id);
  kept(page, id, page.options().allLayers ? layerClass.saved.size() : 5);
}

/// Writes what backward needs in memory: the column `memory` of the row.
void NodePages::kept(ExplainPage& page, ir::LayerClassId id, size_t most) const {
  std::map<std::string, double> bytes;
  for (const ir::Saved& saved : program_.classes[id].saved)
    if (belongs(id, saved.op)) bytes[program_.model->pathOf(saved.value)] += saved.bytes;
  if (bytes.empty()) return;
  double sum = 0;
  SumTable table(page, units::bytes);
  for (const auto& [path, size] : bytes) table.add(path, size), sum += size;
  page.line("kept for backward", 2, TextStyle::Gutter);
  table.write(sum, most);
}

namespace {

/// Returns the largest part of a collective's time.
cost::LimitPart limitOf(const ExplainInput& input, const ir::Node& node) {
  std::vector<cost::LimitPart> limits;
  input.model->price(*input.schedule->program, node, {.limits = &limits});
  return cost::narrowest(limits);
}

size_t column(ir::Phase phase) {
  return phase == ir::Phase::Forward ? 0 : phase == ir::Phase::Recompute ? 1 : 2;
}

} // namespace

std::vector<ShortLine> NodePages::shortLines(ir::LayerClassId id) const {
  std::vector<ShortLine> lines;
  auto add = [&](const ir::Node& node, const std::string& name, const std::string& kind, double seconds, double exposed,
                 std::string_view bound) {
    auto line =
        std::find_if(lines.begin(), lines.end(), [&](const ShortLine& l) { return l.name == name && l.kind == kind; });
    if (line == lines.end()) line = lines.insert(lines.end(), {name, kind, "", {}, 0, 0});
    line->seconds[column(node.phase)] += seconds;
    line->exposed += exposed;
    if (seconds <= line->longest) return;
    line->longest = seconds;
    line->bound = bound.empty() ? limitOf(input_, node).what : std::string(bound);
  };
  auto kindOf = [&](const ir::Node& node) {
    const ir::Collective& c = node.collective();
    return fmt::format("{} {}", dashed(ir::name(c.kind)), program_.mesh.str(c.axes));
  };
  for (const Found& f : nodesOf(id)) {
    const bool moves = f.node->isCollective();
    add(*f.node, moves ? nameOf(*f.node) : program_.model->pathOf(f.node->op),
        moves ? kindOf(*f.node) : program_.model->ops[f.node->op].name.str(), f.cost->seconds / f.times,
        moves ? f.exposed / f.times : 0, moves ? std::string_view() : cost::name(f.cost->bound));
  }
  const ir::LayerClass& layerClass = program_.classes[id];
  // State collectives are fused over the whole layer, so they do not describe a part of it.
  for (size_t s = 0; s < layerClass.states.size(); ++s)
    if (choice_.steps.size() == 1 && holds(layerClass.states[s])) {
      const ir::Node node = cost::messagesOf(*input_.schedule, id, layerClass.states[s]).one;
      add(node, fmt::format("{} in {}", ir::name(node.collective().cls), ir::name(node.phase)), kindOf(node),
          sim_.classes[id.index].states[s], 0, {});
    }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const ShortLine& a, const ShortLine& b) { return a.sum() > b.sum(); });
  return lines;
}

void NodePages::inShort(ExplainPage& page, ir::LayerClassId id, size_t most) const {
  std::vector<ShortLine> lines = shortLines(id);
  if (lines.size() > most) {
    ShortLine rest{fmt::format("{} more", lines.size() - most + 1), "", "", {}, 0, 0};
    for (size_t i = most - 1; i < lines.size(); ++i) {
      for (size_t c = 0; c < rest.seconds.size(); ++c) rest.seconds[c] += lines[i].seconds[c];
      rest.exposed += lines[i].exposed;
    }
    lines.resize(most - 1);
    lines.push_back(rest);
  }
  page.gap();
  page.line(classTitle(program_, id), 0, TextStyle::Bold);
  Table table{"llrrrrl"};
  table.head({"operator", "kind", "forward", "recompute", "backward", "exposed", "bound"});
  for (const ShortLine& l : lines)
    table.add({l.name, l.kind, cell(l.seconds[0], units::time), cell(l.seconds[1], units::time),
               cell(l.seconds[2], units::time), cell(l.exposed, units::time), l.bound});
  page.table(table);
}

std::string classTitle(const ir::Program& program, ir::LayerClassId id) {
  const ir::LayerClass& layerClass = program.classes[id];
  const ir::Layer& layer = program.model->layers[layerClass.layer];
  std::string text = program.refOf(layerClass).str();
  std::set<int64_t> stages;
  for (const ir::VirtualStage& vs : program.virtualStages)
    for (const auto& entry : program.kindOf(vs.index).classes)
      if (entry.first == id) stages.insert(vs.devices.begin(), vs.devices.end());
  if (layer.repeat) text += ", " + plural(static_cast<double>(layerClass.instances.count()), "instance", "instances");
  return program.stages > 1 ? fmt::format("{} on {} {}", text, stages.size() == 1 ? "stage" : "stages",
                                          rangesText({stages.begin(), stages.end()}))
                            : text;
}

namespace {

/// Writes the lines below the title: the group, the equation with its constants, and the cause.
void collectiveFacts(ExplainPage& page, const ExplainInput& input, const ir::Node& node, const cost::Derivation& why,
                     double seconds, double blockingShare) {
  const ir::Program& program = *input.schedule->program;
  const ir::Collective& c = node.collective();
  const std::string level = c.level < program.mesh.levelNames.size() ? program.mesh.levelNames[c.level].str() : "";
  page.fact("group",
            fmt::format("{} ranks of {}{}{}", c.group, program.mesh.str(c.axes),
                        level.empty() ? "" : ", level " + level, c.ring ? ", as a ring" : ""),
            kIndent);
  page.fact("bytes", formatQuantity(c.bytes, units::bytes) + " on the larger local side", kIndent);
  for (const auto& [key, text] : why.notes) page.fact(key, text, kIndent);
  page.derivation(why, kIndent);
  if (const cost::LimitPart limit = limitOf(input, node); !limit.what.empty())
    page.fact("limit",
              fmt::format("{}, {} of it", limit.what, formatQuantity(std::min(limit.seconds, seconds), units::time)),
              kIndent);
  page.fact("because", page.quote(c.because), kIndent);
  if (!(c.becauseOf == c.because)) page.fact("and", page.quote(c.becauseOf), kIndent);
  page.fact("overlap",
            blockingShare >= 1 ? fmt::format("no overlap: class {} holds the compute stream", ir::name(c.cls))
                               : fmt::format("{} of it, class {}, can run during compute",
                                             percentText(1 - blockingShare), ir::name(c.cls)),
            kIndent);
}

void collectiveTitle(ExplainPage& page, const ir::Node& node, const std::string& what, const std::string& time) {
  page.line(fmt::format("{} of {}  {}", dashed(ir::name(node.collective().kind)), what, time), 4, TextStyle::Bold);
}

} // namespace

void explainCollective(ExplainPage& page, const ExplainInput& input, const ir::Node& node, const std::string& what,
                       double blockingShare) {
  cost::Derivation why;
  const double seconds = input.model->price(*input.schedule->program, node, {&why}).seconds;
  collectiveTitle(page, node, what, formatQuantity(seconds, units::time));
  collectiveFacts(page, input, node, why, seconds, blockingShare);
}

void explainState(ExplainPage& page, const ExplainInput& input, ir::LayerClassId layerClass,
                  const ir::StateCollective& state, const std::string& what) {
  const cost::Messages messages = cost::messagesOf(*input.schedule, layerClass, state);
  const ir::Node& one = messages.one;
  cost::Derivation why;
  const double seconds = input.model->price(*input.schedule->program, one, {&why}).seconds;
  const double issue = cost::issueSeconds(*input.facts, one);
  const double each = cost::stateSeconds(*input.schedule, *input.facts, one, seconds);
  std::string time = formatQuantity(messages.count * each, units::time);
  if (state.times != 1) time += fmt::format(", {} times", state.times);
  collectiveTitle(page, one, what, time);
  if (const double bucket = input.schedule->bucketBytes; bucket > 0) {
    const bool shares = messages.count != std::floor(messages.count);
    page.fact("messages",
              fmt::format("{} of {}, {} each{}; `bucket` is {}", countText(messages.count),
                          formatQuantity(one.collective().bytes, units::bytes), formatQuantity(each, units::time),
                          shares ? ", filled together with neighbours" : "", formatQuantity(bucket, units::bytes)),
              kIndent);
  }
  if (each > seconds)
    page.fact("host",
              fmt::format("needs {} to issue one, {}", formatQuantity(issue, units::time),
                          each > std::max(seconds, issue) ? "before the transfer" : "longer than the transfer"),
              kIndent);
  collectiveFacts(page, input, one, why, seconds, input.schedule->blockingShare[static_cast<size_t>(state.cls)]);
}

} // namespace planc::report
