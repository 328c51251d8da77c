// Matches accumulated gradients, in order of time, with the updates that follow them.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/kineto/KinetoUpdates.h"

#include <algorithm>
#include <map>

namespace planc::calibrate {

namespace {

/// Returns whether the trace has messages other than all-reduces. A rank then updates other elements than it
/// accumulates.
bool isSharded(const Trace& trace) {
  const auto shards = [](const std::optional<TraceMessage>& message) {
    const auto known =
        message ? kinetoVocabulary().collectives.find(message->collective) : kinetoVocabulary().collectives.end();
    return known != kinetoVocabulary().collectives.end() &&
           parseCollective(known->second) != ir::CollectiveKind::AllReduce;
  };
  return std::any_of(trace.ops.begin(), trace.ops.end(), [&](const TraceOp& op) { return shards(op.message); }) ||
         std::any_of(trace.kernels.begin(), trace.kernels.end(),
                     [&](const TraceKernel& k) { return shards(k.message); });
}

} // namespace

std::optional<ir::DType> updatedType(const Trace& trace) {
  if (isSharded(trace)) return std::nullopt;
  std::map<ir::DType, double> elements;
  for (const TraceOp& op : trace.ops) {
    if (op.name != kinetoVocabulary().accumulate || op.operands.empty()) continue;
    if (const auto own = typeOf(kinetoVocabulary().types, op.operands[0].type.view()))
      elements[*own] += op.operands[0].elements;
  }
  const auto most = std::max_element(elements.begin(), elements.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == elements.end() ? std::nullopt : std::optional(most->first);
}

std::vector<TraceUpdate> updatesOf(const Trace& trace) {
  std::vector<TraceUpdate> out;
  if (isSharded(trace)) return out;
  std::vector<int> order;
  for (size_t i = 0; i < trace.ops.size(); ++i) order.push_back(static_cast<int>(i));
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return trace.ops[static_cast<size_t>(a)].begin < trace.ops[static_cast<size_t>(b)].begin;
  });
  double elements = 0; // gradient elements of the last backward pass; each micro-batch accumulates them all
  std::optional<ir::DType> type;
  bool updating = false;
  for (const int index : order) {
    const TraceOp& op = trace.ops[static_cast<size_t>(index)];
    const bool forward = op.parent < 0 && op.sequence >= 0 && !op.backward;
    if (forward) elements = 0, updating = false;
    if (op.name == kinetoVocabulary().accumulate && !op.operands.empty()) {
      if (updating) elements = 0, updating = false;
      elements += op.operands[0].elements;
      if (const auto own = typeOf(kinetoVocabulary().types, op.operands[0].type.view())) type = own;
      continue;
    }
    const std::optional<Sample> update = updateWithoutShapes(op);
    if (!update || elements <= 0 || !type) continue;
    if (!updating) {
      out.push_back({*update, {}});
      out.back().sample[Extent::Params] = elements;
      out.back().sample.dtype = *type;
    }
    updating = true;
    out.back().ops.push_back(index);
  }
  double most = 0; // drops the step of a backward pass that began before the trace
  for (const TraceUpdate& u : out) most = std::max(most, u.sample[Extent::Params]);
  std::erase_if(out, [&](const TraceUpdate& u) { return u.sample[Extent::Params] < most; });
  return out;
}

} // namespace planc::calibrate
