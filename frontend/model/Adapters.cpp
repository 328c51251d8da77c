// Adds low-rank adapters (arXiv 2106.09685) to every contraction that the targets of `lora` select.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/Adapters.h"

#include "frontend/model/Selectors.h"
#include "frontend/modules/Loader.h"
#include "ir/print/Labels.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace planc::frontend {

PLANC_ERROR(NothingToAdapt, 783, "`{target}` has no contraction with a parameter, so there is nothing to adapt")
PLANC_WARNING(LargeRank, 784, "adapters of rank {rank} are not smaller than `{weight}`, {rows} x {columns}")
PLANC_ERROR(SlicedTarget, 785, "`{target}` has a slice: adapters apply to all instances of a repeated layer")

namespace {

using DimList = std::vector<ir::DimId>;

DimList united(const DimList& a, const DimList& b) {
  DimList all = a;
  for (ir::DimId d : b)
    if (!llvm::is_contained(all, d)) all.push_back(d);
  return all;
}

/// The index of the parameter among the two multiplied operands; -1 if none or both are parameters.
int weightOf(const ir::Model& model, const ir::Op& op) {
  if (!ir::isContraction(op.kind) || op.operands.size() < 2) return -1;
  int found = -1;
  for (int i = 0; i < 2; ++i)
    if (model.values[op.operands[static_cast<size_t>(i)].value].kind == ir::ValueKind::Param)
      found = found < 0 ? i : -2;
  return found < 0 ? -1 : found;
}

/// Fraction of the largest weight of the repeated layers, below which no warning is reported.
constexpr double kSmall = 0.01;

class Rewrite {
public:
  Rewrite(ir::Model& model, const ir::Adapters& adapters, Context& context)
      : model_(model), adapters_(adapters), context_(context), reached_(adapters.targets.size()) {
    const PathTree paths(model);
    for (ir::Selector& target : adapters_.targets) paths.resolve(target);
    for (const ir::ValueId p : model_.params)
      if (model_.layers[model_.values[p].layer].repeat) largest_ = std::max(largest_, elements(p));
  }

  bool run() {
    for (ir::ValueId p : model_.params) model_.values[p].trainable = false;
    rank_ = model_.dim(ir::labels::kRank, adapters_.rank);
    for (ir::Layer& layer : model_.layers) {
      const ir::OpId first(ops_.size());
      for (uint32_t i = layer.first.index; i < layer.end.index; ++i) {
        ir::Op op = model_.ops[ir::OpId(i)];
        const int weight = weightOf(model_, op);
        if (weight >= 0 && targeted(op, weight))
          adapt(std::move(op), static_cast<size_t>(weight));
        else
          emit(std::move(op));
      }
      layer.first = first;
      layer.end = ir::OpId(ops_.size());
    }
    model_.ops = std::move(ops_);
    return checkTargets();
  }

private:
  double elements(ir::ValueId param) const {
    double n = 1;
    for (const ir::DimId d : model_.values[param].dims) n *= static_cast<double>(model_.dims[d].extent);
    return n;
  }

  bool targeted(const ir::Op& op, int weight) {
    bool any = false;
    const auto& path = model_.values[op.operands[static_cast<size_t>(weight)].value].path;
    for (size_t t = 0; t < adapters_.targets.size(); ++t) {
      if (adapters_.targets[t].steps[0].isRepeats() && !model_.layers[op.layer].repeat) continue;
      if (adapters_.targets[t].matches(op.path) || adapters_.targets[t].matches(path)) any = reached_[t] = true;
    }
    return any;
  }

  bool checkTargets() {
    bool ok = true;
    PathTree paths(model_);
    for (size_t t = 0; t < adapters_.targets.size(); ++t) {
      const ir::Selector& target = adapters_.targets[t];
      if (!paths.check(target, context_)) {
        ok = false;
      } else if (!reached_[t]) {
        context_.report(NothingToAdapt, target.range, {{"target", target.str()}})
            .help("name layers that multiply with a parameter, such as `decoder.attn` or `decoder.mlp`");
        ok = false;
      } else if (std::any_of(target.steps.begin(), target.steps.end(),
                             [](const ir::LayerStep& s) { return s.slice.has_value() && !s.isAllOfRepeats(); })) {
        context_.report(SlicedTarget, target.range, {{"target", target.str()}}).help("remove the slice");
        ok = false;
      }
    }
    return ok;
  }

  ir::ValueId emit(ir::Op op) {
    const ir::ValueId result = op.result;
    model_.values[result].producer = ops_.add(std::move(op));
    return result;
  }

  std::vector<Symbol> below(const ir::Op& op, Symbol name) const {
    std::vector<Symbol> path = op.path;
    path.push_back(name);
    return path;
  }

