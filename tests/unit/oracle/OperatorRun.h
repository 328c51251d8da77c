// Runs one operator on every device: its kernel over the local iteration space, statistics summed over the devices that
// share them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "Devices.h"
#include "Kernels.h"
#include "passes/lower/Lowering.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace planc::oracle {

/// One instance of a layerClass: results, statistics and gradients by node.
struct Frame {
  std::map<ValueId, Sharded> results;            ///< in the layout they were produced in
  std::vector<Sharded> forward;                  ///< per forward node
  std::map<OpId, std::vector<Sharded>> operands; ///< per operator, as it read them
  std::map<OpId, std::vector<Sharded>> stats;    ///< per operator: every statistic on every device
};

/// Forward and backward of single operators of a program.
struct OperatorRun {
  const ProgramHead& program;
  Devices devices;

  explicit OperatorRun(const ProgramHead& p) : program(p), devices(p.mesh) { findTokens(); }
  const Model& model() const { return program.model; }

  // A routed dimension (slots) is run as the tokens that it stands for, of which each expert sees those that chose it
  // and zeros elsewhere: the order of slots depends on data and means nothing. `tokens` says which tokens the ranks of
  // an axis hold; plans of routed models place batch and seq alike everywhere.
  std::map<AxisId, std::pair<DimId, Digit>> tokens;

  /// From the operators that carry tokens to slots and back.
  void findTokens() {
    for (const ClassHead& layerClass : program.heads()) {
      const Layer& layer = model().layers[layerClass.layer];
      for (size_t i = 0; i < layerClass.placements.size(); ++i) {
        const Op& op = model().ops[OpId(layer.first.index + static_cast<uint32_t>(i))];
        for (DimId routed : op.dims)
          for (DimId part : model().dims[routed].parts)
            if (model().dims[routed].kind == DimKind::Routed &&
                std::find(op.dims.begin(), op.dims.end(), part) != op.dims.end()) {
              const Layout layout = Layout::of(program.mesh, {layerClass.placements[i].axesOf(part)});
              for (const Digit& digit : layout.shard[0]) tokens[digit.axis] = {part, digit};
            }
      }
    }
  }
  std::vector<DimId> flat(const std::vector<DimId>& dims) const {
    std::vector<DimId> out;
    auto has = [](const std::vector<DimId>& list, DimId d) {
      return std::find(list.begin(), list.end(), d) != list.end();
    };
    for (DimId d : dims) {
      if (model().dims[d].kind != DimKind::Routed)
        out.push_back(d);
      else
        for (DimId part : model().dims[d].parts)
          if (!has(dims, part)) out.push_back(part);
    }
    return out;
  }
  Layout flat(const std::vector<DimId>& dims, const Layout& layout) const {
    const std::vector<DimId> to = flat(dims);
    Layout out;
    out.shard.resize(to.size());
    out.partial = layout.partial;
    auto at = [&](DimId d) { return static_cast<size_t>(std::find(to.begin(), to.end(), d) - to.begin()); };
    for (size_t i = 0; i < dims.size(); ++i) {
      if (model().dims[dims[i]].kind != DimKind::Routed) {
        out.shard.set(at(dims[i]), layout.shard[i]);
        continue;
      }
      for (const Digit& g : layout.shard[i]) {
        const auto& [part, digit] = tokens.at(g.axis);
        if (std::find(dims.begin(), dims.end(), part) == dims.end()) out.shard.add(at(part), digit);
      }
    }
    return out;
  }
  std::vector<int64_t> flatExtents(const std::vector<DimId>& dims) const { return program.extents(flat(dims)); }

  /// What rotates passes every device by: the operator works as if it were whole.
  static Placement withoutRing(Placement placement) {
    for (PlacedDim& p : placement.dims)
      if (p.ring) p.axes.clear();
    return placement;
  }

  /// The local iteration space of an operator.
  struct Space {
    std::vector<int64_t> extents;
    Indices held;
  };
  Space space(const Op& op, const Placement& placement, int64_t device) const {
    Space s;
    s.extents = flatExtents(op.dims);
    s.held = devices.held(device, s.extents, flat(op.dims, passes::need(program, placement, op.dims)));
    return s;
  }
  /// Strides of a tensor over `dims`, per dimension of the operator's iteration space.
  Strides strides(const Op& op, const std::vector<DimId>& logical) const {
    const std::vector<DimId> space = flat(op.dims), dims = flat(logical);
    Strides result(space.size());
    size_t stride = 1;
    for (size_t d = dims.size(); d-- > 0;) {
      result[static_cast<size_t>(std::find(space.begin(), space.end(), dims[d]) - space.begin())] = stride;
      stride *= static_cast<size_t>(model().dims[dims[d]].extent);
    }
    return result;
  }

