// Executes forward and backward lists on simulated devices.
// SPDX-License-Identifier: Apache-2.0
#include "Executor.h"

#include "Kernels.h"
#include "passes/Lowering.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

namespace planc::oracle {
using namespace ir;
using ir::Unit;

namespace {

using Indices = std::vector<std::vector<int64_t>>; // per dimension those that a device holds

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

void forEach(const Indices& indices, const std::function<void(const std::vector<int64_t>&)>& visit) {
  std::vector<int64_t> at(indices.size());
  std::function<void(size_t)> go = [&](size_t d) {
    if (d == indices.size()) return visit(at);
    for (int64_t x : indices[d]) {
      at[d] = x;
      go(d + 1);
    }
  };
  go(0);
}

struct Devices {
  const Mesh& mesh;
  int64_t count;
  explicit Devices(const Mesh& m) : mesh(m), count(m.devices()) {}
  int64_t coordinate(int64_t device, AxisId a) const { return device / mesh.axes[a].stride % mesh.axes[a].size; }
  /// Devices that differ from this one along `axes` only.
  std::vector<int64_t> group(int64_t device, AxisMask axes) const {
    std::vector<int64_t> members;
    for (int64_t d = 0; d < count; ++d)
      if (std::all_of(mesh.order.begin(), mesh.order.end(), [&](AxisId a) { return (axes & maskOf(a)) || coordinate(d, a) == coordinate(device, a); }))
        members.push_back(d);
    return members;
  }
  bool first(int64_t device, AxisMask axes) const { return group(device, axes).front() == device; }
  Indices held(int64_t device, const std::vector<int64_t>& extents, const Layout& layout) const {
    Indices result(extents.size());
    for (size_t d = 0; d < extents.size(); ++d)
      for (int64_t x = 0; x < extents[d]; ++x)
        if (std::all_of(layout.shard[d].begin(), layout.shard[d].end(), [&](const Digit& g) {
              const int64_t size = mesh.axes[g.axis].size;
              return x / (extents[d] / (g.offset * size)) % size == coordinate(device, g.axis);
            }))
          result[d].push_back(x);
    return result;
  }
};

size_t offset(const std::vector<int64_t>& extents, const std::vector<int64_t>& at) {
  size_t o = 0;
  for (size_t d = 0; d < extents.size(); ++d) o = o * static_cast<size_t>(extents[d]) + static_cast<size_t>(at[d]);
  return o;
}

Tensor empty(const std::vector<int64_t>& extents, double fill = kNothing) {
  size_t n = 1;
  for (int64_t e : extents) n *= static_cast<size_t>(e);
  return {extents, std::vector<double>(n, fill)};
}

double get(const Tensor& t, const std::vector<int64_t>& at) {
  const double v = t.data[offset(t.extents, at)];
  if (std::isnan(v)) throw std::runtime_error("a device reads what it does not hold");
  return v;
}

/// One instance of a body: results, statistics and gradients by node.
struct Frame {
  std::map<ValueId, Sharded> results;                ///< in the layout they were produced in
  std::vector<Sharded> forward;                      ///< per forward node
  std::map<OpId, std::vector<Sharded>> operands;     ///< per operator, as it read them
  std::map<OpId, std::vector<std::vector<std::map<std::vector<int64_t>, double>>>> stats; ///< per operator: stat, device, rest index
};

struct Machine {
  const Program& program;
  Devices devices;
  unsigned seed;
  std::vector<std::vector<Frame>> frames; ///< per unit and instance
  Perturbation perturbation;
  Outcome outcome;

  Machine(const Program& p, unsigned s, Perturbation moved) : program(p), devices(p.mesh), seed(s), perturbation(std::move(moved)) {}
  const Model& model() const { return program.model; }
  std::vector<int64_t> extents(ValueId v) const { return program.extents(model().values[v].dims); }
  std::string nameOf(ValueId v, int64_t instance) const { return model().pathOf(v) + "[" + std::to_string(instance) + "]"; }

  // ---- data ----------------------------------------------------------------

