// Executes the forward and backward lists of a program, instance by instance, through carries and boundary reshards.
// SPDX-License-Identifier: Apache-2.0
#include "Executor.h"

#include "OperatorRun.h"
#include "Replay.h"
#include "passes/backward/GradientFlow.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

namespace planc::oracle {

namespace {

/// Values whose gradient some class of instances needs.
std::vector<bool> wantedSomewhere(const ShardedProgram& program) {
  std::vector<bool> wanted(program.model->values.size());
  for (const std::vector<bool>& layerClass : passes::valuesWithGradient(program))
    for (size_t v = 0; v < layerClass.size(); ++v) wanted[v] = wanted[v] || layerClass[v];
  return wanted;
}

struct Machine : OperatorRun {
  const ShardedProgram& sharded;
  unsigned seed;
  std::vector<std::vector<Frame>> frames; ///< per layer and instance
  Perturbation perturbation;
  Outcome outcome;

  Machine(const ShardedProgram& p, unsigned s, Perturbation moved)
      : OperatorRun(p), sharded(p), seed(s), perturbation(std::move(moved)) {}
  std::vector<bool> wanted = wantedSomewhere(sharded);
  std::vector<int64_t> extents(ValueId v) const { return flatExtents(model().values[v].dims); }
  std::string nameOf(ValueId v, int64_t instance) const {
    return model().pathOf(v) + "[" + std::to_string(instance) + "]";
  }

  // ---- data ----------------------------------------------------------------

  Tensor draw(ValueId v, int64_t instance) const {
    const Value& value = model().values[v];
    Tensor t = empty(extents(v), 0);
    std::mt19937 random(seed + static_cast<unsigned>(std::hash<std::string>()(nameOf(v, instance))));
    std::uniform_real_distribution<double> real(-1, 1);
    for (double& x : t.data)
      x = value.dtype && !isFloat(*value.dtype) ? static_cast<double>(random() % 4) : real(random);
    aimAtRows(v, t);
    if (nameOf(v, instance) == perturbation.parameter) t.data[perturbation.element] += perturbation.delta;
    return t;
  }
  /// An index goes where its row is: the p-th index of a bag has its row in the p-th part of the table.
  void aimAtRows(ValueId v, Tensor& t) const {
    for (const Op& op : model().ops)
      for (const Operand& o : op.operands)
        if (o.value == v && !o.dims.empty() && model().dims[o.dims.back()].kind == DimKind::Following) {
          const Dim& pool = model().dims[o.dims.back()];
          const int64_t part = model().dims[pool.parts[0]].extent / pool.extent;
          for (size_t i = 0; i < t.data.size(); ++i)
            t.data[i] = static_cast<double>(static_cast<int64_t>(i) % pool.extent * part +
                                            static_cast<int64_t>(t.data[i]) % part);
        }
  }
  Sharded scatter(const Tensor& full, const Layout& layout) const {
    Sharded result;
    for (int64_t d = 0; d < devices.count; ++d) {
      result.push_back(empty(full.extents));
      forEach(devices.held(d, full.extents, layout), [&](const auto& at) {
        result.back().data[offset(full.extents, at)] = full.data[offset(full.extents, at)];
      });
    }
    return result;
  }
  Tensor drawParameter(const Layer& layer, ValueId v, int64_t instance) const {
    const ValueId storage = model().values[v].storage.valid() ? model().values[v].storage : v;
    return draw(storage, model().values[storage].region.valid() && layer.repeat ? instance : 0);
  }

  Sharded reshard(ValueId v, Sharded value, const Layout& from, const Layout& to) const {
    return reshard(model().values[v].dims, std::move(value), from, to);
  }
  Sharded reshard(const std::vector<DimId>& dims, Sharded value, const Layout& from, const Layout& to) const {
    const std::vector<int64_t> e = flatExtents(dims);
    for (const ReshardStep& step :
         ir::reshard(program.mesh, program.extents(dims), program.unordered(dims), from, to)) {
      Sharded next;
      for (int64_t d = 0; d < devices.count; ++d) {
        Tensor t = empty(e);
        const std::vector<int64_t> group = devices.group(d, step.axes);
        const bool sums = step.kind == CollectiveKind::AllReduce || step.kind == CollectiveKind::ReduceScatter;
        forEach(devices.held(d, e, flat(dims, step.after)), [&](const auto& at) {
          const size_t o = offset(e, at);
          if (step.kind == CollectiveKind::Slice) {
            t.data[o] = get(value[static_cast<size_t>(d)], at);
          } else if (sums) {
            t.data[o] = 0;
            for (int64_t g : group) t.data[o] += get(value[static_cast<size_t>(g)], at);
          } else {
            for (int64_t g : group)
              if (std::isnan(t.data[o])) t.data[o] = value[static_cast<size_t>(g)].data[o];
            get(t, at);
          }
        });
        next.push_back(std::move(t));
      }
      value = std::move(next);
    }
    return value;
  }
  static void accumulate(Sharded& into, const Sharded& from) {
    if (into.empty()) {
      into = from;
      return;
    }
    for (size_t d = 0; d < into.size(); ++d)
      for (size_t i = 0; i < into[d].data.size(); ++i) into[d].data[i] += from[d].data[i];
  }