  /// A new value next to the operator's result, in the same layer and of the same element type.
  ir::ValueId value(const ir::Op& op, Symbol name, ir::ValueKind kind, DimList dims) {
    ir::Value v = model_.values[op.result];
    v.name = name;
    v.path = below(op, name);
    v.kind = kind;
    v.dims = std::move(dims);
    v.producer = {};
    v.trainable = kind == ir::ValueKind::Param;
    if (v.trainable) v.dtype.reset();
    const ir::ValueId id = model_.values.add(std::move(v));
    model_.values[id].storage = id;
    if (kind == ir::ValueKind::Param) model_.params.push_back(id);
    return id;
  }

  /// A product of two operands, in the place and of the kind of `like`.
  ir::Op product(const ir::Op& like, Symbol name, ir::Operand a, ir::Operand b, DimList result) {
    ir::Op op = like;
    op.path = below(like, name);
    op.dims = united(united(a.dims, b.dims), result);
    op.operands = {std::move(a), std::move(b)};
    op.resultDims = std::move(result);
    op.result = value(like, name, ir::ValueKind::Result, op.resultDims);
    ir::Term macs;
    macs.coefficient = 2;
    for (ir::DimId d : op.dims) macs.factors.emplace_back(d, 1);
    std::sort(macs.factors.begin(), macs.factors.end());
    op.flops = {};
    op.flops.terms = {std::move(macs)};
    op.reads = op.writes = std::nullopt;
    op.bias = -1;
    op.saves = {{ir::Save::What::Operand, 0, {}, {}}, {ir::Save::What::Operand, 1, {}, {}}};
    op.backwards.clear();
    return op;
  }

  /// Replaces y = x·W by y = base + high, with base = x·W, low = x·A and high = low·B.
  void adapt(ir::Op op, size_t weight) {
    const ir::Operand x = op.operands[1 - weight], w = op.operands[weight];
    DimList aDims, bDims, lowDims;
    double rows = 1, columns = 1;
    for (ir::DimId d : w.dims) {
      const bool row = !llvm::is_contained(op.resultDims, d),
                 each = !row && llvm::is_contained(x.dims, d); // each: the weight has one matrix per index
      if (row || each) aDims.push_back(d);
      if (!row) bDims.push_back(d);
      if (!each) (row ? rows : columns) *= static_cast<double>(model_.dims[d].extent);
    }
    for (ir::DimId d : x.dims)
      if (llvm::is_contained(op.resultDims, d)) lowDims.push_back(d);
    aDims.push_back(rank_);
    lowDims.push_back(rank_);
    const auto column =
        std::find_if(bDims.begin(), bDims.end(), [&](ir::DimId d) { return !llvm::is_contained(x.dims, d); });
    bDims.insert(column, rank_);
    if (static_cast<double>(adapters_.rank) >= std::min(rows, columns)) warnRank(w.value, rows, columns);

    const ir::ValueId a = value(op, ir::labels::kMatrixA, ir::ValueKind::Param, aDims),
                      b = value(op, ir::labels::kMatrixB, ir::ValueKind::Param, bDims);
    ir::Op low = product(op, "low", x, {a, aDims}, lowDims);
    ir::Op high = product(op, "high", {low.result, lowDims}, {b, bDims}, op.resultDims);
    ir::Op sum = op;
    sum.name = kSum.name; // the operator of `+`
    sum.linear = true;
    sum.bias = -1;
    sum.kind = ir::OpKind::Memory;
    op.path = below(op, "base");
    op.result = value(sum, "base", ir::ValueKind::Result, op.resultDims);
    sum.operands = {{op.result, op.resultDims}, {high.result, op.resultDims}};
    sum.dims = op.resultDims;
    sum.flops = high.flops;
    sum.flops.terms[0].coefficient = 1;
    std::erase_if(sum.flops.terms[0].factors,
                  [&](const auto& f) { return !llvm::is_contained(op.resultDims, f.first); });
    sum.reads = sum.writes = std::nullopt;
    sum.saves.clear();
    sum.backwards.clear();
    emit(std::move(op));
    emit(std::move(low));
    emit(std::move(high));
    emit(std::move(sum));
  }

  /// Warns of a rank that is too large. A router or another small weight of a layer is not worth a warning.
  void warnRank(ir::ValueId weight, double rows, double columns) {
    if (warned_ || elements(weight) < kSmall * largest_) return;
    warned_ = true;
    context_
        .report(LargeRank, adapters_.range,
                {{"rank", adapters_.rank},
                 {"weight", model_.pathOf(weight)},
                 {"rows", static_cast<int64_t>(rows)},
                 {"columns", static_cast<int64_t>(columns)}})
        .label(model_.values[weight].range, "the parameter")
        .help("choose a rank far below both sides, or remove the layer from `targets`");
  }

  ir::Model& model_;
  double largest_ = 0;    ///< elements of the largest parameter in repeated layers
  ir::Adapters adapters_; ///< with targets resolved in the model
  Context& context_;
  std::vector<bool> reached_;
  ir::DimId rank_;
  Store<ir::Op> ops_;
  bool warned_ = false;
};

} // namespace

bool addAdapters(ir::Model& model, const ir::Adapters& adapters, Context& context) {
  return Rewrite(model, adapters, context).run();
}

} // namespace planc::frontend
