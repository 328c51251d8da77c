// Where the numbers of one layer come from: finds its nodes and writes how each was priced.
// SPDX-License-Identifier: Apache-2.0
#include "backends/report/Explain.h"

#include "backends/cost/Segments.h"
#include "backends/cost/Update.h"
#include "backends/report/Cells.h"
#include "ir/Routed.h"
#include "ir/States.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <set>

namespace planc::report {
namespace {

using verdict::LayerStep;

bool stepMatches(const LayerStep& step, const std::string& name) {
  return step.star || step.name == name;
}

bool below(const std::vector<LayerStep>& path, const std::vector<Symbol>& layer) {
  if (layer.size() < path.size()) return false;
  for (size_t i = 0; i < path.size(); ++i)
    if (!stepMatches(path[i], layer[i].str())) return false;
  return true;
}

bool overlaps(const std::optional<ir::RangeSet>& slice, const ir::RangeSet& instances) {
  if (!slice) return true;
  for (const ir::Range& r : slice->ranges)
    for (int64_t i = r.begin; i < r.end; i += r.step)
      if (instances.contains(i)) return true;
  return false;
}

std::string dashed(std::string_view text) {
  std::string out(text);
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

/// Writes the explanation of one plan.
class Writer {
  const ir::Program& program_;
  const ir::Schedule& schedule_;
  const cost::CostModel& model_;
  std::vector<cost::BodyCost> costs_; ///< by body
  const SourceManager& sources_;
  bool color_;
  std::string out_;

public:
  Writer(const ExplainInput& input, const SourceManager& sources, const TextOptions& options)
      : program_(*input.schedule->program), schedule_(*input.schedule), model_(*input.model),
        costs_(cost::priceBodies(*input.schedule, *input.model)), sources_(sources), color_(options.color) {}

  std::string run(const PlanReport& report, const std::vector<LayerStep>& path);
  std::string optimizer(const PlanReport& report);

private:
  void rows(const PlanReport& report, const std::vector<LayerStep>& path);
  void body(ir::BodyId id, const std::vector<LayerStep>& path);
  void nodes(ir::BodyId id, bool backward, ir::Phase phase, const std::vector<LayerStep>& path, const char* title);
  void onStream(const cost::NodeCost& cost, const ir::Node& node);
  void states(const ir::Body& body, const std::vector<LayerStep>& path);
  void update(const cost::Pricing& pricing, const ir::ParamState& param, double together, cost::Derivation& why);
  void products(cost::Pricing pricing, const ir::ParamState& param);
  void compute(const ir::Body& body, const ir::Node& node);
  void collective(const ir::Node& node, const std::string& what, double inlineShare);
  std::string asWritten(const ir::Number& number) const;
  void derivation(const cost::Derivation& why);

  void line(const std::string& text, size_t indent, TextStyle style = TextStyle::Plain) {
    out_ += styledLine(text, style, color_, indent);
  }
  void fact(const char* key, const std::string& text) {
    if (!text.empty()) line(fmt::format("{:<9} {}", key, text), 6);
  }
  bool belongs(const ir::Node& node, const std::vector<LayerStep>& path) const {
    return node.op.valid() && below(path, program_.model.ops[node.op].path);
  }
  std::string shape(const std::vector<ir::DimId>& dims, const ir::Layout& layout) const;
  std::string bodyTitle(const ir::Body& body, ir::BodyId id) const;
};

/// `[batch 1, seq 256 = 2048 / 8 tp, hidden 12288]`
std::string Writer::shape(const std::vector<ir::DimId>& dims, const ir::Layout& layout) const {
  std::string text;
  for (size_t i = 0; i < dims.size(); ++i) {
    const ir::Dim& dim = program_.model.dims[dims[i]];
    ir::AxisMask axes = 0;
    if (i < layout.shard.size())
      for (const ir::Digit& digit : layout.shard[i]) axes |= ir::maskOf(digit.axis);
    int64_t over = program_.mesh.size(axes);
    text += (i ? ", " : "") + dim.name.str() + " ";
    const double size = ir::sizeOf(program_.model, dim), share = size / static_cast<double>(over);
    text += over > 1
                ? fmt::format("{:.12g} = {:.12g} / {} {}", dim.kind == ir::DimKind::Basic ? std::ceil(share) : share,
                              size, over, program_.mesh.str(axes))
                : fmt::format("{:.12g}", size);
  }
  std::string partial = layout.partial ? " pending sum over " + program_.mesh.str(layout.partial) : "";
  return "[" + text + "]" + partial;
}

/// `decoder[0:20], 12 on each of stages 0-7`
std::string Writer::bodyTitle(const ir::Body& body, ir::BodyId id) const {
  const ir::Unit& unit = program_.model.units[body.unit];
  std::string text = unit.name.str();
  if (unit.repeat && body.instances.count() != unit.count) text += body.instances.str();
  std::map<int64_t, int64_t> byStage;
  for (const ir::VirtualStage& vs : program_.virtualStages)
    for (const auto& [other, count] : vs.bodies)
      if (other == id)
        for (int64_t device : vs.devices) byStage[device] += count;
  if (unit.repeat) text += fmt::format(", {} instances", body.instances.count());
  std::vector<int64_t> stages;
  for (const auto& entry : byStage) stages.push_back(entry.first);
  return program_.stages > 1 ? text + " on stages " + rangesText(stages) : text;
}

/// The number as the library spells it, with its unit, where its place holds just that.
std::string Writer::asWritten(const ir::Number& number) const {
  constexpr size_t kLongest = 24;
  const std::string_view text = number.range.valid() ? sources_.text(number.range) : std::string_view();
  const bool plain = !text.empty() && text.size() <= kLongest && text.front() >= '0' && text.front() <= '9';
  if (plain) return std::string(text);
  return number.unit.plain() ? fmt::format("{:.4g}", number.value) : formatQuantity(number.value, number.unit);
}

/// What is known about a calibrated fact: `; 4320 samples, error 7.1 %`.
std::string known(const ir::Statistics& s) {
  std::string text;
  if (s.samples > 0) text += fmt::format("; {:.0f} samples", s.samples);
  if (s.error > 0) text += fmt::format("{} error {:.3g} %", text.empty() ? ";" : ",", 100 * s.error);
  return text;
}

void Writer::derivation(const cost::Derivation& why) {
  fact("equation", why.equation);
  fact("", why.substituted.empty() ? "" : "= " + why.substituted);
  std::set<std::string> seen;
  for (const auto& [name, number] : why.constants) {
    std::string text = fmt::format("{}: {}", name, asWritten(*number));
    if (number->range.valid()) text += ", " + sources_.where(number->range);
    if (!number->source.empty()) text += ", \"" + number->source + "\"";
    text += known(number->statistics);
    if (seen.insert(text).second) fact("constant", text);
  }
}

void Writer::compute(const ir::Body& body, const ir::Node& node) {
  const ir::Op& op = program_.model.ops[node.op];
  cost::Derivation why;
  cost::Priced priced = model_.compute(program_, node, &why);
  std::string head = ir::join(op.path) + "  " + op.name.str();
  if (node.role != ir::Role::Forward) head += fmt::format(" {}", ir::name(node.role));
  head += "  " + (priced.launches > 0 ? formatQuantity(priced.seconds, units::time) + ", " +
                                            std::string(cost::name(priced.bound)) + "-bound"
                                      : "fused into a neighbour: no time of its own");
  if (node.times != 1) head += fmt::format(", {} times", countText(node.times));
  line(head, 4, TextStyle::Bold);
  size_t index = node.op.index - program_.model.units[body.unit].first.index;
  if (node.role == ir::Role::Forward && index < body.results.size())
    fact("result", shape(op.resultDims, body.results[index]));
  const ir::LocalWork& w = node.work;
  if (w.m > 0)
    fact("gemm", fmt::format("m = {}, n = {}, k = {}{}, {}", countText(w.m), countText(w.n), countText(w.k),
                             w.batch > 1 ? ", batch = " + countText(w.batch) : "", ir::name(w.dtype)));
  if (priced.flops > 0 || priced.bytes > 0)
    fact("work", fmt::format("{}, {} moved", formatQuantity(priced.flops, units::flops),
                             formatQuantity(priced.bytes, units::bytes)));
  derivation(why);
}

void Writer::collective(const ir::Node& node, const std::string& what, double inlineShare) {
  cost::Derivation why;
  double seconds = model_.collective(program_, node, &why);
  std::string level = node.level < program_.mesh.levelNames.size() ? program_.mesh.levelNames[node.level].str() : "";
  line(fmt::format("{} of {}  {}", dashed(ir::name(node.collective)), what, formatQuantity(seconds, units::time)), 4,
       TextStyle::Bold);
  fact("group", fmt::format("{} ranks of {}{}{}", node.group, program_.mesh.str(node.axes),
                            level.empty() ? "" : ", level " + level, node.ring ? ", as a ring" : ""));
  fact("bytes", formatQuantity(node.bytes, units::bytes) + " on the larger local side");
  for (const auto& [key, text] : why.notes) fact(key.c_str(), text);
  derivation(why);
  if (node.because.valid())
    fact("because", fmt::format("{}: {}", sources_.where(node.because), std::string(sources_.text(node.because))));
  if (node.becauseOf.valid() && !(node.becauseOf == node.because))
    fact("and", fmt::format("{}: {}", sources_.where(node.becauseOf), std::string(sources_.text(node.becauseOf))));
  fact("overlap", inlineShare >= 1 ? fmt::format("none: class {} holds the compute stream", ir::name(node.cls))
                                   : fmt::format("{} of it, class {}, may run beside compute",
                                                 percentText(1 - inlineShare), ir::name(node.cls)));
}

/// How the node's own time and what it holds the compute stream for differ.
void Writer::onStream(const cost::NodeCost& cost, const ir::Node& node) {
  if (node.kind == ir::NodeKind::Collective)
    fact("exposed", formatQuantity(cost.spent.exposed, units::time) + " of it");
  else if (cost.spent.launches > 0)
    fact("host", fmt::format("{} more, its part of what the host needs to launch the layer",
                             formatQuantity(cost.spent.launches, units::time)));
}

void Writer::nodes(ir::BodyId id, bool backward, ir::Phase phase, const std::vector<LayerStep>& path,
                   const char* title) {
  const ir::Body& body = program_.bodies[id];
  const std::vector<ir::Node>& list = backward ? body.backward : body.forward;
  const std::vector<cost::NodeCost>& costs = costs_[id.index].of(backward).nodes;
  std::map<ir::NodeIndex, double> onCompute; // what runs at all, and which share of it on the compute stream
  for (const ir::Task& task : (backward ? schedule_.backward : schedule_.forward)[id.index].tasks)
    onCompute[task.node] += task.stream == ir::kComputeStream ? task.fraction : 0;
  bool first = true;
  for (ir::NodeIndex i = 0; i < list.size(); ++i) {
    const ir::Node& node = list[i];
    auto share = onCompute.find(i);
    if (node.phase != phase || !belongs(node, path) || share == onCompute.end()) continue;
    if (node.kind == ir::NodeKind::Reshard) continue;
    if (first) line(title, 2, TextStyle::Gutter);
    first = false;
    if (node.kind == ir::NodeKind::Collective) {
      std::string what = node.value.valid() ? program_.model.pathOf(node.value)
                                            : "the statistics of " + program_.model.pathOf(node.op);
      collective(node, node.gradient ? "the gradient of " + what : what, share->second);
    } else {
      compute(body, node);
    }
    onStream(costs[i], node);
  }
}

void Writer::states(const ir::Body& body, const std::vector<LayerStep>& path) {
  bool first = true;
  for (const ir::StateCollective& state : body.states) {
    bool named = std::any_of(state.params.begin(), state.params.end(),
                             [&](ir::ValueId p) { return below(path, program_.model.values[p].path); });
    if (!named) continue;
    if (first) line("states of the whole layer", 2, TextStyle::Gutter);
    first = false;
    std::string what = fmt::format(
        "{} in {}", plural(static_cast<double>(state.params.size()), "parameter", "parameters"), ir::name(state.phase));
    collective(cost::collectiveNode(state), what, schedule_.inlineShare[static_cast<size_t>(state.cls)]);
  }
}

void Writer::body(ir::BodyId id, const std::vector<LayerStep>& path) {
  const ir::Body& b = program_.bodies[id];
  out_ += "\n";
  line(bodyTitle(b, id), 0, TextStyle::Bold);
  nodes(id, false, ir::Phase::Forward, path, "forward");
  if (id.index < schedule_.backward.size()) {
    nodes(id, true, ir::Phase::Recompute, path, "recompute");
    nodes(id, true, ir::Phase::Backward, path, "backward");
  }
  states(b, path);
}

/// Products of whole matrices; their time is that of the sum over a stage, so only the FLOPs are a parameter's own.
void Writer::products(cost::Pricing pricing, const ir::ParamState& param) {
  const cost::MatrixProducts made = cost::matrixProducts(program_, param);
  if (made.one == 0) return;
  cost::Derivation why;
  pricing.why = &why;
  cost::matrixSeconds(pricing, made.share);
  fact("products", fmt::format("{} of {} x {}, {} each, dealt to {}", plural(made.matrices, "matrix", "matrices"),
                               countText(made.rows), countText(made.columns), formatQuantity(made.one, units::flops),
                               plural(static_cast<double>(program_.mesh.size(param.optimizer)), "device", "devices")));
  derivation(why);
}

void Writer::update(const cost::Pricing& pricing, const ir::ParamState& param, double together, cost::Derivation& why) {
  const cost::Priced priced = cost::updateShard(pricing, param, together);
  const ir::Optimizer* by = ir::updaterOf(program_, param);
  line(fmt::format("{}  {}  {}", program_.model.pathOf(param.param), by->name.view(),
                   formatQuantity(priced.seconds, units::time)),
       4, TextStyle::Bold);
  const ir::StateBytes held = ir::stateBytes(program_, param);
  fact("holds", fmt::format("{} of states, {} of master copy", formatQuantity(held.states, units::bytes),
                            formatQuantity(held.master, units::bytes)));
  fact("work", formatQuantity(priced.bytes, units::bytes) + " moved");
  derivation(why);
  products(pricing, param);
}

std::string Writer::optimizer(const PlanReport& report) {
  line(report.plan->name.str() + ", the optimizer's step, one instance, one device", 0, TextStyle::Bold);
  const ir::Node node = cost::updateNode();
  bool any = false;
  for (uint32_t i = 0; i < program_.bodies.size(); ++i) {
    const ir::Body& b = program_.bodies[ir::BodyId(i)];
    bool first = true;
    for (const ir::ParamState& param : b.params) {
      if (!param.owner || !ir::updaterOf(program_, param)) continue;
      if (first) line("", 0), line(bodyTitle(b, ir::BodyId(i)), 0, TextStyle::Bold);
      first = false, any = true;
      cost::Derivation why;
      update(cost::Pricing(model_.facts(), program_, node, &why), param, cost::updatedTogether(program_, ir::BodyId(i)),
             why);
    }
    for (const ir::StateCollective& state : b.states)
      if (state.phase == ir::Phase::Step)
        collective(cost::collectiveNode(state),
                   plural(static_cast<double>(state.params.size()), "parameter", "parameters"),
                   schedule_.inlineShare[static_cast<size_t>(state.cls)]);
  }
  if (!any) line("nothing is trained, so nothing is updated", 0);
  for (const ir::VirtualStage& stage : program_.virtualStages)
    if (const double seconds = cost::updateSeconds(model_.facts(), program_, stage); seconds > 0)
      line(fmt::format("virtual stage {}: {} in all", &stage - program_.virtualStages.data(),
                       formatQuantity(seconds, units::time)),
           0, TextStyle::Bold);
  return std::move(out_);
}

/// The rows of the report that the path is a part of, or that are parts of it.
void Writer::rows(const PlanReport& report, const std::vector<LayerStep>& path) {
  Table table("lrrrrrr");
  std::set<std::vector<std::string>> seen;
  for (const cost::LayerRow& row : report.estimate->layers) {
    auto steps = verdict::parseLayerPath(row.path);
    bool related = steps.has_value();
    for (size_t i = 0; related && i < std::min(path.size(), steps->size()); ++i)
      related = stepMatches(path[i], (*steps)[i].name);
    if (!related) continue;
    std::vector<std::string> cells = {row.path};
    for (double s : {row.forward, row.backward, row.recompute, row.comm, row.exposed})
      cells.push_back(cell(s, units::time));
    cells.push_back(cell(row.flops, units::flops));
    if (!seen.insert(cells).second) continue;
    if (table.empty()) {
      std::vector<StyledText> head;
      for (const char* name : {"layer", "forward", "backward", "recompute", "comm", "exposed", "FLOPs"})
        head.emplace_back(name, TextStyle::Gutter);
      table.add(std::move(head));
    }
    table.add(std::vector<StyledText>(cells.begin(), cells.end()));
  }
  out_ += table.str(color_);
}

std::string Writer::run(const PlanReport& report, const std::vector<LayerStep>& path) {
  line(report.plan->name.str() + ", one instance, one micro-batch, one device", 0, TextStyle::Bold);
  rows(report, path);
  for (uint32_t i = 0; i < program_.bodies.size(); ++i) {
    const ir::Body& b = program_.bodies[ir::BodyId(i)];
    const ir::Unit& unit = program_.model.units[b.unit];
    if (!stepMatches(path[0], unit.name.str()) || (unit.repeat && !b.seam && !overlaps(path[0].slice, b.instances)))
      continue;
    bool any = std::any_of(b.forward.begin(), b.forward.end(), [&](const ir::Node& n) { return belongs(n, path); });
    if (any) body(ir::BodyId(i), path);
  }
  return std::move(out_);
}

} // namespace

std::vector<std::string> explainablePaths(const ir::Model& model) {
  std::vector<std::string> paths;
  std::set<std::string> seen;
  for (const ir::Op& op : model.ops) {
    std::string path;
    for (const Symbol& step : op.path) {
      path += (path.empty() ? "" : ".") + step.str();
      if (seen.insert(path).second) paths.push_back(path);
    }
  }
  return paths;
}

bool explains(const ir::Model& model, const std::vector<LayerStep>& path) {
  for (const ir::Op& op : model.ops) {
    if (!below(path, op.path)) continue;
    const ir::Unit& unit = model.units[op.unit];
    if (!path[0].slice) return true;
    int64_t count = unit.repeat ? unit.count : 1;
    const auto& ranges = path[0].slice->ranges;
    if (std::all_of(ranges.begin(), ranges.end(), [&](const ir::Range& r) { return r.count() > 0 && r.end <= count; }))
      return true;
  }
  return false;
}

std::string explain(const ExplainInput& input, const std::vector<LayerStep>& path, const SourceManager& sources,
                    const TextOptions& options) {
  return Writer(input, sources, options).run(*input.report, path);
}

std::string explainOptimizer(const ExplainInput& input, const SourceManager& sources, const TextOptions& options) {
  return Writer(input, sources, options).optimizer(*input.report);
}

std::string explainInterval(const PlanReport& report, const TextOptions& options) {
  const cost::Totals& t = report.estimate->totals;
  const cost::Confidence& c = t.confidence;
  std::string out = styledLine(fmt::format("{}, how sure its step time of {} is", report.plan->name.view(),
                                           formatQuantity(t.stepTime, units::time)),
                               TextStyle::Bold, options.color);
  if (c.coverage > 0)
    out += fmt::format("{} of measured times lie between {:.3g} and {:.3g} times it; of the stack's own runs between "
                       "{:.3g} and {:.3g} times what was predicted\n",
                       percentText(c.coverage), c.low, c.high, c.runsLow, c.runsHigh);
  else
    out += "no interval: the stack gives no `accuracy`\n";
  out += fmt::format("{} of the step stands on facts read outside of their samples\n", percentText(c.outside));
  Table table("rrrrl");
  auto head = [](const char* text) { return StyledText(text, TextStyle::Gutter); };
  table.add({head("of the width"), head("of the step"), head("error"), head("samples"), head("record")});
  const std::vector<cost::WidthPart> parts = cost::widthParts(c);
  auto width = [&](std::string_view what) {
    auto part = std::find_if(parts.begin(), parts.end(), [&](const cost::WidthPart& p) { return p.what == what; });
    return part == parts.end() ? std::string("-") : shareText(part->share);
  };
  if (c.coverage > 0) table.add({width(cost::kRunsPart), "", "", "", std::string(cost::kRunsPart)});
  for (const cost::Term& term : c.terms)
    table.add({width(term.what), shareText(term.share), percentText(term.error),
               term.samples > 0 ? countText(term.samples) : "-", term.what});
  return out + table.str(options.color);
}

} // namespace planc::report
