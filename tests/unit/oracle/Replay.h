// What backward reads is what forward made: runs the backward list of every instance in an order drawn at random, with
// nothing at hand but what forward keeps, and compares what is done again with what was there before.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "OperatorRun.h"

#include <optional>
#include <random>
#include <set>
#include <stdexcept>

namespace planc::oracle {

/// One instance of a layerClass. `Machine` has run forward.
template <class Machine> class Replay {
public:
  Replay(Machine& machine, LayerId layer, int64_t instance)
      : machine_(machine), layerId_(layer), layer_(machine.model().layers[layer]), instance_(instance),
        layerClass_(machine.classOf(layer, instance)),
        frame_(machine.frames[layer.index][static_cast<size_t>(instance)]), made_(layerClass_.backward.size()),
        known_(layerClass_.backward.size()) {
    remember();
  }

  /// The largest relative difference.
  double run(std::mt19937& random) {
    std::vector<size_t> waiting(layerClass_.backward.size());
    for (size_t i = 0; i < waiting.size(); ++i) waiting[i] = i;
    while (!waiting.empty()) {
      std::vector<size_t> ready;
      for (size_t w = 0; w < waiting.size(); ++w)
        if (std::none_of(layerClass_.backward[waiting[w]].deps.begin(), layerClass_.backward[waiting[w]].deps.end(),
                         [&](NodeIndex d) { return std::find(waiting.begin(), waiting.end(), d) != waiting.end(); }))
          ready.push_back(w);
      const size_t next = ready[random() % ready.size()];
      execute(waiting[next]);
      waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(next));
    }
    return worst_;
  }
  int replayed() const { return replayed_; }

private:
  struct Held {
    Layout layout;
    Sharded value;
  };
  const Model& model() const { return machine_.model(); }
  const Placement& placement(OpId id) const { return layerClass_.placements[passes::local(layer_, id)]; }
  bool same(ValueId v, const Layout& a, const Layout& b) const {
    return sameLayout(machine_.program.unordered(model().values[v].dims), a, b);
  }

  /// What forward keeps, each in the layout that it is kept in.
  void remember() {
    for (const Saved& s : layerClass_.saved) {
      if (!s.buffer.empty()) {
        buffers_.insert(s.op);
        continue;
      }
      const Op& reader = model().ops[s.op];
      Layout layout;
      Sharded value;
      if (reader.kind == OpKind::Carry && reader.result != s.value) { // as it enters this instance
        layout = passes::need(machine_.program, placement(s.op), reader.operands[0].dims);
        value = frame_.results.at(reader.result);
      } else {
        value = machine_.valueOf(s.value, &frame_, layout);
      }
      memory_[s.value].push_back({s.layout, machine_.reshard(s.value, std::move(value), layout, s.layout)});
    }
  }

  /// The value in a layout: made by a node that `node` waits for, or kept.
  Sharded find(size_t node, ValueId v, const Layout& layout) const {
    if (model().values[v].kind == ValueKind::Input) {
      Layout there;
      Sharded value = machine_.valueOf(v, &frame_, there);
      return machine_.reshard(v, std::move(value), there, layout);
    }
    for (size_t before : known_[node]) {
      const ShardedNode& n = layerClass_.backward[before];
      if (const Reshard* r = n.asReshard(); r && !r->gradient && r->value == v && passes(n.op, *r, layout))
        return machine_.reshard(v, *made_[before], r->to, layout);
      if (isReplay(n) && model().ops[n.op].result == v &&
          same(v, layerClass_.results[passes::local(layer_, n.op)], layout))
        return *made_[before];
    }
    if (const auto kept = memory_.find(v); kept != memory_.end())
      for (const Held& h : kept->second)
        if (same(v, h.layout, layout)) return h.value;
    const Op& producer = model().ops[model().values[v].producer];
    if (producer.kind == OpKind::Carry && producer.layer == layerId_) // an identity
      return find(node, producer.operands[0].value, layout);
    throw std::runtime_error("backward reads " + model().pathOf(v) + ", which is neither kept nor made again");
  }

  /// Does the value come by in this layout, at the end of the reshard or on the way?
  bool passes(OpId op, const Reshard& r, const Layout& layout) const {
    if (same(r.value, r.to, layout)) return true;
    const auto steps = ir::reshard(machine_.program.mesh, machine_.program.extents(model().values[r.value].dims),
                                   machine_.program.unordered(r, op), r.from, r.to);
    return std::any_of(steps.begin(), steps.end(),
                       [&](const ReshardStep& s) { return same(r.value, s.after, layout); });
  }

