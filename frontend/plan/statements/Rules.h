// What lines of `place` and `states` blocks and rules that are set beside the file have in common.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/Merged.h"

#include <optional>
#include <string>
#include <vector>

namespace planc::frontend {

/// What a rule is about: a dimension, or a state.
std::string_view subjectOf(const ir::PlacementRule& rule);
std::string_view subjectOf(const ir::StateRule& rule);
/// Equal for rules of the same layers and the same dimension or state.
template <class Rule> std::string ruleKey(const Rule& rule) {
  return rule.selector.str() + " " + std::string(subjectOf(rule));
}

/// The axes that a rule names, none for `replicate`. Null after a report.
std::optional<std::vector<Symbol>> targetsOf(Context& context, const syntax::PlaceRule& rule);
/// Removes `host` from the targets of a state, which is no axis: the shard lives in the host's memory. False if it is
/// not among them.
bool takeHost(std::vector<Symbol>& targets);
/// Null after a report.
std::optional<ir::StateKind> stateOf(Context& context, const syntax::Name& state);
/// The facts `{ regather = false; when = condition }` of a rule of states.
struct StateFacts {
  bool regather = true; ///< of parameters alone
  bool holds = true;    ///< what `when` says
};
/// Null after a report.
std::optional<StateFacts> stateFacts(Elaboration& elab, const syntax::PlaceRule& rule, Scope& scope);
/// Reports a fact that `what` does not take, and fails the plan.
void reportRuleFact(Elaboration& elab, SourceRange at, std::string_view fact, std::string_view what,
                    std::string_view help);

} // namespace planc::frontend
