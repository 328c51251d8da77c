// Prints level `model`.
// SPDX-License-Identifier: Apache-2.0
#include "ir/layout/Routed.h"
#include "ir/print/Names.h"

#include <fmt/format.h>
#include <iterator>

namespace planc::ir {

namespace {

class ModelPrinter {
public:
  explicit ModelPrinter(const Model& model) : model_(model), names_(model) {}

  std::string run() {
    line("model {} {{", model_.name.view());
    ++depth_;
    printDims();
    for (ValueId v : model_.inputs) line("input {}", typed(v, {}));
    printParams({});
    for (uint32_t l = 0; l < model_.layers.size(); ++l) printLayer(LayerId(l));
    for (const ValueId loss : model_.losses) line("loss {}", names_.of(loss));
    --depth_;
    line("}}");
    return out_;
  }

private:
  template <class... Args> void line(fmt::format_string<Args...> format, Args&&... args) {
    out_.append(2 * depth_, ' ');
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  void printDims() {
    for (const Dim& d : model_.dims) {
      std::string kind;
      if (d.kind == DimKind::Routed)
        kind = fmt::format(" routed{} * {}", dimsText(model_, d.parts), numberText(d.scale));
      else if (d.kind == DimKind::Pooled)
        kind = fmt::format(" pooled{} / {}", dimsText(model_, d.parts), numberText(1 / d.scale));
      else if (d.kind == DimKind::Following)
        kind = fmt::format(" follows{}", dimsText(model_, d.parts));
      line("dim {} = {}{}", d.name.view(), numberText(sizeOf(model_, d)), kind);
    }
    for (const Composite& c : model_.composites) {
      std::string factors;
      for (DimId f : c.factors)
        factors += fmt::format("{}{}", factors.empty() ? "" : " * ", model_.dims[f].name.view());
      line("dim {} = {}", c.name.view(), factors);
    }
  }

  /// `%x : [batch, seq] int32`. The element type is printed only if it was declared.
  std::string typed(ValueId id, LayerId scope) {
    const Value& v = model_.values[id];
    return fmt::format("{} : {}{}{}", names_.of(id, scope), dimsText(model_, v.dims), v.dtype ? " " : "",
                       v.dtype ? name(*v.dtype) : "");
  }

  /// Prints the parameters that the layer declares; for an invalid id, the parameters outside of every layer.
  void printParams(LayerId layer) {
    for (ValueId id : model_.params) {
      const Value& v = model_.values[id];
      if (v.layer != layer) continue;
      std::string facts;
      if (v.storage.valid() && v.storage != id) facts += " tied " + names_.of(v.storage);
      if (!v.trainable) facts += " frozen";
      line("param {}{}", typed(id, layer), facts);
    }
  }

  void printLayer(LayerId id) {
    const Layer& layer = model_.layers[id];
    std::string times;
    if (layer.repeat) times = fmt::format(" x{}", layer.count);
    line("layer {}{} {{", layer.ref().str(), times);
    ++depth_;
    printParams(id);
    for (const Carry& c : layer.carries)
      line("carry {}: {} -> {} -> {}", c.name.view(), names_.of(c.initial, id), names_.of(c.inside, id),
           names_.of(c.last, id));
    RegionId open = layer.region;
    for (uint32_t i = layer.first.index; i < layer.end.index; ++i) {
      moveTo(model_.ops[OpId(i)].region, open, layer.region);
      printOp(model_.ops[OpId(i)], id);
    }
    moveTo(layer.region, open, layer.region);
    --depth_;
    line("}}");
  }

  /// Closes and opens nested repeats until `open` equals `to`.
  void moveTo(RegionId to, RegionId& open, RegionId root) {
    auto isInside = [&](RegionId region, RegionId outer) {
      for (; region.valid() && region != root; region = model_.regions[region].parent)
        if (region == outer) return true;
      return outer == root;
    };
    while (open != root && !isInside(to, open)) {
      --depth_;
      line("}}");
      open = model_.regions[open].parent;
    }
    std::vector<RegionId> chain;
    for (RegionId r = to; r.valid() && r != open && r != root; r = model_.regions[r].parent) chain.push_back(r);
    for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
      line("repeat {} x{} {{", join(model_.regions[*it].path), model_.regions[*it].count);
      ++depth_;
      open = *it;
    }
  }

  /// `%k{kv_seq = seq}`. The braces list the dimensions that the operator renames.
  std::string operandText(const Operand& o, LayerId scope) {
    const std::vector<DimId>& dims = model_.values[o.value].dims;
    std::string renamed;
    for (size_t i = 0; i < o.dims.size() && i < dims.size(); ++i)
      if (o.dims[i] != dims[i])
        renamed += fmt::format("{}{} = {}", renamed.empty() ? "" : ", ", model_.dims[o.dims[i]].name.view(),
                               model_.dims[dims[i]].name.view());
    std::string text = names_.of(o.value, scope);
    return renamed.empty() ? text : fmt::format("{}{{{}}}", text, renamed);
  }

  void printOp(const Op& op, LayerId scope) {
    std::string operands;
    for (const Operand& o : op.operands) operands += (operands.empty() ? " " : ", ") + operandText(o, scope);
    double flops = op.flops.evaluate([&](DimId d) { return sizeOf(model_, d); }, [](int) { return 1.0; });
    const Value& v = model_.values[op.result];
    std::string left = op.share != 1 ? " share=" + numberText(op.share) : "";
    if (op.packed != 1) left += " packed=" + numberText(op.packed);
    line("{} = {}{} : {}{}{}  kind={} flops={}{}", names_.of(op.result, scope), op.name.view(), operands,
         dimsText(model_, op.resultDims), v.dtype ? " " : "", v.dtype ? name(*v.dtype) : "", name(op.kind),
         numberText(flops), left);
  }

  const Model& model_;
  ValueNames names_;
  size_t depth_ = 0;
  std::string out_;
};

} // namespace

std::string print(const Model& model) {
  return ModelPrinter(model).run();
}

} // namespace planc::ir