  // ---- forward ---------------------------------------------------------------

  const ShardedClass& classOf(LayerId layerId, int64_t instance) const {
    return sharded.classes[passes::classOf(program, layerId, instance)];
  }
  int64_t lastOf(LayerId layerId) const {
    return model().layers[layerId].repeat ? model().layers[layerId].count - 1 : 0;
  }

  /// A value as produced (by the last instance, if a repeat made it), and its layout.
  Sharded valueOf(ValueId v, const Frame* own, Layout& layout) const {
    const Value& value = model().values[v];
    if (value.kind == ValueKind::Input) {
      layout = passes::layoutOf(program, v);
      return scatter(draw(v, 0), layout);
    }
    const Op& op = model().ops[value.producer];
    const Frame& frame =
        own && own->results.count(v) ? *own : frames[op.layer.index][static_cast<size_t>(lastOf(op.layer))];
    const ShardedClass& layerClass =
        classOf(op.layer, &frame == own ? static_cast<int64_t>(own - frames[op.layer.index].data()) : lastOf(op.layer));
    layout = layerClass.results[passes::local(model().layers[op.layer], value.producer)];
    return frame.results.at(v);
  }

  /// Reshards of carried values stand in boundary reshards; without one the layouts must agree.
  Sharded boundary(bool backward, ValueId v, Sharded value, const Layout& from, const Layout& to) const {
    if (sameLayout(program.unordered(model().values[v].dims), from, to)) return value;
    for (const ShardedClass& layerClass : sharded.classes)
      if (layerClass.boundaryReshard)
        for (const ShardedNode& n : backward ? layerClass.backward : layerClass.forward)
          if (const Reshard& r = n.reshard(); r.value == v && r.from == from && r.to == to)
            return reshard(v, std::move(value), from, to);
    throw std::runtime_error("no boundary reshard brings " + model().pathOf(v));
  }

  void forward() {
    frames.resize(model().layers.size());
    for (uint32_t l = 0; l < model().layers.size(); ++l) {
      const Layer& layer = model().layers[LayerId(l)];
      frames[l].resize(static_cast<size_t>(layer.repeat ? layer.count : 1));
      for (size_t i = 0; i < frames[l].size(); ++i) forwardInstance(LayerId(l), static_cast<int64_t>(i));
    }
  }

  Sharded enter(const Carry& c, LayerId layerId, int64_t instance, const Layout& to) const {
    Layout from;
    if (instance == 0) {
      Sharded value = valueOf(c.initial, nullptr, from);
      return boundary(false, c.initial, std::move(value), from, to);
    }
    const Layer& layer = model().layers[layerId];
    const uint32_t out = passes::local(layer, model().values[c.last].producer);
    return boundary(false, c.last, frames[layerId.index][static_cast<size_t>(instance - 1)].results.at(c.last),
                    classOf(layerId, instance - 1).results[out], to);
  }

  void forwardInstance(LayerId layerId, int64_t instance) {
    const Layer& layer = model().layers[layerId];
    const ShardedClass& layerClass = classOf(layerId, instance);
    Frame& frame = frames[layerId.index][static_cast<size_t>(instance)];
    frame.forward.resize(layerClass.forward.size());
    size_t node = 0;
    auto reshardsOf = [&](OpId id) { // nodes before the operator's own
      for (; node < layerClass.forward.size() && layerClass.forward[node].isReshard() &&
             layerClass.forward[node].op == id;
           ++node) {
        const Reshard& r = layerClass.forward[node].reshard();
        Layout from;
        Sharded value = valueOf(r.value, &frame, from);
        if (!(from == r.from))
          for (NodeIndex d : layerClass.forward[node].deps)
            if (layerClass.forward[d].isReshard() && layerClass.forward[d].value() == r.value) value = frame.forward[d];
        frame.forward[node] = reshard(r.value, std::move(value), r.from, r.to);
      }
    };
    for (uint32_t i = layer.first.index; i < layer.end.index; ++i) {
      const OpId id(i);
      const Op& op = model().ops[id];
      const Placement& placement = layerClass.placements[passes::local(layer, id)];
      reshardsOf(id);
      std::vector<Sharded> operands;
      for (size_t k = 0; k < op.operands.size(); ++k)
        operands.push_back(operandOf(layerClass, layer, frame, id, k, layerId, instance));
      if (op.kind == OpKind::Carry) {
        frame.results[op.result] = operands[0];
        continue;
      }
      passRound(op, placement, operands);
      frame.results[op.result] = compute(op, id, withoutRing(placement), operands, frame);
      frame.operands[id] = std::move(operands);
      ++node;
    }
  }

