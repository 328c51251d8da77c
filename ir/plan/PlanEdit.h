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

/// Makes the change. False, with a report each, for what does not fit: what the plan does not have (PLAN0933: layers,
/// axes, facts), values of another type or out of their range (PLAN0934), and facts that are settled when its text is
/// read (PLAN0935). The plan is then in between.
bool apply(const PlanEdit& edit, Plan& plan, DiagnosticEngine& diagnostics);

/// Adds all that another edit says.
void append(PlanEdit& edit, const PlanEdit& other);

/// What a plan's machine or software says of a fact by its path, `cluster.node.bandwidth`; null where it says nothing.
const Number* numberAt(const Plan& plan, std::string_view path);

/// The rule of a plan that a rule of an edit takes the place of; null if there is none.
const PlacementRule* replacedBy(const PlacementRule& rule, const Plan& plan);
const StateRule* replacedBy(const StateRule& rule, const Plan& plan);

/// The declaration of a plan that an expression names, with the arguments that the expression binds.
struct PlanReference {
  std::string name;
  std::string path;                                           ///< of the file that declares it, as diagnostics print it
  std::vector<std::pair<std::string, std::string>> arguments; ///< parameter and value; empty: no literal says the value
};

} // namespace planc::ir
