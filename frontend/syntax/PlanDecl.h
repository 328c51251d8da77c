// Syntax tree: plans, with a struct for each statement.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/syntax/Expr.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace planc::syntax {

/// `tp = 8 within node inside dp`
struct AxisItem {
  Name name;
  const Expr* value = nullptr;
  enum class Where { Anywhere, Within, Across } where = Where::Anywhere;
  Name level;
  enum class Beside { Unstated, Inside, Outside } beside = Beside::Unstated;
  Name neighbour; ///< the axis that this one is directly inside or outside of
  SourceRange range;
};
struct MeshBlock {
  bool whole = false; ///< `mesh = { … }`: replaces the inherited mesh
  std::vector<AxisItem> axes;
};

/// `heads, seq -> [cp, tp] via ring uneven contiguous optional`
struct PlaceRule {
  std::vector<Name> dims;
  std::vector<DottedName> targets;
  std::optional<Name> via;
  bool uneven = false;
  bool contiguous = false;
  bool optional = false;        ///< the rule may match nothing
  std::optional<Section> facts; ///< `params -> dp { regather = false }`
  SourceRange range;
};
struct PlaceBlock;
struct PlaceItem {
  std::variant<PlaceRule, const PlaceBlock*> item;
};
/// `place S, S { … }`, and the nested `S { … }` inside it. No selector means the whole model.
struct PlaceBlock {
  bool whole = false; ///< `place = { … }`: replaces all inherited rules
  std::vector<Selector> selectors;
  std::vector<PlaceItem> items;
  SourceRange range;
};
struct StatesBlock {
  PlaceBlock block;
};

struct StageItem {
  const Expr* index = nullptr;
  std::vector<Selector> selectors;
  SourceRange range;
};
struct PipelineBlock {
  std::vector<DottedName> axes;
  std::vector<std::variant<StageItem, Fact>> items;
};
struct RecomputeStmt {
  std::vector<Selector> selectors; ///< none: `recompute none`
  std::optional<Section> facts;    ///< `{ save = [attn.core] }`
  SourceRange range;
};
struct KeepStmt {
  std::vector<Selector> selectors;
  std::optional<Name> side;
};
struct VaryItem {
  Selector path;
  bool placement = false; ///< `vary decoder.mlp.ffn -> in [tp, dp]`
  const Expr* values = nullptr;
  bool with = false; ///< varies together with the previous item: `vary A in X with B in Y`
};
/// `fill mesh.dp`
struct FillItem {
  DottedName path;
};
struct WhereItem {
  const Expr* condition = nullptr;
  std::optional<Reason> reason;
};
struct GoalItem {
  bool maximize = false;
  const Expr* value = nullptr;
};
using SearchItem = std::variant<VaryItem, FillItem, WhereItem, GoalItem, Fact>;
struct SearchBlock {
  std::vector<SearchItem> items;
};
struct MeasuredStmt {
  const Expr* metric = nullptr;
  const Expr* value = nullptr;
  const Expr* tolerance = nullptr;
  std::optional<Reason> reason;
};
struct AssertStmt {
  const Expr* condition = nullptr;
  std::optional<Reason> reason;
};
/// `allow PLAN0806 : "why"`, in a plan or a file.
struct AllowStmt {
  Name code;
  std::optional<Reason> reason;
  SourceRange range;
};
struct PlanItem {
  bool override_ = false;
  SourceRange range;
  std::variant<MeshBlock, PlaceBlock, StatesBlock, PipelineBlock, RecomputeStmt, KeepStmt, SearchBlock, MeasuredStmt,
               LetDecl, Fact, Section, AssertStmt, AllowStmt>
      item;
};
struct PlanDecl {
  Name name;
  std::optional<std::vector<Parameter>> params;
  const Expr* extends = nullptr;
  std::vector<PlanItem> items;
};

} // namespace planc::syntax
