// How far the copies of a routed element spread: `groups` and `group_limit` (docs/language.md, section 7).
// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/OpContext.h"

namespace planc::frontend {

PLANC_ERROR(GroupLimitRange, 464,
            "copies reach from 1 to all of the groups of their places; this is {limit} of {groups}")
PLANC_ERROR(GroupLimitIdle, 465, "`{name}` of operator `{op}` bounds nothing: {reason}")
PLANC_ERROR(UnequalGroups, 466, "{extent} `{dim}` do not stand in {groups} equal groups")

namespace {

const syntax::Fact* groupFact(const OpContext& op, std::string_view name) {
  for (const syntax::OpItem& item : op.syntax.items)
    if (const auto* f = std::get_if<syntax::Fact>(&item); f && f->name.text.view() == name && f->members.empty())
      return f;
  return nullptr;
}

/// The dimension whose places data choose; none where the operator has no routed one.
ir::DimId chosenDim(const ir::Model& model, const std::vector<ir::DimId>& dims) {
  for (ir::DimId d : dims)
    if (model.dims[d].kind == ir::DimKind::Routed) return model.dims[d].chosen;
  return {};
}

} // namespace

void ModelBuilder::groupLimit(OpContext& op) {
  const syntax::Fact *groups = groupFact(op, "groups"), *limit = groupFact(op, "group_limit");
  if (!groups && !limit) return;
  auto idle = [&](const syntax::Fact& f, std::string_view reason, std::string_view help) {
    context_
        .report(GroupLimitIdle, f.name.range,
                {{"name", f.name.text.str()}, {"op", op.decl.name.str()}, {"reason", reason}})
        .help(std::string(help));
    failed_ = true;
  };
  if (!groups || !limit)
    return idle(groups ? *groups : *limit, groups ? "it has no `group_limit`" : "it has no `groups`",
                "`groups = 8` and `group_limit = 4` stand together: copies reach 4 of 8 groups at most");
  if (!groupFact(op, "copies"))
    return idle(*limit, "it has no `copies`",
                "say in how many places an element goes, `copies = extent(k)`, or leave it out");

  const Value g = ev_.evaluate(*groups->value, op.scope), l = ev_.evaluate(*limit->value, op.scope);
  if (g.invalid() || l.invalid()) return void(ok(!op.known));
  if (!g.isInt() || !l.isInt() || l.asDouble() < 1 || l.asDouble() > g.asDouble()) {
    context_.report(GroupLimitRange, limit->value->range, {{"limit", show(l)}, {"groups", show(g)}})
        .label(groups->value->range, "the groups")
        .help("both are whole numbers; `group_limit = 1; groups = 1` bounds nothing");
    failed_ = true;
    return;
  }
  op.op.groupLimit = {g.asDouble(), l.asDouble()};
  const ir::DimId chosen = chosenDim(*model_, op.op.dims);
  if (!chosen.valid() || model_->dims[chosen].extent % g.integer == 0) return;
  context_
      .report(UnequalGroups, op.call,
              {{"extent", model_->dims[chosen].extent}, {"dim", model_->dims[chosen].name.str()}, {"groups", show(g)}})
      .label(groups->value->range, "the groups")
      .help("groups are neighbours of equal number: choose a number of groups that divides it");
  failed_ = true;
}

} // namespace planc::frontend