  static bool isReplay(const ShardedNode& n) {
    return n.isCompute() && n.phase == Phase::Recompute && n.compute().role == Role::Forward;
  }

  void execute(size_t node) {
    const ShardedNode& n = layerClass_.backward[node];
    for (NodeIndex d : n.deps) {
      known_[node].insert(d);
      known_[node].insert(known_[d].begin(), known_[d].end());
    }
    if (const Reshard* r = n.asReshard(); r && !r->gradient) {
      made_[node] = machine_.reshard(r->value, find(node, r->value, r->from), r->from, r->to);
    } else if (isReplay(n)) {
      replay(node, n);
    } else if (n.isCompute() && n.phase == Phase::Backward) {
      read(node, n.op, n.compute());
    }
  }

  /// The operator again, from what it can have.
  void replay(size_t node, const ShardedNode& n) {
    const Op& op = model().ops[n.op];
    std::vector<Sharded> operands;
    for (size_t k = 0; k < op.operands.size(); ++k) {
      const ValueId v = op.operands[k].value;
      if (model().values[v].kind == ValueKind::Param) {
        operands.push_back(machine_.operandOf(layerClass_, layer_, frame_, n.op, k, layerId_, instance_));
        continue;
      }
      const int32_t brought = layerClass_.brought[passes::local(layer_, n.op)][k];
      operands.push_back(
          find(node, v, brought >= 0 ? layerClass_.forward[static_cast<size_t>(brought)].reshard().to : asMade(v)));
    }
    machine_.passRound(op, placement(n.op), operands);
    Frame scratch;
    made_[node] = machine_.compute(op, n.op, OperatorRun::withoutRing(placement(n.op)), operands, scratch);
    compare(*made_[node], frame_.results.at(op.result));
    ++replayed_;
  }
  Layout asMade(ValueId v) const {
    Layout layout;
    machine_.valueOf(v, &frame_, layout);
    return layout;
  }

  /// What the gradient reads, against what forward read.
  void read(size_t node, OpId id, const Computation& c) {
    if (c.role != Role::Backward && c.role != Role::DGrad && c.role != Role::WGrad) return;
    const Op& op = model().ops[id];
    for (const Save& s : op.saves) {
      if (s.what == Save::What::Result)
        compare(find(node, op.result, layerClass_.results[passes::local(layer_, id)]), frame_.results.at(op.result));
      if (s.what == Save::What::Buffer) needBuffer(node, id);
      if (s.what != Save::What::Operand || (isContraction(op.kind) && s.operand == c.operand)) continue;
      const size_t k = static_cast<size_t>(s.operand);
      const ValueId v = op.operands[k].value;
      if (model().values[v].kind != ValueKind::Result) continue;
      std::vector<Sharded> one(op.operands.size());
      const Layout layout = passes::need(machine_.program, placement(id), op.operands[k].dims);
      const Layout whole = passes::need(machine_.program, OperatorRun::withoutRing(placement(id)), op.operands[k].dims);
      compare(machine_.reshard(op.operands[k].dims, find(node, v, layout), layout, whole), frame_.operands.at(id)[k]);
    }
  }
  void needBuffer(size_t node, OpId id) const {
    if (buffers_.count(id)) return;
    for (size_t before : known_[node])
      if (isReplay(layerClass_.backward[before]) && layerClass_.backward[before].op == id) return;
    throw std::runtime_error("backward reads what " + model().pathOf(id) +
                             " leaves, which is neither kept nor made again");
  }

  void compare(const Sharded& a, const Sharded& b) {
    for (size_t d = 0; d < a.size(); ++d)
      for (size_t i = 0; i < a[d].data.size(); ++i) {
        const double x = a[d].data[i], y = b[d].data[i];
        if (std::isnan(x) != std::isnan(y))
          throw std::runtime_error("a device holds another part of what is done again");
        if (!std::isnan(x)) worst_ = std::max(worst_, std::abs(x - y) / std::max(1.0, std::abs(y)));
      }
  }

  Machine& machine_;
  LayerId layerId_;
  const Layer& layer_;
  int64_t instance_;
  const ShardedClass& layerClass_;
  Frame& frame_;
  std::vector<std::optional<Sharded>> made_; ///< per backward node
  std::vector<std::set<size_t>> known_;      ///< per backward node: all that ended before it began
  std::map<ValueId, std::vector<Held>> memory_;
  std::set<OpId> buffers_;
  double worst_ = 0;
  int replayed_ = 0;
};

} // namespace planc::oracle