  Tensor draw(ValueId v, int64_t instance) const {
    const Value& value = model().values[v];
    Tensor t = empty(extents(v), 0);
    std::mt19937 random(seed + static_cast<unsigned>(std::hash<std::string>()(nameOf(v, instance))));
    std::uniform_real_distribution<double> real(-1, 1);
    for (double& x : t.data) x = value.dtype && !isFloat(*value.dtype) ? static_cast<double>(random() % 4) : real(random);
    if (nameOf(v, instance) == perturbation.parameter) t.data[perturbation.element] += perturbation.delta;
    return t;
  }
  Sharded scatter(const Tensor& full, const Layout& layout) const {
    Sharded result;
    for (int64_t d = 0; d < devices.count; ++d) {
      result.push_back(empty(full.extents));
      forEach(devices.held(d, full.extents, layout), [&](const auto& at) { result.back().data[offset(full.extents, at)] = full.data[offset(full.extents, at)]; });
    }
    return result;
  }
  Tensor drawParameter(const Unit& unit, ValueId v, int64_t instance) const {
    const ValueId storage = model().values[v].storage.valid() ? model().values[v].storage : v;
    return draw(storage, model().values[storage].region.valid() && unit.repeat ? instance : 0);
  }

  Sharded reshard(const std::vector<int64_t>& e, const std::vector<bool>& loose, Sharded value, const Layout& from, const Layout& to) const {
    for (const ReshardStep& step : ir::reshard(program.mesh, e, loose, from, to)) {
      Sharded next;
      for (int64_t d = 0; d < devices.count; ++d) {
        Tensor t = empty(e);
        const std::vector<int64_t> group = devices.group(d, step.axes);
        const bool sums = step.kind == CollectiveKind::AllReduce || step.kind == CollectiveKind::ReduceScatter;
        forEach(devices.held(d, e, step.after), [&](const auto& at) {
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
  Sharded reshard(ValueId v, Sharded value, const Layout& from, const Layout& to) const {
    return reshard(extents(v), program.loose(model().values[v].dims), std::move(value), from, to);
  }

  // ---- one operator ----------------------------------------------------------

  /// Walks the local iteration space of an operator; positions are global, so that masks agree between devices.
  struct Space {
    std::vector<DimId> dims;
    std::vector<int64_t> extents;
    Indices held;
  };
  Space space(const Op& op, const Placement& placement, int64_t device) const {
    Space s;
    s.dims = op.dims;
    s.extents = program.extents(s.dims);
    s.held = devices.held(device, s.extents, passes::need(program, placement, s.dims));
    return s;
  }
  static std::vector<int64_t> project(const Space& s, const std::vector<int64_t>& at, const std::vector<DimId>& dims) {
    std::vector<int64_t> result;
    for (DimId d : dims) result.push_back(at[static_cast<size_t>(std::find(s.dims.begin(), s.dims.end(), d) - s.dims.begin())]);
    return result;
  }
  Point point(const Op& op, const Kernel& kernel, const Space& s, const std::vector<int64_t>& at, const std::vector<Sharded>& operands, int64_t device) const {
    Point p;
    const size_t terms = op.name == Symbol("linear") ? 2 : op.operands.size();
    for (size_t i = 0; i < terms; ++i) p.args.push_back(get(operands[i][static_cast<size_t>(device)], project(s, at, op.operands[i].dims)));
    for (size_t d = 0; d < s.dims.size(); ++d) {
      p.position = p.position * s.extents[d] + at[d];
      if (model().dims[s.dims[d]].name == Symbol(kernel.along)) p.index = at[d];
    }
    return p;
  }
  std::vector<DimId> rest(const Op& op) const {
    std::vector<DimId> dims;
    for (DimId d : op.resultDims)
      if (std::none_of(op.reduces.begin(), op.reduces.end(), [&](const Reduce& r) { return r.dim == d; })) dims.push_back(d);
    return dims;
  }
  AxisMask reducedAxes(const Op& op, const Placement& placement) const {
    AxisMask m = 0;
    for (const Reduce& r : op.reduces) m |= maskOf(placement.axesOf(r.dim));
    return m;
  }

  using Statistics = std::vector<std::vector<std::map<std::vector<int64_t>, double>>>;
  Statistics statistics(const Op& op, const Placement& placement, int count, const std::function<double(int, const Space&, const std::vector<int64_t>&, int64_t)>& f) const {
    Statistics result(static_cast<size_t>(count), std::vector<std::map<std::vector<int64_t>, double>>(static_cast<size_t>(devices.count)));
    for (int k = 0; k < count; ++k) {
      auto own = result[static_cast<size_t>(k)];
      for (int64_t d = 0; d < devices.count; ++d) {
        const Space s = space(op, placement, d);
        forEach(s.held, [&](const auto& at) { own[static_cast<size_t>(d)][project(s, at, rest(op))] += f(k, s, at, d); });
      }
      for (int64_t d = 0; d < devices.count; ++d)
        for (int64_t g : devices.group(d, reducedAxes(op, placement)))
          for (const auto& [at, v] : own[static_cast<size_t>(g)]) result[static_cast<size_t>(k)][static_cast<size_t>(d)][at] += v;
    }
    return result;
  }
  void fill(const Statistics& s, const std::vector<int64_t>& at, int64_t device, std::vector<double>& out) const {
    for (const auto& stat : s) out.push_back(stat[static_cast<size_t>(device)].at(at));
  }
  /// Dims of the iteration space that are reduced inside the operator and that the result lacks: its terms are equal along them.
  double repeats(const Op& op, const Space& s) const {
    double n = 1;
    for (const Reduce& r : op.reduces)
      if (op.kind == OpKind::Memory && std::find(op.resultDims.begin(), op.resultDims.end(), r.dim) == op.resultDims.end())
        n *= static_cast<double>(s.held[static_cast<size_t>(std::find(s.dims.begin(), s.dims.end(), r.dim) - s.dims.begin())].size());
    return n;
  }

  static const Kernel& kernel(const Op& op) { return kernelOf(op.name == Symbol("linear") ? Symbol("matmul") : op.name); }
  AxisMask contracted(const Op& op, const Placement& placement) const {
    AxisMask m = 0;
    for (DimId d : op.dims)
      if (std::find(op.resultDims.begin(), op.resultDims.end(), d) == op.resultDims.end()) m |= maskOf(placement.axesOf(d));
    return m;
  }

  Sharded compute(const Op& op, OpId id, const Placement& placement, const std::vector<Sharded>& operands, Frame& frame) const {
    const Kernel& k = kernel(op);
    frame.stats[id] = statistics(op, placement, k.stats, [&](int i, const Space& s, const auto& at, int64_t d) { return k.stat(i, point(op, k, s, at, operands, d)); });
    Sharded result;
    for (int64_t d = 0; d < devices.count; ++d) {
      const Space s = space(op, placement, d);
      Tensor t = empty(program.extents(op.resultDims));
      forEach(s.held, [&](const auto& at) {
        Point p = point(op, k, s, at, operands, d);
        if (k.stats) fill(frame.stats[id], project(s, at, rest(op)), d, p.stats);
        double& out = t.data[offset(t.extents, project(s, at, op.resultDims))];
        out = (std::isnan(out) ? 0 : out) + k.term(p) / repeats(op, s);
      });
      if (op.name == Symbol("linear") && devices.first(d, contracted(op, placement))) // one rank of a pending sum adds the bias
        forEach(devices.held(d, t.extents, passes::need(program, placement, op.resultDims)), [&](const auto& at) {
          std::vector<int64_t> b;
          for (DimId dim : op.operands[2].dims)
            b.push_back(at[static_cast<size_t>(std::find(op.resultDims.begin(), op.resultDims.end(), dim) - op.resultDims.begin())]);
          t.data[offset(t.extents, at)] += get(operands[2][static_cast<size_t>(d)], b);
        });
      result.push_back(std::move(t));
    }
    return result;
  }

  /// Gradient of one operand, in the layout that the operator produces it in.
  Sharded gradient(const Op& op, OpId id, const Placement& placement, size_t operand, const std::vector<Sharded>& operands, const Sharded& dy, Frame& frame) const {
    const Kernel& k = kernel(op);
    auto dyAt = [&](const Space& s, const auto& at, int64_t d) { return get(dy[static_cast<size_t>(d)], project(s, at, op.resultDims)); };
    auto full = [&](const Space& s, const auto& at, int64_t d) {
      Point p = point(op, k, s, at, operands, d);
      if (k.stats) fill(frame.stats.at(id), project(s, at, rest(op)), d, p.stats);
      p.dy = dyAt(s, at, d);
      return p;
    };
    Statistics back = statistics(op, placement, k.back, [&](int i, const Space& s, const auto& at, int64_t d) { return k.backStat(i, full(s, at, d)); });
    Sharded result;
    for (int64_t d = 0; d < devices.count; ++d) {
      const Space s = space(op, placement, d);
      Tensor t = empty(program.extents(op.operands[operand].dims));
      const bool bias = op.name == Symbol("linear") && operand == 2;
      double copies = 1; // a bias does not see the contracted dims: count each of its points once
      if (bias)
        for (size_t i = 0; i < s.dims.size(); ++i)
          if (std::find(op.resultDims.begin(), op.resultDims.end(), s.dims[i]) == op.resultDims.end()) copies *= static_cast<double>(s.held[i].size());
      forEach(s.held, [&](const auto& at) {
        double& out = t.data[offset(t.extents, project(s, at, op.operands[operand].dims))];
        Point p = full(s, at, d);
        if (k.back) fill(back, project(s, at, rest(op)), d, p.back);
        const double g = !bias ? k.gradient(static_cast<int>(operand), p) : devices.first(d, contracted(op, placement)) ? p.dy / copies : 0;
        out = (std::isnan(out) ? 0 : out) + g;
      });
      result.push_back(std::move(t));
    }
    return result;
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

  const Body& bodyOf(UnitId u, int64_t instance) const { return program.bodies[passes::bodyOf(program, u, instance)]; }
  int64_t lastOf(UnitId u) const { return model().units[u].repeat ? model().units[u].count - 1 : 0; }

  /// A value as produced (by the last instance, if a repeat made it), and its layout.
  Sharded valueOf(ValueId v, const Frame* own, Layout& layout) const {
    const Value& value = model().values[v];
    if (value.kind == ValueKind::Input) {
      layout = passes::layoutOf(program, v);
      return scatter(draw(v, 0), layout);
    }
    const Op& op = model().ops[value.producer];
    const Frame& frame = own && own->results.count(v) ? *own : frames[op.unit.index][static_cast<size_t>(lastOf(op.unit))];
    const Body& body = bodyOf(op.unit, &frame == own ? static_cast<int64_t>(own - frames[op.unit.index].data()) : lastOf(op.unit));
    layout = body.results[passes::local(model().units[op.unit], value.producer)];
    return frame.results.at(v);
  }

  /// Reshards of carried values stand in seams; without one the layouts must agree.
  Sharded seam(bool backward, ValueId v, Sharded value, const Layout& from, const Layout& to) const {
    if (sameLayout(program.loose(model().values[v].dims), from, to)) return value;
    for (const Body& body : program.bodies)
      if (body.seam)
        for (const Node& n : backward ? body.backward : body.forward)
          if (n.value == v && n.from == from && n.to == to) return reshard(v, std::move(value), from, to);
    throw std::runtime_error("no seam brings " + model().pathOf(v));
  }

  void forward() {
    frames.resize(model().units.size());
    for (uint32_t u = 0; u < model().units.size(); ++u) {
      const Unit& unit = model().units[UnitId(u)];
      frames[u].resize(static_cast<size_t>(unit.repeat ? unit.count : 1));
      for (size_t i = 0; i < frames[u].size(); ++i) forwardInstance(UnitId(u), static_cast<int64_t>(i));
    }
  }

  Sharded enter(const Carry& c, UnitId u, int64_t instance, const Layout& wanted) const {
    Layout from;
    if (instance == 0) {
      Sharded value = valueOf(c.initial, nullptr, from);
      return seam(false, c.initial, std::move(value), from, wanted);
    }
    const Unit& unit = model().units[u];
    const uint32_t out = passes::local(unit, model().values[c.last].producer);
    return seam(false, c.last, frames[u.index][static_cast<size_t>(instance - 1)].results.at(c.last), bodyOf(u, instance - 1).results[out], wanted);
  }

  void forwardInstance(UnitId u, int64_t instance) {
    const Unit& unit = model().units[u];
    const Body& body = bodyOf(u, instance);
    Frame& frame = frames[u.index][static_cast<size_t>(instance)];
    frame.forward.resize(body.forward.size());
    size_t node = 0;
    auto reshardsOf = [&](OpId id) { // nodes before the operator's own
      for (; node < body.forward.size() && body.forward[node].kind == NodeKind::Reshard && body.forward[node].op == id; ++node) {
        const Node& n = body.forward[node];
        Layout from;
        Sharded value = valueOf(n.value, &frame, from);
        if (!(from == n.from))
          for (NodeIndex d : n.deps)
            if (body.forward[d].kind == NodeKind::Reshard && body.forward[d].value == n.value) value = frame.forward[d];
        frame.forward[node] = reshard(n.value, std::move(value), n.from, n.to);
      }
    };
    for (uint32_t i = unit.first.index; i < unit.end.index; ++i) {
      const OpId id(i);
      const Op& op = model().ops[id];
      const Placement& placement = body.placements[passes::local(unit, id)];
      reshardsOf(id);
      std::vector<Sharded> operands;
      for (size_t k = 0; k < op.operands.size(); ++k) operands.push_back(operandOf(body, unit, frame, id, k, u, instance));
      if (op.kind == OpKind::Carry) {
        frame.results[op.result] = operands[0];
        continue;
      }
      frame.results[op.result] = compute(op, id, placement, operands, frame);
      frame.operands[id] = std::move(operands);
      ++node;
    }
  }

  Sharded operandOf(const Body& body, const Unit& unit, Frame& frame, OpId id, size_t k, UnitId u, int64_t instance) const {
    const Op& op = model().ops[id];
    const ValueId v = op.operands[k].value;
    if (model().values[v].kind == ValueKind::Param) {
      for (const ParamState& p : body.params)
        if (p.param == v) return scatter(drawParameter(model().units[model().values[v].unit], v, instance), p.layout);
      throw std::runtime_error("a parameter without a state");
    }
    for (const Carry& c : unit.carries)
      if (c.inside == op.result) return enter(c, u, instance, passes::need(program, body.placements[passes::local(unit, id)], op.operands[k].dims));
    if (const int32_t n = body.brought[passes::local(unit, id)][k]; n >= 0) return frame.forward[static_cast<size_t>(n)];
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
    for (uint32_t u = model().units.size(); u-- > 0;) {
      const Unit& unit = model().units[UnitId(u)];
      std::map<ValueId, Gradient> carried; ///< from the next instance
      for (int64_t i = lastOf(UnitId(u)); i >= 0; --i) backwardInstance(UnitId(u), i, carried);
      for (const Carry& c : unit.carries)
        if (carried.count(c.initial)) outer[c.initial].push_back(carried.at(c.initial));
    }
  }

  /// Each contribution with the layout that the derivation gave it; equal ones are summed before they travel.
  void backwardInstance(UnitId u, int64_t instance, std::map<ValueId, Gradient>& carried) {
    const Unit& unit = model().units[u];
    const Body& body = bodyOf(u, instance);
    Frame& frame = frames[u.index][static_cast<size_t>(instance)];
    std::map<ValueId, std::vector<Gradient>> gradients;
    for (const Carry& c : unit.carries) arrive(body, unit, c, instance, carried, gradients);
    for (uint32_t i = unit.end.index; i-- > unit.first.index;) {
      const OpId id(i);
      const Op& op = model().ops[id];
      auto& mine = gradients[op.result];
      if (op.result == model().loss) mine.push_back(seedGradient(body, unit, id));
      const bool isCarriedOut = std::any_of(unit.carries.begin(), unit.carries.end(), [&](const Carry& c) { return c.last == op.result; });
      if (!isCarriedOut)
        for (Gradient& g : outer[op.result]) mine.push_back(g);
      if (!mine.empty()) backwardOp(body, unit, id, instance, frame, mine, gradients, carried);
    }
  }

  Gradient seedGradient(const Body& body, const Unit& unit, OpId id) const {
    const Op& op = model().ops[id];
    const Layout layout = passes::need(program, body.placements[passes::local(unit, id)], op.resultDims);
    return {layout, scatter(draw(op.result, 0), layout)};
  }

  void arrive(const Body& body, const Unit& unit, const Carry& c, int64_t instance, std::map<ValueId, Gradient>& carried, std::map<ValueId, std::vector<Gradient>>& gradients) {
    const OpId out = model().values[c.last].producer;
    const Layout wanted = passes::need(program, body.placements[passes::local(unit, out)], model().ops[out].resultDims);
    if (instance == unit.count - 1) {
      std::vector<Gradient> sums;
      for (const Gradient& g : outer[c.last]) {
        auto it = std::find_if(sums.begin(), sums.end(), [&](const Gradient& s) { return s.layout == g.layout; });
        if (it == sums.end())
          sums.push_back(g);
        else
          accumulate(it->value, g.value);
      }
      for (Gradient& s : sums) gradients[c.last].push_back({wanted, seam(true, c.last, std::move(s.value), s.layout, wanted)});
    } else if (carried.count(c.initial)) {
      const Gradient& g = carried.at(c.initial);
      gradients[c.last].push_back({wanted, seam(true, c.last, g.value, g.layout, wanted)});
    }
  }

  void backwardOp(const Body& body, const Unit& unit, OpId id, int64_t instance, Frame& frame, const std::vector<Gradient>& mine,
                  std::map<ValueId, std::vector<Gradient>>& gradients, std::map<ValueId, Gradient>& carried) {
    const Op& op = model().ops[id];
    const Placement& placement = body.placements[passes::local(unit, id)];
    AxisMask pending = 0;
    const Sharded dy = gather(body, id, op, placement, mine, pending);
    for (size_t k = 0; k < op.operands.size(); ++k) {
      const Operand& o = op.operands[k];
      const Value& v = model().values[o.value];
      if (v.kind == ValueKind::Input || (v.kind == ValueKind::Param && !v.trainable)) continue;
      const bool passes = op.linear() || op.kind == OpKind::Carry;
      Layout layout = passes && v.kind != ValueKind::Param ? planc::passes::need(program, placement, o.dims) : planc::passes::produced(program, op, placement, o.dims);
      layout.partial |= pending & ~layout.axes();
      Gradient g{layout, passes ? dy : gradient(op, id, placement, k, frame.operands[id], dy, frame)};
      if (v.kind == ValueKind::Param)
        addParameter(body, unit, o.value, instance, std::move(g));
      else if (op.kind == OpKind::Carry && std::any_of(unit.carries.begin(), unit.carries.end(), [&](const Carry& c) { return c.inside == op.result; }))
        carried[o.value] = std::move(g);
      else if (model().ops[v.producer].unit == op.unit)
        gradients[o.value].push_back(std::move(g));
      else
        outer[o.value].push_back(std::move(g));
    }
  }

  /// Follows the body's own reshard nodes: a contribution whose layout differs must have one.
  Sharded gather(const Body& body, OpId id, const Op& op, const Placement& placement, const std::vector<Gradient>& mine, AxisMask& pending) const {
    AxisMask lazy = 0;
    for (DimId d : op.along) lazy |= maskOf(placement.axesOf(d));
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
      Layout wanted = passes::need(program, placement, op.resultDims);
      wanted.partial = s.layout.partial & lazy;
      pending |= wanted.partial;
      if (!sameLayout(program.loose(op.resultDims), s.layout, wanted)) {
        const bool derived = std::any_of(body.backward.begin(), body.backward.end(), [&](const Node& n) {
          return n.kind == NodeKind::Reshard && n.gradient && n.op == id && n.from == s.layout && n.to == wanted;
        });
        if (!derived) throw std::runtime_error("no reshard brings the gradient of " + model().pathOf(op.result));
        s.value = reshard(op.result, std::move(s.value), s.layout, wanted);
      }
      accumulate(total, s.value);
    }
    return total;
  }

  void addParameter(const Body& body, const Unit&, ValueId v, int64_t instance, Gradient g) {
    const ValueId storage = model().values[v].storage.valid() ? model().values[v].storage : v;
    const bool perInstance = model().values[storage].region.valid();
    // Reduced over the axes that the derivation says it is pending over, no others.
    for (const ParamState& p : body.params)
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
    for (size_t i = 0; i < outcome.loss.data.size(); ++i) outcome.objective += outcome.loss.data[i] * seedGradient.data[i];
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

Outcome execute(const Program& program, unsigned seed, const Perturbation& perturbation) {
  Machine machine(program, seed, perturbation);
  machine.forward();
  machine.backward();
  machine.finish();
  return std::move(machine.outcome);
}

double difference(const Outcome& a, const Outcome& b) {
  auto compare = [](const Tensor& x, const Tensor& y) {
    if (x.data.size() != y.data.size()) return std::numeric_limits<double>::infinity();
    double worst = 0, scale = 1e-30;
    for (size_t i = 0; i < x.data.size(); ++i) {
      if (!(std::abs(x.data[i] - y.data[i]) <= std::numeric_limits<double>::max())) return std::numeric_limits<double>::infinity();
      worst = std::max(worst, std::abs(x.data[i] - y.data[i]));
      scale = std::max(scale, std::abs(x.data[i]));
    }
    return worst / scale;
  };
  double worst = compare(a.loss, b.loss);
  if (a.gradients.size() != b.gradients.size()) return std::numeric_limits<double>::infinity();
  for (const auto& [name, t] : a.gradients) {
    auto it = b.gradients.find(name);
    worst = std::max(worst, it == b.gradients.end() ? std::numeric_limits<double>::infinity() : compare(t, it->second));
  }
  return worst;
}

} // namespace planc::oracle