  /// Shards of a rotated dimension pass every device by.
  void passRound(const Op& op, const Placement& placement, std::vector<Sharded>& operands) const {
    const Placement whole = withoutRing(placement);
    for (size_t k = 0; k < op.operands.size(); ++k)
      operands[k] =
          reshard(op.operands[k].dims, std::move(operands[k]), passes::need(program, placement, op.operands[k].dims),
                  passes::need(program, whole, op.operands[k].dims));
  }

  Sharded operandOf(const ShardedClass& layerClass, const Layer& layer, Frame& frame, OpId id, size_t k,
                    LayerId layerId, int64_t instance) const {
    const Op& op = model().ops[id];
    const ValueId v = op.operands[k].value;
    if (model().values[v].kind == ValueKind::Param) {
      for (const ParamState& p : layerClass.params)
        if (p.param == v) return scatter(drawParameter(model().layers[model().values[v].layer], v, instance), p.layout);
      throw std::runtime_error("a parameter without a state");
    }
    for (const Carry& c : layer.carries)
      if (c.inside == op.result)
        return enter(c, layerId, instance,
                     passes::need(program, layerClass.placements[passes::local(layer, id)], op.operands[k].dims));
    if (const int32_t n = layerClass.brought[passes::local(layer, id)][k]; n >= 0)
      return frame.forward[static_cast<size_t>(n)];
    Layout layout;
    return valueOf(v, &frame, layout);
  }

  // ---- backward --------------------------------------------------------------

  struct Gradient {
    Layout layout;
    Sharded value;
  };
  std::map<ValueId, std::vector<Gradient>> outer; ///< gradients that reach a value from other units
  std::map<std::string, std::vector<Gradient>> parameters;

  void backward() {
    for (uint32_t l = model().layers.size(); l-- > 0;) {
      const Layer& layer = model().layers[LayerId(l)];
      std::map<ValueId, Gradient> carried; ///< from the next instance
      for (int64_t i = lastOf(LayerId(l)); i >= 0; --i) backwardInstance(LayerId(l), i, carried);
      for (const Carry& c : layer.carries)
        if (carried.count(c.initial)) outer[c.initial].push_back(carried.at(c.initial));
    }
  }

  /// Each contribution with the layout that the derivation gave it; equal ones are summed before they travel.
  void backwardInstance(LayerId layerId, int64_t instance, std::map<ValueId, Gradient>& carried) {
    const Layer& layer = model().layers[layerId];
    const ShardedClass& layerClass = classOf(layerId, instance);
    Frame& frame = frames[layerId.index][static_cast<size_t>(instance)];
    std::map<ValueId, std::vector<Gradient>> gradients;
    for (const Carry& c : layer.carries) arrive(layerClass, layer, c, instance, carried, gradients);
    for (uint32_t i = layer.end.index; i-- > layer.first.index;) {
      const OpId id(i);
      const Op& op = model().ops[id];
      auto& mine = gradients[op.result];
      if (model().isLoss(op.result)) mine.push_back(seedGradient(layerClass, layer, id));
      const bool isCarriedOut =
          std::any_of(layer.carries.begin(), layer.carries.end(), [&](const Carry& c) { return c.last == op.result; });
      if (!isCarriedOut)
        for (Gradient& g : outer[op.result]) mine.push_back(g);
      if (!mine.empty()) backwardOp(layerClass, layer, id, instance, frame, mine, gradients, carried);
    }
  }

  Gradient seedGradient(const ShardedClass& layerClass, const Layer& layer, OpId id) const {
    const Op& op = model().ops[id];
    const Layout layout = passes::need(program, layerClass.placements[passes::local(layer, id)], op.resultDims);
    return {layout, scatter(draw(op.result, 0), layout)};
  }

