// Checks level `sharded`: operands have the layouts that placements require, and only nodes change layouts.
// Deliberately independent of the passes: it derives required and produced layouts from the placements again.
// SPDX-License-Identifier: Apache-2.0
#include "ir/verify/Verify.h"

#include <algorithm>
#include <map>

namespace planc::ir {

namespace {

class LayoutVerifier {
public:
  LayoutVerifier(const ProgramHead& program, Findings& out)
      : program_(program), model_(program.model), mesh_(program.mesh), out_(out), names_(program.model) {
    for (AxisId a : mesh_.order) live_ |= maskOf(a);
  }

  void checkOps() {
    for (const ClassHead& layerClass : program_.heads()) {
      if (layerClass.boundaryReshard) continue;
      const Layer& layer = model_.layers[layerClass.layer];
      for (uint32_t i = layer.first.index; i < layer.end.index; ++i) checkOp(layerClass, OpId(i));
    }
  }

  void checkReshards(const ShardedProgram& program) {
    for (const ShardedClass& layerClass : program.classes) {
      checkNodes(layerClass.forward);
      checkNodes(layerClass.backward);
      if (!layerClass.boundaryReshard) checkFlow(layerClass);
    }
  }

private:
  const Placement& placement(const ClassHead& layerClass, OpId op) const {
    return layerClass.placements[op.index - model_.layers[layerClass.layer].first.index];
  }
  const Layout& result(const ClassHead& layerClass, OpId op) const {
    return layerClass.results[op.index - model_.layers[layerClass.layer].first.index];
  }
  Layout need(const Placement& p, const std::vector<DimId>& dims) const {
    std::vector<AxisList> perDim;
    for (DimId d : dims) perDim.push_back(p.axesOf(d));
    return Layout::of(mesh_, perDim);
  }

  // ---- one operator ----------------------------------------------------------

  void checkOp(const ClassHead& layerClass, OpId id) {
    const Op& op = model_.ops[id];
    const Placement& p = placement(layerClass, id);
    std::string path = model_.pathOf(id);
    for (const PlacedDim& d : p.dims) checkPlaced(d, path);
    for (const Operand& o : op.operands) checkOnce(need(p, o.dims), names_.of(o.value), path);
    checkOnce(result(layerClass, id), names_.of(op.result), path);
    checkResult(op, p, result(layerClass, id), path);
  }

  void checkPlaced(const PlacedDim& d, const std::string& path) {
    const Dim& dim = model_.dims[d.dim];
    if (maskOf(d.axes) & ~live_)
      out_.wrong("{}: {} is placed on an axis that the mesh does not have", path, dim.name.view());
    // A stage holds only a part of the model, so an axis of the pipeline cannot also split an operator.
    if (maskOf(d.axes) & program_.stageAxes)
      out_.wrong("{}: {} is placed on an axis of the pipeline", path, dim.name.view());
    if (dim.kind == DimKind::Basic && !d.uneven && dim.extent % mesh_.size(d.axes) != 0)
      out_.wrong("{}: {} ({}) is not divisible by {} ({})", path, dim.name.view(), dim.extent, mesh_.str(d.axes),
                 mesh_.size(d.axes));
  }

  /// Checks that an axis shards a value at most once and is not also a pending sum.
  void checkOnce(const Layout& layout, const std::string& value, const std::string& path) {
    AxisMask seen = 0;
    for (const Digit& d : layout.shard.digits()) {
      if (seen & maskOf(d.axis)) out_.wrong("{}: {} shards {} twice", path, mesh_.str(maskOf(d.axis)), value);
      seen |= maskOf(d.axis);
    }
    if (seen & layout.partial)
      out_.wrong("{}: {} is both sharded and a pending sum over {}", path, value, mesh_.str(seen & layout.partial));
    if ((seen | layout.partial) & ~live_)
      out_.wrong("{}: {} is sharded over an axis that the mesh does not have", path, value);
  }

