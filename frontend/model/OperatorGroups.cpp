// Reads the limit on how far the copies of a routed element spread: `groups` and `group_limit` (docs/language.md,
// section 7).
// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/OpContext.h"

namespace planc::frontend {

PLANC_ERROR(GroupLimitRange, 464,
            "copies reach from 1 to all of the groups of their places; this is {limit} of {groups}")
PLANC_ERROR(GroupLimitIdle, 465, "`{name}` of operator `{op}` bounds nothing: {reason}")
PLANC_ERROR(UnequalGroups, 466, "{extent} `{dim}` do not stand in {groups} equal groups")

namespace {

/// The dimension from which the data chooses; invalid if the operator has no routed dimension.
ir::DimId chosenDim(const ir::Model& model, const std::vector<ir::DimId>& dims) {
  for (ir::DimId d : dims)
    if (model.dims[d].kind == ir::DimKind::Routed) return model.dims[d].chosen;
  return {};
}

} // namespace

void groupLimit(ModelState& state, OpContext& op) {
  const syntax::Fact *groups = factOf(op, "groups"), *limit = factOf(op, "group_limit");
  if (!groups && !limit) return;
  auto idle = [&](const syntax::Fact& f, std::string_view reason, std::string_view help) {
    state.context
        .report(GroupLimitIdle, f.name.range,
                {{"name", f.name.text.str()}, {"op", op.decl.name.str()}, {"reason", reason}})
        .help(std::string(help));
    state.failed = true;
  };
  if (!groups || !limit)
    return idle(groups ? *groups : *limit, groups ? "it has no `group_limit`" : "it has no `groups`",
                "`groups = 8` and `group_limit = 4` stand together: copies reach 4 of 8 groups at most");
  if (!factOf(op, "copies"))
    return idle(*limit, "it has no `copies`",
                "say in how many places an element goes, `copies = extent(k)`, or leave it out");

  const Value g = state.ev.evaluate(*groups->value, op.scope), l = state.ev.evaluate(*limit->value, op.scope);
  if (g.invalid() || l.invalid()) return void(state.ok(!op.known));
  if (!g.isInt() || !l.isInt() || l.asDouble() < 1 || l.asDouble() > g.asDouble()) {
    state.context.report(GroupLimitRange, limit->value->range, {{"limit", show(l)}, {"groups", show(g)}})
        .label(groups->value->range, "the groups")
        .help("both are whole numbers; `group_limit = 1; groups = 1` bounds nothing");
    state.failed = true;
    return;
  }
  op.op.groupLimit = {g.asDouble(), l.asDouble()};
  const ir::DimId chosen = chosenDim(*state.model, op.op.dims);
  if (!chosen.valid() || state.model->dims[chosen].extent % g.integer == 0) return;
  state.context
      .report(UnequalGroups, op.call,
              {{"extent", state.model->dims[chosen].extent},
               {"dim", state.model->dims[chosen].name.str()},
               {"groups", show(g)}})
      .label(groups->value->range, "the groups")
      .help("groups are neighbours of equal number: choose a number of groups that divides it");
  state.failed = true;
}

} // namespace planc::frontend