  /// What the points of an operator share: where its operands lie, and which index its kernel looks at.
  struct View {
    const Kernel& kernel;
    std::vector<Strides> operands;
    Strides result, rest, position;
    int along = -1;
    int batch = -1, seq = -1, choice = -1, expert = -1; ///< of routing kernels
    int64_t experts = 1, choices = 1;
  };
  View viewOf(const Op& op) const {
    View v{kernel(op), {}, strides(op, op.resultDims), strides(op, rest(op)), strides(op, op.dims)};
    const size_t terms = hasBias(op) ? 2 : op.operands.size(); // the bias is not a factor
    for (size_t i = 0; i < terms; ++i) v.operands.push_back(strides(op, op.operands[i].dims));
    const std::vector<DimId> space = flat(op.dims);
    for (size_t d = 0; d < space.size(); ++d) {
      const Dim& dim = model().dims[space[d]];
      if (dim.name == Symbol(v.kernel.along)) v.along = static_cast<int>(d);
      if (!v.kernel.routes) continue;
      if (dim.name == Symbol("batch")) v.batch = static_cast<int>(d);
      if (dim.name == Symbol("seq")) v.seq = static_cast<int>(d);
      if (dim.name == Symbol("k")) v.choice = static_cast<int>(d), v.choices = dim.extent;
      if (dim.name == Symbol("experts")) v.expert = static_cast<int>(d), v.experts = dim.extent;
    }
    return v;
  }
  static void fill(Point& p, const View& v, const std::vector<int64_t>& at, const std::vector<Sharded>& operands,
                   size_t device) {
    p.args.resize(v.operands.size());
    for (size_t i = 0; i < v.operands.size(); ++i) p.args[i] = read(operands[i][device], dot(v.operands[i], at));
    p.position = static_cast<int64_t>(dot(v.position, at));
    p.index = v.along < 0 ? 0 : at[static_cast<size_t>(v.along)];
    if (!v.kernel.routes) return;
    auto index = [&](int d) { return at[static_cast<size_t>(d)]; };
    const int64_t token = index(v.batch) + index(v.seq);
    p.chosen = index(v.expert) == v.choices * (token % (v.experts / v.choices)) + index(v.choice);
  }
  static void fillStatistics(std::vector<double>& out, const std::vector<Sharded>& stats, size_t o, size_t device) {
    out.resize(stats.size());
    for (size_t k = 0; k < stats.size(); ++k) out[k] = stats[k][device].data[o];
  }

  std::vector<DimId> rest(const Op& op) const {
    std::vector<DimId> dims;
    for (DimId d : op.resultDims)
      if (std::none_of(op.reduces.begin(), op.reduces.end(), [&](const Reduce& r) { return r.dim == d; }))
        dims.push_back(d);
    return dims;
  }
  AxisMask reducedAxes(const Op& op, const Placement& placement) const {
    AxisMask m = 0;
    for (const Reduce& r : op.reduces) m |= maskOf(placement.axesOf(r.dim));
    return m;
  }

  /// Sums over the reduced dimension, over all devices that share it. `f(k, at, device)` is the term of statistic k.
  template <class F>
  std::vector<Sharded> statistics(const Op& op, const Placement& placement, const View& v, int count, F f) const {
    std::vector<Sharded> result;
    for (int k = 0; k < count; ++k) {
      Sharded own;
      for (int64_t d = 0; d < devices.count; ++d) {
        own.push_back(empty(program.extents(rest(op)), 0));
        forEach(space(op, placement, d).held,
                [&](const auto& at) { own.back().data[dot(v.rest, at)] += f(k, at, static_cast<size_t>(d)); });
      }
      Sharded sum;
      for (int64_t d = 0; d < devices.count; ++d) {
        sum.push_back(empty(program.extents(rest(op)), 0));
        for (int64_t g : devices.group(d, reducedAxes(op, placement)))
          for (size_t i = 0; i < sum.back().data.size(); ++i) sum.back().data[i] += own[static_cast<size_t>(g)].data[i];
      }
      result.push_back(std::move(sum));
    }
    return result;
  }
  /// Dims of the iteration space that are reduced inside the operator and that the result lacks: its terms are equal
  /// along them.
  double repeats(const Op& op, const Space& s) const {
    double n = 1;
    for (const Reduce& r : op.reduces)
      if (op.kind == OpKind::Memory &&
          std::find(op.resultDims.begin(), op.resultDims.end(), r.dim) == op.resultDims.end())
        n *= static_cast<double>(
            s.held[static_cast<size_t>(std::find(op.dims.begin(), op.dims.end(), r.dim) - op.dims.begin())].size());
    return n;
  }