  /// Checks that the result has the placed layout. A contraction also leaves a pending sum over the axes of every
  /// dimension that the result lacks.
  void checkResult(const Op& op, const Placement& p, const Layout& result, const std::string& path) {
    Layout plain = need(p, op.resultDims);
    if (plain.shard != result.shard)
      out_.wrong("{}: the layout of the result is {}, but its placement requires {}", path, text(op.resultDims, result),
                 text(op.resultDims, plain));
    if (!isContraction(op.kind) && op.kind != OpKind::Scores && op.kind != OpKind::Context) return;
    AxisMask pending = 0;
    for (const PlacedDim& d : p.dims)
      if (!d.ring && holds(op.dims, d.dim) && !holds(op.resultDims, d.dim)) pending |= maskOf(d.axes);
    pending &= ~plain.axes();
    if ((result.partial & pending) != many(pending))
      out_.wrong("{}: the sum over {} is lost", path, mesh_.str(pending & ~result.partial));
  }

  AxisMask many(AxisMask mask) const {
    AxisMask m = 0;
    for (AxisId a : mesh_.list(mask))
      if (mesh_.axes[a].size > 1) m |= maskOf(a);
    return m;
  }
  std::string text(const std::vector<DimId>& dims, const Layout& l) const { return layoutText(mesh_, model_, dims, l); }

  // ---- nodes -----------------------------------------------------------------

  void checkNodes(const std::vector<ShardedNode>& nodes) {
    for (const ShardedNode& n : nodes) {
      const Reshard* r = n.asReshard();
      if (!r) continue;
      std::string value = names_.of(r->value);
      size_t dims = model_.values[r->value].dims.size();
      if (r->from.shard.size() != dims || r->to.shard.size() != dims) {
        out_.wrong("the reshard of {} has {} dimensions, but the value has {}", value, r->to.shard.size(), dims);
        continue;
      }
      checkOnce(r->from, value, "reshard");
      checkOnce(r->to, value, "reshard");
      if (r->to.partial & ~r->from.partial) out_.wrong("the reshard of {} makes a pending sum", value);
    }
  }

  // ---- values along the forward list ------------------------------------------

  /// The layouts in which a value is available. `unknown`: an unchecked class produced it (inputs, carried values).
  struct AtHand {
    std::vector<Layout> layouts;
    bool unknown = false;
  };

  AtHand produced(const ClassHead& layerClass, ValueId v) const {
    AtHand at;
    const Value& value = model_.values[v];
    at.unknown = value.kind != ValueKind::Result;
    if (at.unknown) return at;
    const Op& producer = model_.ops[value.producer];
    if (producer.layer == layerClass.layer) {
      at.layouts.push_back(result(layerClass, value.producer));
      return at;
    }
    for (const ClassHead& other : program_.heads()) // the last instance may belong to any class
      if (!other.boundaryReshard && other.layer == producer.layer) at.layouts.push_back(result(other, value.producer));
    return at;
  }

  bool entersRepeat(const Layer& layer, const Op& op) const {
    return op.kind == OpKind::Carry && std::any_of(layer.carries.begin(), layer.carries.end(),
                                                   [&](const Carry& c) { return c.inside == op.result; });
  }

  void checkFlow(const ShardedClass& layerClass) {
    const Layer& layer = model_.layers[layerClass.layer];
    std::map<ValueId, AtHand> values;
    auto atHand = [&](ValueId v) -> AtHand& {
      auto [it, fresh] = values.try_emplace(v);
      if (fresh) it->second = produced(layerClass, v);
      return it->second;
    };
    std::vector<int> computed(layer.end.index - layer.first.index);
    for (const ShardedNode& n : layerClass.forward) {
      if (const Computation* c = n.asCompute(); c && c->role == Role::Forward) {
        checkReads(layerClass, n.op, atHand);
        ++computed[n.op.index - layer.first.index];
      } else if (const Reshard* r = n.asReshard()) {
        move(*r, atHand(r->value));
      }
    }
    for (uint32_t i = layer.first.index; i < layer.end.index; ++i) {
      const Op& op = model_.ops[OpId(i)];
      int times = computed[i - layer.first.index];
      // A carry is an identity without a node. A boundary reshard changes the layout on entry into the repeat.
      if (op.kind == OpKind::Carry) {
        if (!entersRepeat(layer, op)) checkReads(layerClass, OpId(i), atHand);
        if (result(layerClass, OpId(i)).partial) out_.wrong("L8: {} carries a pending sum", model_.pathOf(OpId(i)));
      } else if (times != 1) {
        out_.wrong("{} is computed {} times in forward", model_.pathOf(OpId(i)), times);
      }
    }
    for (const ValueId loss : model_.losses)
      if (model_.ops[model_.values[loss].producer].layer == layerClass.layer) checkOutput(loss, atHand);
  }

