// Determines the collectives that change one layout into another, and their bytes (docs/language.md, section 10).
// SPDX-License-Identifier: Apache-2.0
#include "ir/layout/Layout.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <llvm/ADT/SmallVector.h>

namespace planc::ir {

namespace {

// The search lowers a plan thousands of times, so the intermediate states live on the stack.
using Digits = llvm::SmallVector<Digit, 4>;
using Shard = llvm::SmallVector<Digits, 6>;
constexpr int kNowhere = -1;

/// One step that may still be fused with the next.
struct Pending {
  CollectiveKind kind;
  AxisMask axes;
  int dim; ///< the dimension whose digits it changes (all-to-all: the source); kNowhere for an all-reduce
  double elements;
  Shard before, after;
  AxisMask partial; ///< pending sums after the step
};

class Change {
public:
  Change(const Mesh& mesh, const std::vector<int64_t>& extents, const std::vector<bool>& unordered, const Layout& from,
         const Layout& to)
      : mesh_(mesh), extents_(extents), unordered_(unordered), cur_(digitsOf(from)), want_(digitsOf(to)),
        partial_(manyRanks(from.partial)), keep_(manyRanks(to.partial)) {
    home_.fill(kNowhere);
    for (size_t i = 0; i < want_.size(); ++i)
      for (const Digit& d : want_[i]) home_[d.axis.index] = static_cast<int8_t>(i);
  }

  llvm::SmallVector<Pending, 4> run() {
    while (slice() || reduceScatter() || allToAll() || allReduce() || allGather()) {
    }
    assert(partial_ == keep_ && "a layout cannot become a pending sum");
    return std::move(steps_);
  }

  Layout layout(const Shard& shard, AxisMask partial) const {
    Layout l;
    l.shard.resize(shard.size());
    for (size_t i = 0; i < shard.size(); ++i)
      for (const Digit& d : shard[i]) l.shard.add(i, d);
    l.partial = partial;
    return l;
  }
  Layout wanted() const { return layout(want_, keep_); }

  /// Returns whether a step moves strided data. Data is contiguous only if the digits that the step changes are the
  /// most significant digits of the local data: all digits left of them must be held by other axes.
  bool strided(const Pending& step) const {
    for (size_t i = 0; i < cur_.size(); ++i) {
      if (unordered_[i]) continue;
      const Digits& more = step.before[i].size() > step.after[i].size() ? step.before[i] : step.after[i];
      int64_t covered = 1;
      for (const Digit& d : more) {
        if (offset(d) == covered)
          covered *= size(d.axis);
        else if ((step.axes & maskOf(d.axis)) && step.before[i].size() != step.after[i].size())
          return true;
      }
    }
    return false;
  }

private:
  int64_t size(AxisId a) const { return mesh_.axes[a].size; }
  int64_t offset(const Digit& d) const { return d.offset(mesh_); }

  /// The digits of a layout, without axes of one rank.
  Shard digitsOf(const Layout& l) const {
    Shard shard(l.shard.size());
    for (size_t i = 0; i < l.shard.size(); ++i)
      for (const Digit& d : l.shard[i])
        if (size(d.axis) > 1) shard[i].push_back(d);
    return shard;
  }
  AxisMask manyRanks(AxisMask mask) const {
    AxisMask m = 0;
    for (uint32_t i = 0; mask >> i != 0 && i < 64; ++i)
      if ((mask >> i & 1) && size(AxisId(i)) > 1) m |= AxisMask(1) << i;
    return m;
  }

  double elements() const {
    double n = 1;
    for (size_t i = 0; i < cur_.size(); ++i) {
      int64_t ranks = 1;
      for (const Digit& d : cur_[i]) ranks *= size(d.axis);
      // In an unordered dimension the data decides the placement, so no rank rounds its share up.
      n *= unordered_[i] ? static_cast<double>(extents_[i]) / static_cast<double>(ranks)
                         : static_cast<double>(ceilDiv(extents_[i], ranks));
    }
    return n;
  }

  const Digit* find(const Digits& digits, AxisId a) const {
    auto it = std::find_if(digits.begin(), digits.end(), [a](const Digit& d) { return d.axis == a; });
    return it == digits.end() ? nullptr : &*it;
  }
  int holder(AxisId a) const {
    for (size_t i = 0; i < cur_.size(); ++i)
      if (find(cur_[i], a)) return static_cast<int>(i);
    return kNowhere;
  }
  bool settled(size_t dim, const Digit& d) const {
    const Digit* target = find(want_[dim], d.axis);
    return target && (unordered_[dim] || offset(*target) == offset(d));
  }
  /// Returns whether no axis of the dimension overlaps the digit.
  bool isFree(size_t dim, const Digit& d) const {
    if (unordered_[dim]) return true;
    const int64_t begin = offset(d), end = begin * size(d.axis);
    for (const Digit& x : cur_[dim]) {
      const int64_t xBegin = offset(x), xEnd = xBegin * size(x.axis);
      if (begin % xEnd != 0 && xBegin % end != 0) return false;
    }
    return true;
  }

