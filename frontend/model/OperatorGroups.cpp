// Reads the limit on how far the copies of a routed element spread: `groups` and `group_limit` (docs/language.md,
// section 7).
// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/OpContext.h"

namespace planc::frontend {

PLANC_ERROR(GroupLimitRange, 464, "`group_limit` must be a whole number from 1 to `groups`; it is {limit} of {groups}")
PLANC_ERROR(UnequalGroups, 466, "`{dim}` ({extent}) is not divisible into {groups} equal groups")

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
    reportIdleFact(state, op, f.name.range, f.name.text.view(), reason).help(std::string(help));
  };
  if (!groups || !limit)
    return idle(groups ? *groups : *limit, groups ? "it has no `group_limit`" : "it has no `groups`",
                "state both, such as `groups = 8` and `group_limit = 4`: copies reach at most 4 of 8 groups");
  if (!factOf(op, "copies"))
    return idle(*limit, "it has no `copies`",
                "state how many copies of an element are sent, `copies = extent(k)`, or remove it");

  const Value g = state.ev.evaluate(*groups->value, op.scope), l = state.ev.evaluate(*limit->value, op.scope);
  if (g.invalid() || l.invalid()) return void(state.ok(!op.known));
  if (!g.isInt() || !l.isInt() || l.asDouble() < 1 || l.asDouble() > g.asDouble()) {
    state.context.report(GroupLimitRange, limit->value->range, {{"limit", show(l)}, {"groups", show(g)}})
        .label(groups->value->range, "the groups")
        .help("both are whole numbers; `group_limit = 1; groups = 1` sets no limit");
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
      .help("groups have equally many adjacent places: choose a number of groups that divides it");
  state.failed = true;
}

} // namespace planc::frontend
