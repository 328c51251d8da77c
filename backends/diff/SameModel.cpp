// Compares models part by part and records fact by fact, without their names.
// SPDX-License-Identifier: Apache-2.0
#include "backends/diff/SameModel.h"

#include "backends/diff/RecordValues.h"
#include "ir/facts/DeviceFacts.h"

#include <algorithm>

namespace planc::diff {

namespace {

template <class List, class Same> bool alike(const List& a, const List& b, Same same) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

bool sameOperands(const ir::Operand& a, const ir::Operand& b) {
  return a.value == b.value && a.dims == b.dims && a.detached == b.detached;
}

/// The name is the name of the declaration, under which a stack gives the passes of the operator.
bool sameOperator(const ir::Op& a, const ir::Op& b) {
  return a.name == b.name && a.kind == b.kind && alike(a.operands, b.operands, sameOperands) && a.result == b.result &&
         a.dims == b.dims && a.resultDims == b.resultDims && a.pools == b.pools && a.linear == b.linear &&
         a.queries == b.queries && a.keys == b.keys && a.inside == b.inside && a.bias == b.bias && a.layer == b.layer &&
         a.region == b.region;
}

bool sameValue(const ir::Value& a, const ir::Value& b) {
  return a.kind == b.kind && a.dims == b.dims && a.dtype == b.dtype && a.producer == b.producer &&
         a.region == b.region && a.trainable == b.trainable && a.storage == b.storage && a.counts == b.counts;
}

bool sameDimension(const ir::Dim& a, const ir::Dim& b) {
  return a.kind == b.kind && a.parts == b.parts && a.chosen == b.chosen;
}

/// The sizes of a model that no workload sets: instances of repeats, elements of parameters, choices of routed data.
class Sizes {
public:
  Sizes(const ir::Plan& a, const ir::Plan& b) : a_(a), b_(b) {}

  bool same() const {
    const ir::Model &a = *a_.model, &b = *b_.model;
    const auto counts = [](const ir::Region& x, const ir::Region& y) { return x.count == y.count; };
    const auto routed = [](const ir::Dim& x, const ir::Dim& y) {
      return x.scale == y.scale && x.capacity == y.capacity;
    };
    const auto layers = [](const ir::Layer& x, const ir::Layer& y) { return x.count == y.count; };
    return alike(a.regions, b.regions, counts) && alike(a.layers, b.layers, layers) && alike(a.dims, b.dims, routed) &&
           alike(a.params, b.params, [&](ir::ValueId x, ir::ValueId y) { return sameParameter(x, y); }) &&
           (a_.workload.extents() != b_.workload.extents() || sameWork());
  }

private:
  static bool bound(const ir::Plan& plan, const ir::Dim& dim) {
    const auto extents = plan.workload.extents();
    return dim.name == plan.workload.samples ||
           std::any_of(extents.begin(), extents.end(), [&](const auto& e) { return e.first == dim.name; });
  }
  bool sameParameter(ir::ValueId x, ir::ValueId y) const {
    const ir::Model &a = *a_.model, &b = *b_.model;
    return alike(a.values[x].dims, b.values[y].dims, [&](ir::DimId d, ir::DimId e) {
      const bool free = bound(a_, a.dims[d]) || bound(b_, b.dims[e]);
      return free || a.dims[d].extent == b.dims[e].extent;
    });
  }
  /// Compares masks and declared work, for sequences of one length.
  bool sameWork() const {
    return alike(a_.model->ops, b_.model->ops, [](const ir::Op& x, const ir::Op& y) {
      return x.share == y.share && x.lastShare == y.lastShare && x.countedShare == y.countedShare &&
             x.flops == y.flops && x.headSize == y.headSize && x.capacity == y.capacity;
    });
  }

  const ir::Plan &a_, &b_;
};

} // namespace

bool sameArchitecture(const ir::Plan& a, const ir::Plan& b) {
  const ir::Model &x = *a.model, &y = *b.model;
  if (a.model == b.model) return true;
  const auto regions = [](const ir::Region& r, const ir::Region& s) { return r.parent == s.parent; };
  const auto layers = [](const ir::Layer& k, const ir::Layer& l) {
    return k.repeat == l.repeat && k.region == l.region && k.first == l.first && k.end == l.end;
  };
  return alike(x.ops, y.ops, sameOperator) && alike(x.values, y.values, sameValue) &&
         alike(x.dims, y.dims, sameDimension) && alike(x.regions, y.regions, regions) &&
         alike(x.layers, y.layers, layers) && x.losses == y.losses;
}

bool sameModel(const ir::Plan& a, const ir::Plan& b) {
  return a.model == b.model || (sameArchitecture(a, b) && Sizes(a, b).same());
}

bool sameFacts(const ir::Device& a, const ir::Device& b) {
  const auto facts = [](const ir::Device& device) {
    return recordValues(
        device, [](const ir::FactRow& row, const ir::Number&) { return row.id != ir::FactId(ir::DeviceFact::Price); });
  };
  return a.platform == b.platform && a.architecture == b.architecture && facts(a) == facts(b);
}

bool sameFacts(const ir::Stack& a, const ir::Stack& b) {
  return a.platform == b.platform && recordValues(a) == recordValues(b);
}

} // namespace planc::diff
