// The fields of every syntax tree node, listed once. Code that writes, reads and compares trees uses these lists.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/syntax/Tree.h"

#include <tuple>

namespace planc::syntax {

/// Defines `fields(node)`: references to all members of a node, in order. A structured binding must name every member,
/// so that a new member that is missing here is a compile error.
#define PLANC_FIELDS(Node, ...)                                                                                        \
  inline auto fields(Node& node) {                                                                                     \
    auto& [__VA_ARGS__] = node;                                                                                        \
    return std::tie(__VA_ARGS__);                                                                                      \
  }                                                                                                                    \
  inline auto fields(const Node& node) {                                                                               \
    auto& [__VA_ARGS__] = node;                                                                                        \
    return std::tie(__VA_ARGS__);                                                                                      \
  }

PLANC_FIELDS(Name, text, range)
PLANC_FIELDS(DottedName, parts, range)
PLANC_FIELDS(Arg, name, value)
PLANC_FIELDS(Expr, kind, range, text, string, name, opRange, kids, args, facts)
PLANC_FIELDS(Reason, text, range)
PLANC_FIELDS(Fact, override_, name, args, members, value, reason, range)
PLANC_FIELDS(Require, condition, reason, range)
PLANC_FIELDS(SelectorStep, star, name, hasIndex, slice, begin, end, step, range)
PLANC_FIELDS(Selector, steps, range)
PLANC_FIELDS(Section, override_, name, at, items, range)
PLANC_FIELDS(DimRef, rest, name, value, range)
PLANC_FIELDS(Type, tensor, dims, dtype, path, args, range)
PLANC_FIELDS(Parameter, name, type, defaultValue, where, range)
PLANC_FIELDS(LetDecl, name, params, type, value, range)

PLANC_FIELDS(AxisItem, name, value, where, level, beside, neighbour, range)
PLANC_FIELDS(MeshBlock, whole, axes)
PLANC_FIELDS(PlaceRule, dims, targets, via, uneven, contiguous, optional, facts, range)
PLANC_FIELDS(PlaceItem, item)
PLANC_FIELDS(PlaceBlock, whole, selectors, items, range)
PLANC_FIELDS(StatesBlock, block)
PLANC_FIELDS(StageItem, index, selectors, range)
PLANC_FIELDS(PipelineBlock, axes, items)
PLANC_FIELDS(RecomputeStmt, selectors, facts, range)
PLANC_FIELDS(KeepStmt, selectors, side)
PLANC_FIELDS(VaryItem, path, placement, values, with)
PLANC_FIELDS(FillItem, path)
PLANC_FIELDS(WhereItem, condition, reason)
PLANC_FIELDS(GoalItem, maximize, value)
PLANC_FIELDS(SearchBlock, items)
PLANC_FIELDS(MeasuredStmt, metric, value, tolerance, reason)
PLANC_FIELDS(AssertStmt, condition, reason)
PLANC_FIELDS(AllowStmt, code, reason, range)
PLANC_FIELDS(PlanItem, override_, range, item)
PLANC_FIELDS(PlanDecl, name, params, extends, items)

PLANC_FIELDS(DimDecl, name, value, range)
PLANC_FIELDS(EnumDecl, name, members)
PLANC_FIELDS(SaveItem, names)
PLANC_FIELDS(ReduceItem, dims, facts, range)
PLANC_FIELDS(BackwardItem, names, facts, range)
PLANC_FIELDS(AlongItem, dims)
PLANC_FIELDS(ContestItem, dims)
PLANC_FIELDS(DetachItem, names)
PLANC_FIELDS(OpDecl, name, params, result, items)
PLANC_FIELDS(InItem, name, type, counts)
PLANC_FIELDS(ParamItem, frozen, name, type, tied)
PLANC_FIELDS(OutItem, value)
PLANC_FIELDS(LayerItem, name, type, value)
PLANC_FIELDS(Binding, name, value)
PLANC_FIELDS(RepeatItem, name, count, bindings, body)
PLANC_FIELDS(IfItem, condition, then, otherwise)
PLANC_FIELDS(BodyItem, range, item)
PLANC_FIELDS(Body, items, range)
PLANC_FIELDS(BlockDecl, name, params, result, body)
PLANC_FIELDS(ModelDecl, name, params, body, value)
PLANC_FIELDS(RecordDecl, kind, name, params, extends, section)
PLANC_FIELDS(LevelItem, override_, name, count, section, range)
PLANC_FIELDS(ClusterDecl, name, params, extends, items)
PLANC_FIELDS(CompareDecl, name, rows)
PLANC_FIELDS(TestParameter, name, type, values, range)
PLANC_FIELDS(TestDecl, name, varied, plan, fails, items)
PLANC_FIELDS(PolicyDecl, name, demands)
PLANC_FIELDS(ImportDecl, file, path, as)
PLANC_FIELDS(Decl, exported, deprecated, doc, range, item)

#undef PLANC_FIELDS

/// A struct with a list of fields.
template <class T>
concept Node = requires(const T& node) {
  fields(node);
};

} // namespace planc::syntax
