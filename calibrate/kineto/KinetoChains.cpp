// Finds chains by operator names, and their backward passes by sequence numbers.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/kineto/KinetoChains.h"

#include <algorithm>
#include <set>

namespace planc::calibrate {

namespace {

/// Returns the element count of an operator's largest operand.
double largestOf(const TraceOp& op) {
  double most = 0;
  for (const TraceOperand& o : op.operands) most = std::max(most, o.elements);
  return most;
}

} // namespace

TraceChains::TraceChains(const Trace& trace)
    : trace_(trace), silent_(trace.ops.size(), true), members_(trace.ops.size()) {
  std::map<std::pair<uint64_t, int>, std::vector<int>> siblings; // by thread and parent, sorted by time
  for (size_t i = 0; i < trace.ops.size(); ++i)
    siblings[{trace.ops[i].thread, trace.ops[i].parent}].push_back(static_cast<int>(i));
  for (size_t i = trace.ops.size(); i-- > 0;) { // inner operators come after the outer ones
    if (trace.ops[i].kernels > 0) silent_[i] = false;
    if (!silent_[i] && trace.ops[i].parent >= 0) silent_[static_cast<size_t>(trace.ops[i].parent)] = false;
  }
  for (const auto& [key, list] : siblings) findIn(list);
  linkBackward();
}

void TraceChains::findIn(const std::vector<int>& siblings) {
  for (size_t i = 0; i < siblings.size(); ++i) {
    if (op(siblings[i]).backward) continue;
    for (const ChainRow& row : kinetoVocabulary().chains) {
      std::vector<size_t> members;
      const size_t end = matchAt(siblings, i, row, members);
      if (end == 0) continue;
      const TraceOp& first = op(siblings[i]);
      const std::optional<Sample> sample = chainSample(row, first);
      // The last operator must have as many elements as the first; otherwise the chain is something else.
      if (!sample || largestOf(first) != largestOf(op(siblings[members.back()]))) continue;
      add(siblings, members, *sample);
      i = end - 1;
      break;
    }
  }
}

/// Returns the index after the last operator of a match that begins at `from`; 0 if there is no match.
size_t TraceChains::matchAt(const std::vector<int>& siblings, size_t from, const ChainRow& row,
                            std::vector<size_t>& members) const {
  size_t at = from;
  for (const Symbol name : row.operators) {
    const auto passed = [&](int index) {
      return silent_[static_cast<size_t>(index)] ||
             std::find(row.between.begin(), row.between.end(), op(index).name) != row.between.end();
    };
    while (at < siblings.size() && at > from && op(siblings[at]).name != name && passed(siblings[at])) ++at;
    if (at >= siblings.size() || op(siblings[at]).name != name) return 0;
    members.push_back(at++);
  }
  return at;
}

void TraceChains::add(const std::vector<int>& siblings, const std::vector<size_t>& members, Sample sample) {
  const auto chain = static_cast<int>(chains_.size());
  chains_.push_back({std::move(sample), op(siblings[members.front()]).begin});
  for (const size_t member : members) {
    const TraceOp& own = op(siblings[member]);
    members_[static_cast<size_t>(siblings[member])] = {chain, false};
    if (own.sequence < 0) continue;
    // An operator carries the number of the next autograd node, and creates the nodes up to the number of the next
    // operator.
    int64_t next = own.sequence + 1;
    for (size_t i = member + 1; i < siblings.size(); ++i)
      if (op(siblings[i]).sequence >= 0) {
        next = op(siblings[i]).sequence;
        break;
      }
    constexpr int64_t kMost = 16; // most nodes that one operator creates
    for (int64_t node = own.sequence; node < std::min(next, own.sequence + kMost); ++node) nodes_.emplace(node, chain);
  }
}

/// Sequence numbers restart on every thread. Of several chains with a number, take the last one that began before the
/// node.
void TraceChains::linkBackward() {
  for (size_t i = 0; i < trace_.ops.size(); ++i) {
    const TraceOp& node = trace_.ops[i];
    if (!node.backward || node.sequence < 0) continue;
    const auto [from, to] = nodes_.equal_range(node.sequence);
    const Chain* nearest = nullptr;
    for (auto it = from; it != to; ++it) {
      const Chain& chain = chains_[static_cast<size_t>(it->second)];
      if (chain.begin > node.begin || (nearest && nearest->begin > chain.begin)) continue;
      nearest = &chain;
      members_[i] = {it->second, true};
    }
  }
}

TraceChains::Membership TraceChains::of(int index) const {
  for (; index >= 0; index = op(index).parent)
    if (members_[static_cast<size_t>(index)].chain >= 0) return members_[static_cast<size_t>(index)];
  return {};
}

} // namespace planc::calibrate