  void move(const Reshard& r, AtHand& value) {
    value.layouts.push_back(r.to);
    if (value.unknown) return;
    bool known = std::find(value.layouts.begin(), value.layouts.end() - 1, r.from) != value.layouts.end() - 1;
    if (!known)
      out_.wrong("the reshard of {} begins with layout {}, which the value does not have", names_.of(r.value),
                 text(model_.values[r.value].dims, r.from));
  }

  template <class AtHandOf> void checkReads(const ClassHead& layerClass, OpId id, AtHandOf& atHand) {
    const Op& op = model_.ops[id];
    for (const Operand& o : op.operands) {
      Layout wanted = need(placement(layerClass, id), o.dims);
      if (model_.values[o.value].kind == ValueKind::Param) {
        checkParam(layerClass, o, wanted, id);
        continue;
      }
      const AtHand& at = atHand(o.value);
      if (at.unknown) continue;
      std::vector<bool> unordered = program_.unordered(o.dims);
      bool found = std::any_of(at.layouts.begin(), at.layouts.end(), [&](const Layout& l) {
        Layout asked = wanted;
        if (op.linear) asked.partial = l.partial; // pending sums may pass: docs/language.md, section 10
        return sameLayout(unordered, l, asked);
      });
      if (found) continue;
      bool onlyPartial = std::any_of(at.layouts.begin(), at.layouts.end(),
                                     [&](const Layout& l) { return l.partial != 0 && l.shard == wanted.shard; });
      if (onlyPartial)
        out_.wrong("L8: {} reads the pending sum {}", model_.pathOf(id), names_.of(o.value));
      else
        out_.wrong("{} reads {} as {}, but its layout is {}", model_.pathOf(id), names_.of(o.value),
                   text(o.dims, wanted), text(o.dims, at.layouts.empty() ? Layout{} : at.layouts.back()));
    }
    checkSum(layerClass, id, atHand);
  }

  /// Checks a linear operator that passes pending sums: all its operands must be pending over the same axes.
  template <class AtHandOf> void checkSum(const ClassHead& layerClass, OpId id, AtHandOf& atHand) {
    const Op& op = model_.ops[id];
    AxisMask pending = op.linear ? result(layerClass, id).partial : 0;
    for (const Operand& o : op.operands) {
      if (!pending || model_.values[o.value].kind == ValueKind::Param) continue;
      const AtHand& at = atHand(o.value);
      bool same = at.unknown || std::any_of(at.layouts.begin(), at.layouts.end(),
                                            [&](const Layout& l) { return l.partial == pending; });
      if (!same)
        out_.wrong("L8: {} adds {} to a pending sum over {}", model_.pathOf(id), names_.of(o.value),
                   mesh_.str(pending));
    }
  }

  void checkParam(const ClassHead& layerClass, const Operand& o, const Layout& wanted, OpId id) {
    for (const ParamUse& p : layerClass.uses)
      if (p.param == o.value && p.layout != wanted)
        out_.wrong("{} reads {} as {}, but it is stored as {}", model_.pathOf(id), names_.of(o.value),
                   text(o.dims, wanted), text(o.dims, p.layout));
  }

  template <class AtHandOf> void checkOutput(ValueId loss, AtHandOf& atHand) {
    const AtHand& at = atHand(loss);
    bool whole = std::any_of(at.layouts.begin(), at.layouts.end(), [](const Layout& l) { return l.partial == 0; });
    if (!whole && !at.unknown) out_.wrong("L8: the output {} is a pending sum", names_.of(loss));
  }

  const ProgramHead& program_;
  const Model& model_;
  const Mesh& mesh_;
  Findings& out_;
  ValueNames names_;
  AxisMask live_ = 0;
};

} // namespace

void verifyLayouts(const ProgramHead& program, Findings& out) {
  LayoutVerifier(program, out).checkOps();
}

void verifyReshards(const ShardedProgram& program, Findings& out) {
  LayoutVerifier(program, out).checkReshards(program);
}

} // namespace planc::ir
