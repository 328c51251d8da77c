// Which layers a message of states serves, how large it is, and how many layers' messages are in memory at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Task.h"

#include <functional>
#include <utility>
#include <vector>

namespace planc::cost {

/// How many instances of each class a virtual stage runs, whatever stands between them; in the order of their first
/// runs.
std::vector<std::pair<ir::LayerClassId, int64_t>> instancesOf(const ir::StageKind& stage);

/// How many instances of each class a device stage runs, its chunks together; by class id.
std::vector<int64_t> instancesOn(const ir::Program& program, int64_t stage);

/// Layers in one instance of a class: instances of innermost repeats that have states of their own, at least one.
int64_t layersOf(const ir::LayerClass& layerClass);

/// Messages of one layer's state collective (docs/language.md, section 11): more than one if it is larger than the
/// `bucket` of stack or plan, a fraction if it shares a message with its neighbours, as reductions and collectives of
/// the step do. Without a bucket a layer has a message of its own.
double bucketsOf(const ir::Schedule& schedule, ir::LayerClassId layerClass, const ir::StateCollective& state);

/// A message is full when less than this share of it is empty.
inline constexpr double kFull = 1e-9;
/// Whether messages of layers flow together: reductions of gradients, and collectives of the step.
bool sharesMessages(const ir::StateCollective& state);
/// Whether two collectives fill the same messages: of one kind over the same axes at the same time.
bool fillTogether(const ir::StateCollective& a, const ir::StateCollective& b);
/// The place in `kinds`, which have a state that they are `like`, of the one whose messages a state fills; added if
/// there is none.
template <class Kinds> size_t kindOf(Kinds& kinds, const ir::StateCollective& state) {
  size_t k = 0;
  while (k < kinds.size() && !fillTogether(*kinds[k].like, state)) ++k;
  if (k == kinds.size()) kinds.emplace_back().like = &state;
  return k;
}

/// What a state collective of one layer sends: a message, as a node, and `bucketsOf` of them.
struct Messages {
  ir::Node one;
  double count = 1;
};
Messages messagesOf(const ir::Schedule& schedule, ir::LayerClassId layerClass, const ir::StateCollective& state);

/// The most bytes of `window` layers in a row on a virtual stage. `bytes` counts what one layer has of a collective.
double mostBytes(const ir::Program& program, const ir::StageKind& stage, int64_t window,
                 const std::function<double(const ir::StateCollective&)>& bytes);

/// Bytes of gradients that are being filled and reduced at once: `messages` of them, those that are filled one after
/// the other in backward.
double bytesReducing(const ir::Schedule& schedule, const ir::StageKind& stage, int64_t messages);

} // namespace planc::cost
