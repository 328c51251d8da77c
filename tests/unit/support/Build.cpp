// Programs put together by hand.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/support/Build.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace planc::test {
using namespace ir;
using ir::Layer; // not planc::Layer, the exponents of a quantity

namespace {

std::vector<std::string> splitAt(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

/// What follows a character, and the text before it in `text`.
std::string cutOff(std::string& text, char at) {
  const size_t found = text.find(at);
  if (found == std::string::npos) return "";
  const std::string rest = text.substr(found + 1);
  text.resize(found);
  return rest;
}

} // namespace

Mesh mesh(const std::vector<std::pair<std::string, int64_t>>& axes,
          const std::vector<std::pair<std::string, int64_t>>& levels) {
  Mesh m;
  int64_t stride = 1;
  for (const auto& [name, size] : axes) {
    m.order.push_back(m.axes.add({Symbol(name), size, stride, Symbol(name), {}}));
    stride *= size;
  }
  for (const auto& [name, size] : levels) {
    m.levelNames.push_back(Symbol(name));
    m.levelSizes.push_back(size);
  }
  if (levels.empty()) {
    m.levelNames.push_back(Symbol("cluster"));
    m.levelSizes.push_back(stride);
  }
  return m;
}

AxisList axes(const Mesh& mesh, const std::vector<std::string>& names) {
  AxisList list;
  for (const std::string& n : names) {
    const AxisList named = mesh.resolve(Symbol(n)).value_or(AxisList{});
    list.insert(list.end(), named.begin(), named.end());
  }
  return list;
}

Selector selector(const std::string& text) {
  return text.empty() ? Selector() : Selector{parseLayerRef(text).value(), {}};
}

PlacementRule rule(const std::string& at, const std::string& dim, const std::vector<std::string>& targets) {
  PlacementRule r;
  r.selector = selector(at);
  r.dim = Symbol(dim);
  for (const std::string& t : targets) r.targets.push_back(Symbol(t));
  return r;
}

Build::Build(const std::vector<std::pair<std::string, int64_t>>& axes,
             const std::vector<std::pair<std::string, int64_t>>& levels) {
  plan.name = Symbol("plan");
  plan.workload.phases = {{Symbol("train"), true, true, {}}};
  plan.workload.samples = Symbol("batch");
  program.plan = &plan;
  program.mesh = test::mesh(axes, levels);
}

// ---- level model -------------------------------------------------------------

LayerClassId Build::layer(const std::string& name, int64_t repeated) {
  Model& model = program.model.edit();
  Layer layer;
  layer.name = Symbol(name);
  layer.repeat = repeated > 0;
  layer.count = std::max<int64_t>(1, repeated);
  layer.first = layer.end = OpId(model.ops.size());
  if (layer.repeat) layer.region = model.regions.add({{layer.name}, layer.count, {}, {}});
  LayerClass layerClass;
  layerClass.instances = RangeSet{{{0, layer.count, 1}}};
  layerClass.layer = model.layers.add(layer);
  made_.clear();
  nodes_.emplace_back();
  return last_ = program.classes.add(std::move(layerClass));
}

Build::Placed Build::read(const std::string& text) {
  Placed placed;
  for (std::string word : splitAt(text, ' ')) {
    const std::string axes = cutOff(word, '@'), extent = cutOff(word, '=');
    placed.dims.push_back(extent.empty() ? dim(word) : program.model.edit().dim(Symbol(word), std::stoll(extent)));
    placed.axes.push_back(test::axes(program.mesh, splitAt(axes, '*')));
  }
  return placed;
}

DimId Build::dim(const std::string& name) const {
  for (uint32_t d = 0; d < program.model->dims.size(); ++d)
    if (program.model->dims[DimId(d)].name == Symbol(name)) return DimId(d);
  throw std::runtime_error("no dimension " + name);
}

ValueId Build::value(const std::string& name, ValueKind kind, const std::vector<DimId>& dims) {
  Model& model = program.model.edit();
  Value v;
  v.name = Symbol(name);
  v.kind = kind;
  v.dims = dims;
  if (kind != ValueKind::Input) {
    v.layer = body().layer;
    v.path = {model.layers[v.layer].name};
  }
  v.path.push_back(v.name);
  if (kind == ValueKind::Param) v.region = model.layers[v.layer].region;
  v.trainable = kind == ValueKind::Param;
  const ValueId id = model.values.add(v);
  model.values[id].storage = id;
  if (kind == ValueKind::Input) model.inputs.push_back(id);
  if (kind == ValueKind::Param) model.params.push_back(id);
  return id;
}

ValueId Build::input(const std::string& name, const std::string& dims) {
  return value(name, ValueKind::Input, read(dims).dims);
}

ValueId Build::param(const std::string& name, const std::string& dims) {
  const Placed placed = read(dims);
  const ValueId id = value(name, ValueKind::Param, placed.dims);
  ParamState state;
  state.param = id;
  state.layout = Layout::of(program.mesh, placed.axes);
  state.elements = localElements(program.mesh, program.extents(placed.dims), state.layout);
  state.region = program.model->values[id].region;
  body().params.edit().push_back(std::move(state));
  return id;
}

ValueId Build::op(const std::string& name, OpKind kind, const std::vector<ValueId>& operands, const std::string& result,
                  const std::string& inside) {
  Model& model = program.model.edit();
  const Placed out = read(result), summed = read(inside);
  const ValueId id = value(name, ValueKind::Result, out.dims);
  Op o;
  o.name = Symbol(name);
  o.path = model.values[id].path;
  o.kind = kind;
  o.result = id;
  o.resultDims = out.dims;
  o.layer = body().layer;
  o.region = model.layers[o.layer].region;
  const auto iterate = [&](const std::vector<DimId>& dims) {
    for (DimId d : dims)
      if (std::find(o.dims.begin(), o.dims.end(), d) == o.dims.end()) o.dims.push_back(d);
  };
  for (ValueId v : operands) o.operands.push_back({v, model.values[v].dims}), iterate(model.values[v].dims);
  iterate(out.dims);
  o.flops = Poly::constant(isContraction(kind) ? 2 : 4);
  for (DimId d : o.dims) o.flops = o.flops * Poly::extent(d);

  ShardedNode n;
  Placement placement;
  AxisMask partial = 0;
  for (const Placed* placed : {&out, &summed})
    for (size_t i = 0; i < placed->dims.size(); ++i) {
      if (placed->axes[i].empty()) continue;
      placement.dims.push_back({placed->dims[i], placed->axes[i], nullptr, false, false});
      if (placed == &summed) partial |= maskOf(placed->axes[i]);
    }
  for (ValueId v : operands)
    for (NodeIndex ready : ready(v))
      if (std::find(n.deps.begin(), n.deps.end(), ready) == n.deps.end()) n.deps.push_back(ready);
  model.values[id].producer = n.op = model.ops.add(std::move(o));
  model.layers[body().layer].end = OpId(model.ops.size());
  for (ShardedNode& waiting : nodes()) // a reshard names the operator that it is for
    if (!waiting.op.valid()) waiting.op = n.op;
  body().placements.edit().push_back(std::move(placement));
  body().results.edit().push_back(Layout::of(program.mesh, out.axes, partial));
  nodes().push_back(std::move(n));
  made_.emplace_back(id, static_cast<NodeIndex>(nodes().size() - 1));
  return id;
}

/// The node behind which a value lies as it was brought last; none if it was not made here.
NodeList Build::ready(ValueId value) const {
  for (size_t i = made_.size(); i-- > 0;)
    if (made_[i].first == value) return {made_[i].second};
  return {};
}

// ---- level sharded -----------------------------------------------------------

Layout Build::layout(const std::string& dims, AxisMask partial) {
  return Layout::of(program.mesh, read(dims).axes, partial);
}

NodeIndex Build::reshard(ValueId value, const std::string& to) {
  Reshard r;
  r.value = value;
  r.source = makerOf(value);
  const NodeList deps = ready(value);
  r.from = deps.empty() ? layout("")
           : node(deps[0]).isReshard()
               ? node(deps[0]).reshard().to
               : body().results[r.source.index - program.model->layers[body().layer].first.index];
  r.to = layout(to);
  nodes().emplace_back(NodeHead{.deps = deps}, std::move(r));
  made_.emplace_back(value, static_cast<NodeIndex>(nodes().size() - 1));
  return made_.back().second;
}

ShardedProgram Build::sharded() const {
  ShardedProgram made(Program{program});
  for (uint32_t c = 0; c < program.classes.size(); ++c)
    made.classes.add({program.classes[LayerClassId(c)], nodes_[c], {}, {}});
  return made;
}

// ---- level comm --------------------------------------------------------------

void Build::lower() {
  for (uint32_t c = 0; c < program.classes.size(); ++c) {
    Indexed<Node> forward;
    for (const ShardedNode& n : nodes_[c])
      if (const Reshard* r = n.asReshard()) {
        Collective sum(*r);
        sum.from = r->from;
        sum.to = r->to;
        forward.emplace_back(n, std::move(sum));
      } else {
        forward.emplace_back(n, Compute(n.compute()));
      }
    program.classes[LayerClassId(c)].forward = std::move(forward);
  }
}

AxisMask Build::axis(const std::string& name) const {
  return maskOf(program.mesh.resolve(Symbol(name)).value());
}

Node Build::compute(OpId op, Role role, Phase phase) const {
  return {{.phase = phase, .op = op}, Compute({.role = role})};
}

namespace {

/// The axes of a collective, and what follows from them.
void over(auto& collective, AxisMask axes, const Mesh& mesh) {
  collective.axes = axes;
  collective.group = mesh.size(axes);
  collective.level = mesh.levelOf(axes);
}

} // namespace

Node Build::collective(OpId op, CollectiveKind kind, CollectiveClass cls, AxisMask axes, double bytes,
                       Phase phase) const {
  Collective c;
  c.kind = kind;
  c.cls = cls;
  c.bytes = bytes;
  over(c, axes, program.mesh);
  return {{.phase = phase, .op = op}, std::move(c)};
}

StateCollective Build::state(CollectiveKind kind, CollectiveClass cls, Phase phase, AxisMask axes, double bytes) const {
  StateCollective s;
  s.collective = kind;
  s.cls = cls;
  s.phase = phase;
  s.bytes = bytes;
  over(s, axes, program.mesh);
  return s;
}

void Build::stages(int64_t stages, int64_t chunks, const std::vector<std::vector<int64_t>>& pieces) {
  program.stages = stages;
  program.chunks = chunks;
  program.virtualStages.clear();
  program.stageKinds = {};
  for (size_t i = 0; i < pieces.size(); ++i) {
    VirtualStage s;
    s.index = static_cast<int64_t>(i);
    s.devices = {s.index % stages};
    StageKind kind; // one for each stage: tests change them one by one
    kind.level = program.mesh.levelSizes.size() - 1;
    for (size_t b = 0; b < pieces[i].size(); ++b)
      if (pieces[i][b] > 0) kind.classes.emplace_back(LayerClassId(static_cast<uint32_t>(b)), pieces[i][b]);
    s.kind = program.stageKinds.add(std::move(kind));
    program.virtualStages.push_back(std::move(s));
  }
}

} // namespace planc::test
