// Changes of a plan as data: candidates of a search, `--set`, and changes that may make a plan fit in memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/Plan.h"
#include "support/Diagnostics.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace planc::ir {

/// A fact by its path (`train.micro_batch`, `cluster.node.bandwidth`) and the text of its value.
struct FactEdit {
  std::string path, value;
  bool operator==(const FactEdit&) const = default;
};

/// Another size of an existing axis, which keeps its position.
struct AxisEdit {
  Symbol axis;
  int64_t size = 1;
};

/// Another schedule, or other arguments of the same schedule.
struct ScheduleEdit {
  Symbol schedule;
  std::vector<ScheduleArgument> arguments;
};

/// A change of a plan. It changes only what it names: values that the plan's text computes from a changed axis or fact
/// stay as they were. A settled balanced cut must be settled again, as after the same change of the text.
struct PlanEdit {
  std::vector<FactEdit> facts = {};
  std::vector<AxisEdit> axes = {};
  std::optional<int64_t> microBatch = {}, globalBatch = {};
  std::optional<ScheduleEdit> schedule = {};
  std::optional<Stages> cut = {};             ///< the cut of a pipeline without stage lines
  std::vector<PlacementRule> placements = {}; ///< each replaces the rule of its selector and dimension, or is added
  std::vector<StateRule> states = {};         ///< each replaces the rule of its selector and state, or is added
  std::optional<std::vector<Recompute>> recompute =
      {};                       ///< replaces all statements; an empty list: nothing is recomputed
  std::vector<Keep> keeps = {}; ///< added to the plan's statements
};

/// Applies the change. Returns false and reports each part that does not fit: layers, axes and facts that the plan does
/// not have (PLAN0930), values of another type or out of their range (PLAN0934), and facts that are settled when the
/// plan's text is read (PLAN0935). The plan is then changed in part.
bool apply(const PlanEdit& edit, Plan& plan, DiagnosticEngine& diagnostics);

/// PLAN0930, `{owner}` has no `{name}` to set. The frontend also reports it, for facts that are set before a plan is
/// built.
const DiagnosticKind& nothingToSet();

/// Adds all changes of another edit.
void append(PlanEdit& edit, const PlanEdit& other);

/// Returns the rule among `rules` that `rule` replaces: it has the same layers, and the same dimension or state. Null
/// if there is none.
const PlacementRule* replacedBy(const PlacementRule& rule, const std::vector<PlacementRule>& rules);
const StateRule* replacedBy(const StateRule& rule, const std::vector<StateRule>& rules);

/// The declaration of a plan that an expression names, with the arguments that the expression binds.
struct PlanReference {
  std::string name;
  std::string path;                                           ///< path of the file that declares it, as in diagnostics
  std::vector<std::pair<std::string, std::string>> arguments; ///< parameter and value; empty value: it is no literal
};

} // namespace planc::ir
