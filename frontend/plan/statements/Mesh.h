// The axes of a plan, while it is elaborated.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/Merged.h"

#include <limits>

namespace planc::frontend {

/// What a rule says in the place of axes that it has none of.
inline constexpr std::string_view kNoAxis = "replicate";

/// Does the axis take what the others leave of the cluster: `dp = rest`? A plan whose names have another meaning for
/// the word means that.
bool takesRest(Evaluator& ev, const AxisDraft& axis);
/// The axis that does so whatever the parameters are, which a search fills; null if none does.
AxisDraft* restAxis(Evaluator& ev, MeshDraft& mesh);
/// `needs`: what its size is computed from, and needs it.
DiagnosticEngine::Builder reportRestOfItself(Context& context, const AxisDraft& axis, std::string_view needs);
/// Its size; nothing where there is no cluster, or after a report.
std::optional<int64_t> restSize(Evaluator& ev, MeshDraft& mesh, AxisDraft& axis);

/// The size of an axis or a group, computed once; nothing after a report.
std::optional<int64_t> axisSize(Evaluator& ev, MeshDraft& mesh, AxisDraft& axis);

/// Whether there is such an axis; reports if not. `layer`: of the plan that names it in `block`, if it is inherited as
/// a whole: a mesh laid out anew may have lost it.
bool knownAxis(Context& context, MeshDraft& mesh, Symbol name, SourceRange at,
               int layer = std::numeric_limits<int>::max(), std::string_view block = {});

} // namespace planc::frontend