  /// Products whose third operand is added to the result.
  static bool hasBias(const Op& op) { return op.name == Symbol("linear") || op.name == Symbol("linear_kv"); }
  static const Kernel& kernel(const Op& op) { return kernelOf(hasBias(op) ? Symbol("matmul") : op.name); }
  AxisMask contracted(const Op& op, const Placement& placement) const {
    AxisMask m = 0;
    for (DimId d : op.dims)
      if (std::find(op.resultDims.begin(), op.resultDims.end(), d) == op.resultDims.end())
        m |= maskOf(placement.axesOf(d));
    return m;
  }

  Sharded compute(const Op& op, OpId id, const Placement& placement, const std::vector<Sharded>& operands,
                  Frame& frame) const {
    const View v = viewOf(op);
    Point p;
    const std::vector<Sharded>& stats = frame.stats[id] =
        statistics(op, placement, v, v.kernel.stats, [&](int i, const auto& at, size_t d) {
          fill(p, v, at, operands, d);
          return v.kernel.stat(i, p);
        });
    Sharded result;
    for (int64_t d = 0; d < devices.count; ++d) {
      const size_t device = static_cast<size_t>(d);
      const Space s = space(op, placement, d);
      const double copies = repeats(op, s);
      Tensor t = empty(flatExtents(op.resultDims));
      forEach(s.held, [&](const auto& at) {
        fill(p, v, at, operands, device);
        fillStatistics(p.stats, stats, dot(v.rest, at), device);
        double& out = t.data[dot(v.result, at)];
        out = (std::isnan(out) ? 0 : out) + v.kernel.term(p) / copies;
      });
      if (hasBias(op) && devices.first(d, contracted(op, placement))) addBias(op, placement, operands[2], d, t);
      result.push_back(std::move(t));
    }
    return result;
  }

  /// One rank of a pending sum adds the bias.
  void addBias(const Op& op, const Placement& placement, const Sharded& bias, int64_t d, Tensor& t) const {
    forEach(devices.held(d, t.extents, passes::need(program, placement, op.resultDims)), [&](const auto& at) {
      std::vector<int64_t> b;
      for (DimId dim : op.operands[2].dims)
        b.push_back(at[static_cast<size_t>(std::find(op.resultDims.begin(), op.resultDims.end(), dim) -
                                           op.resultDims.begin())]);
      t.data[offset(t.extents, at)] += get(bias[static_cast<size_t>(d)], b);
    });
  }

  /// Gradient of one operand, in the layout that the operator produces it in.
  Sharded gradient(const Op& op, OpId id, const Placement& placement, size_t operand,
                   const std::vector<Sharded>& operands, const Sharded& dy, Frame& frame) const {
    const View v = viewOf(op);
    const Strides target = strides(op, op.operands[operand].dims);
    Point p;
    const std::vector<Sharded>& stats = frame.stats.at(id);
    auto full = [&](const auto& at, size_t d) {
      fill(p, v, at, operands, d);
      fillStatistics(p.stats, stats, dot(v.rest, at), d);
      p.dy = read(dy[d], dot(v.result, at));
    };
    const std::vector<Sharded> back = statistics(op, placement, v, v.kernel.back, [&](int i, const auto& at, size_t d) {
      full(at, d);
      return v.kernel.backStat(i, p);
    });
    const bool bias = hasBias(op) && operand == 2;
    Sharded result;
    for (int64_t d = 0; d < devices.count; ++d) {
      const size_t device = static_cast<size_t>(d);
      const Space s = space(op, placement, d);
      Tensor t = empty(flatExtents(op.operands[operand].dims));
      double copies = 1; // a bias does not see the contracted dims: count each of its points once
      if (bias)
        for (size_t i = 0; i < op.dims.size(); ++i)
          if (std::find(op.resultDims.begin(), op.resultDims.end(), op.dims[i]) == op.resultDims.end())
            copies *= static_cast<double>(s.held[i].size());
      const bool counts = !bias || devices.first(d, contracted(op, placement));
      forEach(s.held, [&](const auto& at) {
        full(at, device);
        fillStatistics(p.back, back, dot(v.rest, at), device);
        double& out = t.data[dot(target, at)];
        const double g = bias ? (counts ? p.dy / copies : 0) : v.kernel.gradient(static_cast<int>(operand), p);
        out = (std::isnan(out) ? 0 : out) + g;
      });
      result.push_back(std::move(t));
    }
    return result;
  }
};

} // namespace planc::oracle
