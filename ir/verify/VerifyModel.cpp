// Checks level `model`: dimensions agree, operands are defined before their use, repeats have counts, regions nest.
// SPDX-License-Identifier: Apache-2.0
#include "ir/verify/Verify.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::ir {

namespace {

class ModelVerifier {
public:
  explicit ModelVerifier(const Model& model) : model_(model), names_(model) {}

  std::vector<std::string> run() {
    for (uint32_t i = 0; i < model_.dims.size(); ++i) checkDim(model_.dims[DimId(i)]);
    for (uint32_t i = 0; i < model_.regions.size(); ++i) checkRegion(RegionId(i));
    if (!found_.empty()) return found_; // the next checks walk dims and regions
    checkLayers();
    for (uint32_t i = 0; i < model_.values.size(); ++i) checkValue(ValueId(i));
    if (!found_.empty()) return found_; // the next checks walk values and layers
    for (uint32_t i = 0; i < model_.ops.size(); ++i) checkOp(OpId(i));
    return found_;
  }

private:
  template <class... Args> void wrong(fmt::format_string<Args...> format, Args&&... args) {
    found_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }
  bool exists(DimId d) const { return d.index < model_.dims.size(); }
  bool exists(ValueId v) const { return v.index < model_.values.size(); }
  const Dim& dim(DimId d) const { return model_.dims[d]; }

  void checkDim(const Dim& d) {
    if (d.extent < 1) wrong("dimension {} has the extent {}", d.name.view(), d.extent);
    if ((d.kind == DimKind::Basic) != d.parts.empty()) wrong("dimension {} does not match its parts", d.name.view());
    for (DimId p : d.parts)
      if (!exists(p)) wrong("dimension {} is an alias of a dimension that does not exist", d.name.view());
  }

  void checkRegion(RegionId id) {
    const Region& r = model_.regions[id];
    if (r.count < 1) wrong("repeat {} runs {} times", join(r.path), r.count);
    uint32_t steps = 0;
    for (RegionId p = r.parent; p.valid(); p = model_.regions[p].parent)
      if (p.index >= model_.regions.size() || ++steps > model_.regions.size()) {
        wrong("repeat {} is not nested", join(r.path));
        return;
      }
  }

  bool isInside(RegionId region, RegionId outer) const {
    for (; region.valid(); region = model_.regions[region].parent)
      if (region == outer) return true;
    return !outer.valid();
  }

  void checkLayers() {
    uint32_t next = 0;
    for (uint32_t i = 0; i < model_.layers.size(); ++i) {
      const Layer& layer = model_.layers[LayerId(i)];
      if (layer.first.index != next || layer.end.index < next || layer.end.index > model_.ops.size()) {
        wrong("layer {} does not begin at the end of the layer before it", layer.name.view());
        return;
      }
      next = layer.end.index;
      if (layer.repeat != layer.region.valid()) wrong("layer {} does not match its repeat", layer.name.view());
      if (layer.count < 1 || (!layer.repeat && layer.count != 1))
        wrong("layer {} runs {} times", layer.name.view(), layer.count);
      if (layer.repeat && layer.region.index < model_.regions.size() &&
          model_.regions[layer.region].count != layer.count)
        wrong("layer {} has {} instances, but its repeat has {}", layer.name.view(), layer.count,
              model_.regions[layer.region].count);
      checkCarries(layer);
    }
    if (next != model_.ops.size()) wrong("{} operators are in no layer", model_.ops.size() - next);
  }

  void checkCarries(const Layer& layer) {
    for (const Carry& c : layer.carries) {
      if (!exists(c.initial) || !exists(c.inside) || !exists(c.last)) {
        wrong("carried value {} of {} does not exist", c.name.view(), layer.name.view());
        continue;
      }
      for (ValueId v : {c.inside, c.last}) {
        OpId op = model_.values[v].producer;
        if (op.index >= model_.ops.size() || model_.ops[op].kind != OpKind::Carry)
          wrong("carried value {} of {} does not pass a carry", c.name.view(), layer.name.view());
      }
      if (model_.values[c.inside].dims != model_.values[c.last].dims)
        wrong("carried value {} of {} enters and leaves with different dimensions", c.name.view(), layer.name.view());
    }
  }

  void checkValue(ValueId id) {
    const Value& v = model_.values[id];
    for (DimId d : v.dims)
      if (!exists(d)) wrong("{} has a dimension that does not exist", names_.of(id));
    if (v.kind == ValueKind::Result) {
      bool made = v.producer.index < model_.ops.size() && model_.ops[v.producer].result == id;
      if (!made) wrong("{} is not the result of an operator", names_.of(id));
    }
    if (v.kind == ValueKind::Param) checkParam(id, v);
  }

  void checkParam(ValueId id, const Value& v) {
    if (v.region.valid() && v.region.index >= model_.regions.size()) wrong("{} is in no repeat", names_.of(id));
    if (!v.storage.valid() || v.storage == id) return;
    if (!exists(v.storage) || model_.values[v.storage].kind != ValueKind::Param) {
      wrong("{} shares the storage of a value that is not a parameter", names_.of(id));
      return;
    }
    const Value& owner = model_.values[v.storage];
    if (owner.storage.valid() && owner.storage != v.storage) wrong("{} is tied to a tied parameter", names_.of(id));
  }

