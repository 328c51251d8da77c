// Helpers for the lines of `place` and `states` blocks, and for rules that are set from outside of the file.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/Merged.h"

#include <optional>
#include <string>
#include <vector>

namespace planc::frontend {

/// The subject of a rule: a dimension, or a state.
std::string_view subjectOf(const ir::PlacementRule& rule);
std::string_view subjectOf(const ir::StateRule& rule);
/// A key that is equal for rules of the same layers and the same dimension or state.
template <class Rule> std::string ruleKey(const Rule& rule) {
  return rule.selector.str() + " " + std::string(subjectOf(rule));
}

/// The axes that a rule names; empty for `replicate`. Nothing after a report.
std::optional<std::vector<Symbol>> targetsOf(Context& context, const syntax::PlaceRule& rule);
/// Removes `host` from the targets of a state. `host` is no axis: it puts the shard into the host memory. Returns false
/// if the targets do not contain it.
bool takeHost(std::vector<Symbol>& targets);
/// The state of a name; nothing after a report.
std::optional<ir::StateKind> stateOf(Context& context, const syntax::Name& state);
/// The facts `{ regather = false; when = condition }` of a rule of states.
struct StateFacts {
  bool regather = true; ///< only for parameters
  bool holds = true;    ///< value of `when`
};
/// Reads the facts of a rule of states. Nothing after a report.
std::optional<StateFacts> stateFacts(Elaboration& elab, const syntax::PlaceRule& rule, Scope& scope);
/// Reports a fact that `what` does not take, and fails the plan.
void reportRuleFact(Elaboration& elab, SourceRange at, std::string_view fact, std::string_view what,
                    std::string_view help);

} // namespace planc::frontend