  /// Returns the first wanted digit that is free and whose axis `ok` accepts, and sets `dim` to its dimension; null if
  /// there is none.
  template <class Ok> const Digit* ready(size_t& dim, Ok ok) const {
    for (dim = 0; dim < want_.size(); ++dim)
      for (const Digit& d : want_[dim])
        if (!find(cur_[dim], d.axis) && ok(d.axis) && isFree(dim, d)) return &d;
    return nullptr;
  }

  void put(size_t dim, const Digit& d) {
    Digits& digits = cur_[dim];
    auto at = std::find_if(digits.begin(), digits.end(), [&](const Digit& x) { return offset(x) > offset(d); });
    digits.insert(at, d);
  }
  void take(size_t dim, AxisId a) {
    Digits& digits = cur_[dim];
    digits.erase(std::find_if(digits.begin(), digits.end(), [a](const Digit& d) { return d.axis == a; }));
  }

  /// Records a step from `before`, or extends the last step: consecutive steps of one kind and dimension are one
  /// collective, and so are all consecutive all-to-alls.
  void emit(CollectiveKind kind, AxisMask axes, int dim, Shard before, double elementsBefore) {
    double larger = std::max(elementsBefore, elements());
    if (!steps_.empty() && kind != CollectiveKind::Slice) {
      Pending& last = steps_.back();
      if (last.kind == kind && (last.dim == dim || kind == CollectiveKind::AllToAll)) {
        last.axes |= axes;
        last.elements = std::max(last.elements, larger);
        last.after = cur_;
        last.partial = partial_;
        return;
      }
    }
    steps_.push_back({kind, axes, dim, larger, std::move(before), cur_, partial_});
  }

  bool slice() {
    size_t dim;
    const Digit* d = ready(dim, [&](AxisId a) { return !(partial_ & maskOf(a)) && holder(a) == kNowhere; });
    if (!d) return false;
    Shard before = cur_;
    double n = elements();
    put(dim, *d);
    emit(CollectiveKind::Slice, maskOf(d->axis), static_cast<int>(dim), std::move(before), n);
    return true;
  }

  bool reduceScatter() {
    size_t dim;
    const Digit* d = ready(dim, [&](AxisId a) { return (partial_ & maskOf(a)) != 0; });
    if (!d) return false;
    Shard before = cur_;
    double n = elements();
    put(dim, *d);
    partial_ &= ~maskOf(d->axis);
    emit(CollectiveKind::ReduceScatter, maskOf(d->axis), static_cast<int>(dim), std::move(before), n);
    return true;
  }

  bool allToAll() {
    size_t dim;
    const Digit* d = ready(dim, [&](AxisId a) { return holder(a) != kNowhere; });
    if (!d) return false;
    Shard before = cur_;
    double n = elements();
    int from = holder(d->axis);
    take(static_cast<size_t>(from), d->axis);
    put(dim, *d);
    emit(CollectiveKind::AllToAll, maskOf(d->axis), from, std::move(before), n);
    return true;
  }

  bool allReduce() {
    AxisMask axes = 0;
    for (uint32_t i = 0; i < 64; ++i)
      if ((partial_ & ~keep_) >> i & 1 && home_[i] == kNowhere) axes |= AxisMask(1) << i;
    if (axes == 0) return false;
    partial_ &= ~axes;
    emit(CollectiveKind::AllReduce, axes, kNowhere, cur_, elements());
    return true;
  }

  /// Gathers one axis. Prefers an axis that is wanted nowhere, because that frees a digit.
  bool allGather() {
    int dim = kNowhere;
    AxisId axis;
    for (size_t i = 0; i < cur_.size(); ++i)
      for (const Digit& d : cur_[i]) {
        if (settled(i, d)) continue;
        bool unwanted = home_[d.axis.index] == kNowhere;
        if (dim == kNowhere || (unwanted && home_[axis.index] != kNowhere)) {
          dim = static_cast<int>(i);
          axis = d.axis;
        }
      }
    if (dim == kNowhere) return false;
    Shard before = cur_;
    double n = elements();
    take(static_cast<size_t>(dim), axis);
    emit(CollectiveKind::AllGather, maskOf(axis), dim, std::move(before), n);
    return true;
  }

  const Mesh& mesh_;
  const std::vector<int64_t>& extents_;
  const std::vector<bool>& unordered_;
  Shard cur_, want_;
  AxisMask partial_, keep_;
  std::array<int8_t, 64> home_; ///< by axis: the dimension that wants it
  llvm::SmallVector<Pending, 4> steps_;
};

} // namespace

std::vector<ReshardStep> reshard(const Mesh& mesh, const std::vector<int64_t>& extents,
                                 const std::vector<bool>& unordered, Layout from, const Layout& to) {
  assert(from.shard.size() == extents.size() && to.shard.size() == extents.size() &&
         unordered.size() == extents.size());
  Change change(mesh, extents, unordered, from, to);
  auto pending = change.run();
  std::vector<ReshardStep> steps;
  steps.reserve(pending.size());
  for (const Pending& p : pending)
    steps.push_back({p.kind, p.axes, p.elements, change.layout(p.after, p.partial), change.strided(p)});
  if (!steps.empty()) steps.back().after = change.wanted(); // unordered dims: the wanted order
  return steps;
}

} // namespace planc::ir