  void checkOp(OpId id) {
    const Op& op = model_.ops[id];
    std::string path = model_.pathOf(id);
    if (op.layer.index >= model_.layers.size()) {
      wrong("{} is in no layer", path);
      return;
    }
    const Layer& layer = model_.layers[op.layer];
    if (id < layer.first || id >= layer.end) wrong("{} is listed outside of its layer", path);
    if (!isInside(op.region, layer.region)) wrong("{} is in a repeat outside of its layer", path);
    for (const Operand& o : op.operands) checkOperand(id, op, o, path);
    checkResult(id, op, path);
    checkDims(op, path);
    checkFacts(op, path);
  }

  bool sameExtents(const std::vector<DimId>& a, const std::vector<DimId>& b) const {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [&](DimId x, DimId y) {
             return exists(x) && exists(y) && dim(x).extent == dim(y).extent;
           });
  }

  void checkOperand(OpId id, const Op& op, const Operand& o, const std::string& path) {
    if (!exists(o.value)) {
      wrong("{} reads a value that does not exist", path);
      return;
    }
    const Value& v = model_.values[o.value];
    if (!sameExtents(v.dims, o.dims))
      wrong("{} reads {} as {}, but it is {}", path, names_.of(o.value), dimsText(model_, o.dims),
            dimsText(model_, v.dims));
    if (v.kind != ValueKind::Result) return;
    if (v.producer >= id) wrong("{} reads {} before it is defined", path, names_.of(o.value));
    const Op& producer = model_.ops[v.producer];
    if (producer.layer == op.layer || producer.layer.index >= model_.layers.size()) return;
    const Layer& from = model_.layers[producer.layer];
    bool leaves = !from.repeat || std::any_of(from.carries.begin(), from.carries.end(),
                                              [&](const Carry& c) { return c.last == o.value; });
    if (!leaves) wrong("{} reads {} inside the repeat {}", path, names_.of(o.value), from.name.view());
  }

  void checkResult(OpId id, const Op& op, const std::string& path) {
    if (!exists(op.result) || model_.values[op.result].kind != ValueKind::Result ||
        model_.values[op.result].producer != id) {
      wrong("{} does not produce its result", path);
      return;
    }
    const Value& v = model_.values[op.result];
    if (!sameExtents(v.dims, op.resultDims))
      wrong("{} produces {}, but its result is {}", path, dimsText(model_, op.resultDims), dimsText(model_, v.dims));
  }

  /// Checks that the iteration space holds every dimension once by name, including those of all operands and the
  /// result.
  void checkDims(const Op& op, const std::string& path) {
    for (size_t i = 0; i < op.dims.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (dim(op.dims[i]).name == dim(op.dims[j]).name)
          wrong("{} has two dimensions {}: {} and {}", path, dim(op.dims[i]).name.view(), dim(op.dims[j]).extent,
                dim(op.dims[i]).extent);
    auto covers = [&](const std::vector<DimId>& dims) {
      return std::all_of(dims.begin(), dims.end(), [&](DimId d) { return holds(op.dims, d); });
    };
    bool all = covers(op.resultDims);
    for (const Operand& o : op.operands) all = all && covers(o.dims);
    if (!all)
      wrong("{} iterates over {}, which are not all dimensions of its operands", path, dimsText(model_, op.dims));
  }

  void checkFacts(const Op& op, const std::string& path) {
    int n = static_cast<int>(op.operands.size());
    if (isContraction(op.kind) && n < 2) wrong("{} contracts {} operand(s); it needs two", path, n);
    if (op.kind == OpKind::Carry && (n != 1 || op.operands[0].dims != op.resultDims))
      wrong("carry {} is not an identity", path);
    for (const Save& s : op.saves)
      if (s.what == Save::What::Operand && (s.operand < 0 || s.operand >= n))
        wrong("{} saves operand {} of {}", path, s.operand, n);
    if (op.kind == OpKind::Attention && (!holds(op.dims, op.queries) || !holds(op.dims, op.keys)))
      wrong("attention {} has no queries or no keys", path);
    for (DimId d : op.inside)
      if (!holds(op.dims, d)) wrong("{} contracts a dimension that it does not have", path);
    if (op.linear && !op.saves.empty()) wrong("{} is linear, but saves an operand", path);
    if (op.bias >= n || (isContraction(op.kind) && n > 2 && op.bias < 2))
      wrong("{} has an operand that is neither a factor nor a bias", path);
    for (const Reduce& r : op.reduces)
      if (!holds(op.dims, r.dim)) wrong("{} reduces a dimension that it does not have", path);
    for (const BackwardSpec& b : op.backwards)
      for (int k : b.operands)
        if (k < 0 || k >= n) wrong("{} computes the gradient of operand {} of {}", path, k, n);
  }

  const Model& model_;
  ValueNames names_;
  std::vector<std::string> found_;
};

} // namespace

std::vector<std::string> verify(const Model& model) {
  return ModelVerifier(model).run();
}

} // namespace planc::ir
