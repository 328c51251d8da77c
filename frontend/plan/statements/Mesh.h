// The axes of a plan during elaboration.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/Merged.h"

#include <limits>

namespace planc::frontend {

/// The target of a rule that splits over no axis.
inline constexpr std::string_view kNoAxis = "replicate";

/// Returns whether the axis takes the remaining devices of the cluster: `dp = rest`. If the plan defines the name
/// `rest`, that name has priority.
bool takesRest(Evaluator& ev, const AxisDraft& axis);
/// The axis that takes the rest for all parameter values, so that a search fills it; null if there is none.
AxisDraft* restAxis(Evaluator& ev, MeshDraft& mesh);
/// Reports an axis that takes the rest but whose size is needed to compute it. `needs`: the value that needs the size.
DiagnosticEngine::Builder reportRestOfItself(Context& context, const AxisDraft& axis, std::string_view needs);
/// The size of an axis that takes the rest; nothing if there is no cluster, or after a report.
std::optional<int64_t> restSize(Evaluator& ev, MeshDraft& mesh, AxisDraft& axis);

/// The size of an axis or a group, computed once; nothing after a report.
std::optional<int64_t> axisSize(Evaluator& ev, MeshDraft& mesh, AxisDraft& axis);

/// Returns whether an axis exists; reports if not. `layer`: index of the plan that names it in `block`, for a block
/// that is inherited as a whole: a replaced mesh may have dropped the axis.
bool knownAxis(Context& context, MeshDraft& mesh, Symbol name, SourceRange at,
               int layer = std::numeric_limits<int>::max(), std::string_view block = {});

} // namespace planc::frontend