  void arrive(const ShardedClass& layerClass, const Layer& layer, const Carry& c, int64_t instance,
              std::map<ValueId, Gradient>& carried, std::map<ValueId, std::vector<Gradient>>& gradients) {
    const OpId out = model().values[c.last].producer;
    const Layout placed =
        passes::need(program, layerClass.placements[passes::local(layer, out)], model().ops[out].resultDims);
    if (instance == layer.count - 1) {
      std::vector<Gradient> sums;
      for (const Gradient& g : outer[c.last]) {
        auto it = std::find_if(sums.begin(), sums.end(), [&](const Gradient& s) { return s.layout == g.layout; });
        if (it == sums.end())
          sums.push_back(g);
        else
          accumulate(it->value, g.value);
      }
      for (Gradient& s : sums)
        gradients[c.last].push_back({placed, boundary(true, c.last, std::move(s.value), s.layout, placed)});
    } else if (carried.count(c.initial)) {
      const Gradient& g = carried.at(c.initial);
      gradients[c.last].push_back({placed, boundary(true, c.last, g.value, g.layout, placed)});
    }
  }

  void backwardOp(const ShardedClass& layerClass, const Layer& layer, OpId id, int64_t instance, Frame& frame,
                  const std::vector<Gradient>& mine, std::map<ValueId, std::vector<Gradient>>& gradients,
                  std::map<ValueId, Gradient>& carried) {
    const Op& op = model().ops[id];
    const Placement& placement = layerClass.placements[passes::local(layer, id)];
    AxisMask pending = 0;
    const Sharded dy = gather(layerClass, id, op, placement, mine, pending);
    for (size_t k = 0; k < op.operands.size(); ++k) {
      const Operand& o = op.operands[k];
      const Value& v = model().values[o.value];
      if (!wanted[o.value.index]) continue;
      const bool passes = (op.linear && o.dims.size() == op.resultDims.size()) || op.kind == OpKind::Carry;
      Layout layout = passes && v.kind != ValueKind::Param ? planc::passes::need(program, placement, o.dims)
                                                           : planc::passes::produced(program, op, placement, o.dims);
      layout.partial |= pending & ~layout.axes();
      Gradient g{layout, passes ? dy : gradient(op, id, withoutRing(placement), k, frame.operands[id], dy, frame)};
      sendHome(op, placement, k, g);
      if (v.kind == ValueKind::Param)
        addParameter(layerClass, layer, o.value, instance, std::move(g));
      else if (op.kind == OpKind::Carry && std::any_of(layer.carries.begin(), layer.carries.end(),
                                                       [&](const Carry& c) { return c.inside == op.result; }))
        carried[o.value] = std::move(g);
      else if (model().ops[v.producer].layer == op.layer)
        gradients[o.value].push_back(std::move(g));
      else
        outer[o.value].push_back(std::move(g));
    }
  }

  /// The gradient of what travelled a ring is summed on its way home.
  void sendHome(const Op& op, const Placement& placement, size_t k, Gradient& g) const {
    const auto& dims = op.operands[k].dims;
    for (const PlacedDim& p : placement.dims) {
      const AxisMask axes = maskOf(p.axes);
      if (!p.ring || !axes || std::find(dims.begin(), dims.end(), p.dim) == dims.end()) continue;
      Layout travelled = planc::passes::need(program, withoutRing(placement), dims);
      travelled.partial = (g.layout.partial & ~axes) | axes;
      g.layout.partial &= ~axes;
      g.value = reshard(dims, std::move(g.value), travelled, g.layout);
    }
  }

  /// Follows the layerClass's own reshard nodes: a contribution whose layout differs must have one.
  Sharded gather(const ShardedClass& layerClass, OpId id, const Op& op, const Placement& placement,
                 const std::vector<Gradient>& mine, AxisMask& pending) const {
    AxisMask lazy = 0;
    for (DimId d : op.along)
      lazy |= maskOf(placement.axesOf(d)) & ~passes::need(program, placement, op.resultDims).axes();
    Sharded total;
    std::vector<Gradient> sums;
    for (const Gradient& g : mine) {
      auto it = std::find_if(sums.begin(), sums.end(), [&](const Gradient& s) { return s.layout == g.layout; });
      if (it == sums.end())
        sums.push_back(g);
      else
        accumulate(it->value, g.value);
    }
    for (Gradient& s : sums) {
      Layout placed = passes::need(program, placement, op.resultDims);
      placed.partial = s.layout.partial & lazy;
      pending |= placed.partial;
      if (!sameLayout(program.unordered(op.resultDims), s.layout, placed)) {
        const bool derived =
            std::any_of(layerClass.backward.begin(), layerClass.backward.end(), [&](const ShardedNode& n) {
              const Reshard* r = n.asReshard();
              return r && r->gradient && n.op == id && r->from == s.layout && r->to == placed;
            });
        if (!derived) throw std::runtime_error("no reshard brings the gradient of " + model().pathOf(op.result));
        s.value = reshard(op.result, std::move(s.value), s.layout, placed);
      }
      accumulate(total, s.value);
    }
    return total;
  }

