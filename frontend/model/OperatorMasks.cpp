// Reads the fraction of work that a mask leaves, and the fraction that model FLOPs count. In packed documents a token
// attends to its own document, so the mask is evaluated for each document length, as if the sequence were that long.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/OpContext.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(CountsMasked, 474, "`counted_share` is {counted}, more than twice `share`, which is {share}")

namespace {

/// Model FLOPs count the half that a causal mask removes, and no more.
constexpr double kMostCounted = 2;
constexpr double kRounding = 1 + 1e-9;

/// `share`, `last_share` and `counted_share`; the defaults if an operator does not give them, or after a report.
struct Mask {
  double share = 1, last = 0, counted = 1;
};

/// Returns the part of the keys that the last query sees under a causal mask that leaves this share of all pairs: the r
/// with share = r - r²/2. A larger share than one half is no causal mask.
double reachOf(double share) {
  return share > 0.5 ? share : 1 - std::sqrt(1 - 2 * share);
}

Mask readMask(ModelState& state, OpContext& op) {
  Mask mask;
  if (const syntax::Fact* f = factOf(op, "share")) mask.share = factor(state, op, *f, 1).value_or(mask.share);
  if (const syntax::Fact* f = factOf(op, "last_share")) mask.last = factor(state, op, *f, 1).value_or(mask.last);
  mask.counted =
      mask.last > 0 ? std::min(std::max(mask.share, mask.last), kMostCounted * mask.share) : reachOf(mask.share);
  if (const syntax::Fact* f = factOf(op, "counted_share"))
    mask.counted = factor(state, op, *f, 1).value_or(mask.counted);
  return mask;
}

/// The operator's own dimensions for `dim` of its operands: queries and keys in self-attention.
std::vector<ir::DimId> dimsOf(const ModelState& state, const OpContext& op, ir::DimId dim) {
  std::vector<ir::DimId> own;
  for (const OperandInfo& o : op.operands) {
    const std::vector<ir::DimId>& dims = state.model->values[o.value].dims;
    for (size_t i = 0; i < dims.size(); ++i)
      if (dims[i] == dim && std::find(own.begin(), own.end(), o.dims[i]) == own.end()) own.push_back(o.dims[i]);
  }
  return own;
}

/// Sums tokens · keys over the documents, for all keys and for those that the mask leaves.
void pack(ModelState& state, OpContext& op, const ir::Documents& documents, double sequence) {
  const double keys = ir::keysOfToken(documents, sequence);
  double left = 0, counted = 0, longest = 0;
  for (const ir::DocumentLength& d : ir::documentLengths(documents, sequence)) {
    op.document = d.tokens;
    const Mask mask = readMask(state, op);
    left += d.share * d.tokens * mask.share;
    counted += d.share * d.tokens * mask.counted;
    // With a mean and a spread the longest document is unknown. The mean document length of a token is used instead.
    longest = documents.lengths.empty() ? keys : d.tokens;
  }
  op.document = longest;
  const Mask end = readMask(state, op);
  op.document.reset();
  op.op.packed = keys / sequence;
  op.op.share = left / keys;
  op.op.countedShare = counted / keys;
  op.op.lastShare = std::max(end.last, end.share) * longest / keys;
  op.op.longest = ir::LongestDocument{end.share * longest / keys, longest / sequence};
  if (op.op.kind == ir::OpKind::Attention) op.op.flops = op.op.flops.scaled(op.op.packed);
}

} // namespace

void masks(ModelState& state, OpContext& op) {
  if (!ir::isAttention(op.op.kind)) return;
  const Mask mask = readMask(state, op);
  op.op.share = mask.share, op.op.lastShare = mask.last, op.op.countedShare = mask.counted;
  if (const syntax::Fact* f = factOf(op, "counted_share"); f && mask.counted > kMostCounted * mask.share * kRounding) {
    state.context
        .report(CountsMasked, f->value->range,
                {{"counted", fmt::format("{:.4g}", mask.counted)}, {"share", fmt::format("{:.4g}", mask.share)}})
        .help("state what a causal mask leaves and its masked half: twice `share`, or less");
    state.failed = true;
  }
  if (!state.extents.documents || !op.known || state.failed) return;
  const std::vector<ir::DimId> counted = state.model->countedDims();
  if (counted.size() != 1) return; // reported after the model is built
  op.packed = dimsOf(state, op, counted.front());
  // Queries may read rows that stand for the tokens of their own dimension: pooled keys.
  const bool ofItself = op.op.queries.valid() && op.op.queries == op.op.keys && !op.packed.empty();
  if (op.packed.size() < 2 && !ofItself) return;
  state.extents.attended = true;
  const double sequence = static_cast<double>(state.model->dims[counted.front()].extent);
  if (state.extents.documents->fit(sequence)) pack(state, op, *state.extents.documents, sequence); // else reported
}

} // namespace planc::frontend
