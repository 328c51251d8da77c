// What states move and leave, by mesh, rules and ties.
// SPDX-License-Identifier: Apache-2.0
#include "passes/KnownStates.h"

#include <algorithm>

namespace planc::passes {
using namespace ir;

void KnownStates::begin(const Program& program) {
  none_ = program.routes != 1;
  if (none_) return;
  const auto at = std::find_if(placed_.begin(), placed_.end(), [&](const Placed& p) {
    return p.states == program.plan->states && p.mesh == program.mesh;
  });
  if (at != placed_.end()) return placed_.splice(placed_.begin(), placed_, at);
  placed_.push_front({program.mesh, program.plan->states, {}});
  placed_.front().classes.resize(program.classes.size());
  if (placed_.size() > kMost) placed_.pop_back();
}

KnownStates::Class* KnownStates::of(const Program& program, LayerClassId layerClass) {
  if (none_) return nullptr;
  auto& known = placed_.front().classes[layerClass.index];
  const std::vector<ParamState>& params = program.classes[layerClass].params;
  const auto at = std::find_if(known.begin(), known.end(), [&](const auto& entry) {
    return std::ranges::equal(entry.first, params, [](const Tie& tie, const ParamState& p) {
      return tie.owner == p.owner && tie.partial == p.partial;
    });
  });
  if (at != known.end()) return &at->second;
  std::vector<Tie> ties;
  ties.reserve(params.size());
  for (const ParamState& p : params) ties.push_back({p.owner, p.partial});
  known.emplace_front(std::move(ties), Class{});
  if (known.size() > kMost) known.pop_back();
  return &known.front().second;
}

} // namespace planc::passes