  void addParameter(const ShardedClass& layerClass, const Layer&, ValueId v, int64_t instance, Gradient g) {
    const ValueId storage = model().values[v].storage.valid() ? model().values[v].storage : v;
    const bool perInstance = model().values[storage].region.valid();
    // Reduced over the axes that the derivation says it is pending over, no others.
    for (const ParamState& p : layerClass.params)
      if (p.param == v) g.layout.partial &= p.partial;
    parameters[nameOf(storage, perInstance ? instance : 0)].push_back(std::move(g));
  }

  // ---- results ---------------------------------------------------------------

  Tensor whole(ValueId v, Sharded value, const Layout& layout) const {
    Layout plain;
    plain.shard.resize(layout.shard.size());
    return reshard(v, std::move(value), layout, plain)[0];
  }

  void finish() {
    Layout layout;
    Sharded loss = valueOf(model().loss, nullptr, layout);
    outcome.loss = whole(model().loss, std::move(loss), layout);
    const Tensor seedGradient = draw(model().loss, 0);
    for (size_t i = 0; i < outcome.loss.data.size(); ++i)
      outcome.objective += outcome.loss.data[i] * seedGradient.data[i];
    for (ValueId v : model().params)
      for (auto& [name, list] : parameters) {
        if (name.substr(0, name.rfind('[')) != model().pathOf(v)) continue;
        Tensor& sum = outcome.gradients[name];
        for (Gradient& g : list) {
          const Tensor t = whole(v, g.value, g.layout);
          if (sum.data.empty()) sum = empty(t.extents, 0);
          for (size_t i = 0; i < t.data.size(); ++i) sum.data[i] += t.data[i];
        }
      }
  }
};

} // namespace

Outcome execute(const ShardedProgram& program, unsigned seed, const Perturbation& perturbation) {
  Machine machine(program, seed, perturbation);
  machine.forward();
  machine.backward();
  machine.finish();
  return std::move(machine.outcome);
}

Replayed replay(const ShardedProgram& program, unsigned seed, unsigned order) {
  Machine machine(program, seed, {});
  machine.forward();
  std::mt19937 random(order);
  Replayed all;
  for (uint32_t l = 0; l < program.model->layers.size(); ++l)
    for (int64_t i = 0; i <= machine.lastOf(LayerId(l)); ++i) {
      Replay<Machine> one(machine, LayerId(l), i);
      all.worst = std::max(all.worst, one.run(random));
      all.operators += one.replayed();
    }
  return all;
}

double difference(const Outcome& a, const Outcome& b, std::string* name) {
  double worst = 0;
  auto note = [&](const std::string& what, double d) {
    if (d <= worst) return;
    worst = d;
    if (name) *name = what;
  };
  auto compare = [](const Tensor& x, const Tensor& y) {
    if (x.data.size() != y.data.size()) return std::numeric_limits<double>::infinity();
    double most = 0,
           scale = 1e-3; // a gradient that is zero but for rounding (a key's bias under softmax) has no size of its own
    for (size_t i = 0; i < x.data.size(); ++i) {
      if (!(std::abs(x.data[i] - y.data[i]) <= std::numeric_limits<double>::max()))
        return std::numeric_limits<double>::infinity();
      most = std::max(most, std::abs(x.data[i] - y.data[i]));
      scale = std::max(scale, std::abs(x.data[i]));
    }
    return most / scale;
  };
  note("loss", compare(a.loss, b.loss));
  if (a.gradients.size() != b.gradients.size()) note("number of gradients", std::numeric_limits<double>::infinity());
  for (const auto& [parameter, t] : a.gradients) {
    auto it = b.gradients.find(parameter);
    note(parameter, it == b.gradients.end() ? std::numeric_limits<double>::infinity() : compare(t, it->second));
  }
  return worst;
}

} // namespace planc::oracle
