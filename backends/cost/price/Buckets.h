// Messages of state collectives: the layers that share a message, its size, and how many are in memory at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Task.h"

#include <functional>
#include <utility>
#include <vector>

namespace planc::cost {

/// Returns the number of instances of each class on a virtual stage, in the order of their first runs. Runs of one
/// class count together, even if runs of other classes lie between them.
std::vector<std::pair<ir::LayerClassId, int64_t>> instancesOf(const ir::StageKind& stage);

/// Returns the number of layers in one instance of a class: the instances of innermost repeats that
/// have states of their own, at least 1.
int64_t layersOf(const ir::LayerClass& layerClass);

/// Returns how many messages the state collective of one layer takes (docs/language.md, section 11). The number is
/// above 1 if the collective is larger than the `bucket` of the stack or the plan. It is a fraction if the layer shares
/// a message with its neighbours, as gradient reductions and collectives of the step do. Without a bucket each layer
/// has one message.
double bucketsOf(const ir::Schedule& schedule, ir::LayerClassId layerClass, const ir::StateCollective& state);

/// A message counts as full if less than this share of it is empty.
inline constexpr double kFull = 1e-9;
/// Returns whether layers share messages of this collective: true for gradient reductions and collectives of the step.
bool sharesMessages(const ir::StateCollective& state);
/// Returns whether two collectives fill the same messages: the same kind over the same axes at the same time.
bool fillTogether(const ir::StateCollective& a, const ir::StateCollective& b);
/// Returns the index of the element of `kinds` whose messages `state` fills, and appends an element if `kinds` has no
/// such element. Compares `state` with the member `like` of each element.
template <class Kinds> size_t kindOf(Kinds& kinds, const ir::StateCollective& state) {
  size_t k = 0;
  while (k < kinds.size() && !fillTogether(*kinds[k].like, state)) ++k;
  if (k == kinds.size()) kinds.emplace_back().like = &state;
  return k;
}

/// The messages of a state collective of one layer: one of them as a node, and their number (`bucketsOf`).
struct Messages {
  ir::Node one;
  double count = 1;
};
Messages messagesOf(const ir::Schedule& schedule, ir::LayerClassId layerClass, const ir::StateCollective& state);

/// Returns the most bytes of any `window` adjacent layers on a virtual stage. `bytes` returns the bytes of one layer in
/// a collective.
double mostBytes(const ir::Program& program, const ir::StageKind& stage, int64_t window,
                 const std::function<double(const ir::StateCollective&)>& bytes);

/// Returns the bytes of the gradient messages that are filled or reduced at once: the largest total size
/// of any `messages` messages that backward fills in a row.
double bytesReducing(const ir::Schedule& schedule, const ir::StageKind& stage, int64_t messages);

} // namespace planc::cost
