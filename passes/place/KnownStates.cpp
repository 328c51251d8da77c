// Caches state movement and gradients by mesh, rules and ties.
// SPDX-License-Identifier: Apache-2.0
#include "passes/place/KnownStates.h"

#include <algorithm>

namespace planc::passes {
using namespace ir;

bool KnownStates::place(ProgramHead& program) {
  const auto at = std::find_if(placed_.begin(), placed_.end(), [&](const Placed& p) {
    return p.rules == program.plan->states && p.mesh == program.mesh;
  });
  if (at == placed_.end()) return false;
  placed_.splice(placed_.begin(), placed_, at);
  for (uint32_t b = 0; b < program.classCount(); ++b) program.head(LayerClassId(b)).params = at->params[b];
  return true;
}

void KnownStates::add(const ProgramHead& program) {
  Placed& placed = placed_.emplace_front(Placed{program.mesh, program.plan->states, {}, {}});
  for (const ClassHead& layerClass : program.heads()) placed.params.push_back(layerClass.params);
  placed.tied.resize(program.classCount());
  if (placed_.size() > kMost) placed_.pop_back();
}

KnownStates::Class* KnownStates::of(const ProgramHead& program, LayerClassId id) {
  if (program.routes != 1) return nullptr;
  const Shared<std::vector<ParamState>>& params = program.head(id).params;
  // With equal meshes and rules, parameters can differ in nothing else.
  const auto tiedAlike = [&](const Class& known) {
    return known.params.sharedWith(params) ||
           std::ranges::equal(*known.params, *params, [](const ParamState& a, const ParamState& b) {
             return a.owner == b.owner && a.partial == b.partial;
           });
  };
  std::list<Class>& tied = placed_.front().tied[id.index];
  const auto at = std::find_if(tied.begin(), tied.end(), tiedAlike);
  if (at != tied.end()) return &*at;
  if (tied.size() == kMost) tied.pop_back();
  return &tied.emplace_front(Class{params, {}, {}});
}

} // namespace planc::passes
