// Changes of a plan as data: what a search tries, what `--set` says, what may make a plan fit.
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

/// Another size of an axis that is there; its place stays.
struct AxisEdit {
  Symbol axis;
  int64_t size = 1;
};

/// Another schedule, or the same with other arguments.
struct ScheduleEdit {
  Symbol schedule;
  std::vector<ScheduleArgument> arguments;
};

/// A change of a plan. It changes what it names and nothing else: what the text computes from an axis or a fact stays
/// as it was computed. A balanced cut that was settled is to be settled again, as for the text that says the change.
struct PlanEdit {
  std::vector<FactEdit> facts = {};
  std::vector<AxisEdit> axes = {};
  std::optional<int64_t> microBatch = {}, globalBatch = {};
  std::optional<ScheduleEdit> schedule = {};
  std::optional<Stages> cut = {};             ///< of a pipeline without stage lines
  std::vector<PlacementRule> placements = {}; ///< each in place of the one of its selector and dimension, or beside all
  std::vector<StateRule> states = {};         ///< idem, of its selector and state
  std::optional<std::vector<Recompute>> recompute =
      {};                       ///< in place of all statements; none of them: nothing is recomputed
  std::vector<Keep> keeps = {}; ///< beside those that there are
};

/// Makes the change. False, with a report each, for what does not fit: what the plan does not have (PLAN0930: layers,
/// axes, facts), values of another type or out of their range (PLAN0934), and facts that are settled when its text is
/// read (PLAN0935). The plan is then in between.
bool apply(const PlanEdit& edit, Plan& plan, DiagnosticEngine& diagnostics);

/// PLAN0930, `{owner}` has no `{name}` to set: the frontend reports it of what is set before there is a plan.
const DiagnosticKind& nothingToSet();

/// Adds all that another edit says.
void append(PlanEdit& edit, const PlanEdit& other);

/// The one of some rules that a rule takes the place of: it has the same layers, and the same dimension or state. Null
/// if there is none.
const PlacementRule* replacedBy(const PlacementRule& rule, const std::vector<PlacementRule>& rules);
const StateRule* replacedBy(const StateRule& rule, const std::vector<StateRule>& rules);

/// The declaration of a plan that an expression names, with the arguments that the expression binds.
struct PlanReference {
  std::string name;
  std::string path;                                           ///< of the file that declares it, as diagnostics print it
  std::vector<std::pair<std::string, std::string>> arguments; ///< parameter and value; empty: no literal says the value
};

} // namespace planc::ir
