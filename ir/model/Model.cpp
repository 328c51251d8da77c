// Look-ups in a model: dimensions by name, paths, how often a region runs, number of parameters.
// SPDX-License-Identifier: Apache-2.0
#include "ir/model/Model.h"

#include <algorithm>
#include <array>
#include <limits>

namespace planc::ir {

namespace {

/// In the order of the enumeration. The last two are created by the compiler; a plan cannot name them.
constexpr std::array<std::string_view, 10> kOpKinds{"gemm",   "grouped_gemm", "scores",  "context", "attention",
                                                    "memory", "lookup",       "permute", "carry",   "cast"};
static_assert(kOpKinds.size() == static_cast<size_t>(OpKind::Cast) + 1);
constexpr size_t kNamedKinds = static_cast<size_t>(OpKind::Carry);

} // namespace

std::string_view name(OpKind k) {
  return kOpKinds[static_cast<size_t>(k)];
}

std::optional<OpKind> parseOpKind(std::string_view text) {
  for (size_t i = 0; i < kNamedKinds; ++i)
    if (kOpKinds[i] == text) return static_cast<OpKind>(i);
  return std::nullopt;
}

// The FLOPs of a contraction and both of its gradients follow from the dimension rule. The products of attention
// (scores, context) declare their own.
bool isContraction(OpKind k) {
  return k == OpKind::Gemm || k == OpKind::GroupedGemm;
}

bool isAttention(OpKind k) {
  return k == OpKind::Attention || k == OpKind::Scores || k == OpKind::Context;
}

bool isProduct(OpKind k) {
  return isContraction(k) || isAttention(k);
}

std::string join(const std::vector<Symbol>& path) {
  std::string text;
  for (Symbol step : path) {
    if (!text.empty()) text += '.';
    text += step.view();
  }
  return text;
}

bool Layer::has(const LayerStep& step) const {
  return !step.slice || std::all_of(step.slice->ranges.begin(), step.slice->ranges.end(),
                                    [&](const Range& r) { return r.isRange() && r.end <= wholeCount(); });
}

RangeSet Layer::atTop(const RangeSet& instances) const {
  return isPart() ? RangeSet{{Range{instance, instance + 1, 1}}} : instances;
}

std::vector<Symbol> Layer::path() const {
  return isPart() ? std::vector<Symbol>{within, name} : std::vector<Symbol>{name};
}

LayerRef Layer::ref() const {
  if (of == 0) return {{{false, name, {}}}};
  if (!isPart()) return ref(RangeSet{{Range{from, to(), 1}}});
  return {{{false, within, atTop({})}, {false, name, {}}}};
}

LayerRef Layer::ref(const RangeSet& instances) const {
  return {{{false, name, instances}}};
}

DimId Model::dim(Symbol called, int64_t extent) {
  for (uint32_t i = 0; i < dims.size(); ++i)
    if (dims[DimId(i)].name == called && dims[DimId(i)].extent == extent) return DimId(i);
  return dims.add({called, extent, DimKind::Basic, {}, 1});
}

bool Model::passesGradient(const Op& op, const Operand& operand) const {
  const auto differentiable = [&](ValueId v) { return !values[v].dtype || !isInteger(*values[v].dtype); };
  return !operand.detached && differentiable(op.result) && differentiable(operand.value);
}

bool Model::isLoss(ValueId value) const {
  return std::find(losses.begin(), losses.end(), value) != losses.end();
}

ValueId Model::storageOf(ValueId value) const {
  const auto none = [](const std::optional<Poly>& bytes) {
    return bytes && bytes->isConstant() && bytes->constantValue() == 0;
  };
  for (;;) {
    const Value& v = values[value];
    if (v.kind != ValueKind::Result) return value;
    const Op& op = ops[v.producer];
    if (op.kind != OpKind::Memory || op.operands.empty() || !none(op.reads) || !none(op.writes)) return value;
    const Value& from = values[op.operands[0].value];
    if (from.dims != v.dims || from.layer != v.layer || from.dtype != v.dtype) return value;
    value = op.operands[0].value;
  }
}

bool Model::standsForParts(const Op& op, DimId dim) const {
  const auto has = [](const std::vector<DimId>& list, DimId d) {
    return std::find(list.begin(), list.end(), d) != list.end();
  };
  if (dims[dim].kind != DimKind::Pooled) return dims[dim].kind == DimKind::Routed;
  return has(op.pools, dim) || !has(op.dims, dims[dim].parts.front());
}

std::vector<bool> Model::reachesLoss() const {
  std::vector<bool> reaches(values.size());
  for (const ValueId v : losses) reaches[v.index] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = ops.size(); i-- > 0;) {
      const Op& op = ops[OpId(i)];
      if (!reaches[op.result.index]) continue;
      for (const Operand& o : op.operands)
        if (passesGradient(op, o)) reaches[o.value.index] = true;
    }
    for (const Layer& layer : layers)
      for (const Carry& c : layer.carries)
        if (reaches[c.inside.index] && !reaches[c.last.index]) reaches[c.last.index] = changed = true;
  }
  return reaches;
}

std::string Model::pathOf(OpId op) const {
  return join(ops[op].path);
}

std::string Model::pathOf(ValueId value) const {
  return join(values[value].path);
}

int64_t Model::times(RegionId region) const {
  int64_t n = 1;
  for (; region.valid(); region = regions[region].parent)
    if (__builtin_mul_overflow(n, regions[region].count, &n)) return std::numeric_limits<int64_t>::max();
  return n;
}

double Model::parameterCount() const {
  double total = 0;
  for (ValueId id : params) {
    const Value& v = values[id];
    if (v.storage.valid() && v.storage != id) continue; // tied: counted with its owner
    double elements = static_cast<double>(times(v.region));
    for (DimId d : v.dims) elements *= static_cast<double>(dims[d].extent);
    total += elements;
  }
  return total;
}

std::vector<DimId> Model::countedDims() const {
  std::vector<DimId> counted;
  for (const ValueId input : inputs)
    for (const DimId d : values[input].counts)
      if (std::find(counted.begin(), counted.end(), d) == counted.end()) counted.push_back(d);
  return counted;
}

std::optional<double> Model::tokensPerSample() const {
  std::optional<double> total;
  for (ValueId id : inputs) {
    const Value& v = values[id];
    if (v.counts.empty()) continue;
    double tokens = 1;
    for (DimId d : v.counts) tokens *= static_cast<double>(dims[d].extent);
    total = total.value_or(0) + tokens;
  }
  return total;
}

} // namespace planc::ir
