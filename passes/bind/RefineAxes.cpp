// refine-axes: splits an axis in two if a composite dimension gives only a part of it to its major factor
// (docs/language.md, section 10).
// SPDX-License-Identifier: Apache-2.0
#include "passes/Steps.h"

#include <numeric>

namespace planc::passes {
using namespace ir;

namespace {

/// Gives the rule's axes to the factors, major first. Returns true if it split an axis and so changed the mesh.
bool refineOnce(ProgramHead& program, const PlacementRule& rule, const Composite& composite) {
  Mesh& mesh = program.mesh;
  const AxisList left = resolveTargets(mesh, rule.targets);
  size_t at = 0;
  for (DimId factor : composite.factors) {
    int64_t room = program.model->dims[factor].extent;
    while (at < left.size() && room > 1) {
      const int64_t size = mesh.axes[left[at]].size;
      const int64_t common = std::gcd(room, size);
      if (common == 1) break;
      if (common < size) {
        mesh.refine(left[at], common);
        return true;
      }
      room /= size;
      ++at;
    }
  }
  return false;
}

} // namespace

bool refineAxes(ProgramHead& program, DiagnosticEngine&) {
  constexpr uint32_t kMaxAxes = 64; // bits of an AxisMask
  for (const PlacementRule& rule : program.plan->placements)
    for (const Composite& composite : program.model->composites)
      if (composite.name == rule.dim)
        while (program.mesh.axes.size() + 2 <= kMaxAxes && refineOnce(program, rule, composite)) {
        }
  return true;
}

} // namespace planc::passes
