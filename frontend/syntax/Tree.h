// The syntax tree of a `.plan` file: the text with source ranges, before names are resolved.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/syntax/Expr.h"
#include "frontend/syntax/PlanDecl.h"

#include <deque>
#include <optional>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

namespace planc::syntax {

/// `dim heads = kv_heads * group`
struct DimDecl {
  Name name;
  const Expr* value = nullptr;
  SourceRange range;
};

struct EnumDecl {
  Name name;
  std::vector<Name> members;
};

struct SaveItem {
  std::vector<Name> names;
};
struct ReduceItem {
  std::vector<Name> dims;
  std::optional<Section> facts;
  SourceRange range;
};
struct BackwardItem {
  std::vector<Name> names;
  std::optional<Section> facts;
  SourceRange range;
};
struct AlongItem {
  std::vector<Name> dims;
};
struct ContestItem {
  std::vector<Name> dims;
};
struct DetachItem {
  std::vector<Name> names;
};
using OpItem = std::variant<SaveItem, ReduceItem, BackwardItem, AlongItem, ContestItem, DetachItem, DimDecl, Require,
                            LetDecl, Fact>;

struct OpDecl {
  Name name;
  std::vector<Parameter> params;
  Type result;
  std::vector<OpItem> items;
};

struct InItem {
  Name name;
  Type type;
  std::vector<Name> counts; ///< the dimensions that count as tokens
};
struct ParamItem {
  bool frozen = false;
  Name name;
  Type type;
  std::optional<DottedName> tied;
};
struct OutItem {
  const Expr* value = nullptr;
};
/// `name (: type)? = value`
struct LayerItem {
  Name name;
  std::optional<Type> type;
  const Expr* value = nullptr;
};
struct Body;
struct Binding {
  Name name;
  const Expr* value = nullptr;
};
/// `decoder * layers with x = embed { … }`
struct RepeatItem {
  Name name;
  const Expr* count = nullptr;
  std::vector<Binding> bindings;
  const Body* body = nullptr;
};
struct IfItem {
  const Expr* condition = nullptr;
  const Body* then = nullptr;
  const Body* otherwise = nullptr;
};
struct BodyItem {
  SourceRange range;
  std::variant<Require, LetDecl, DimDecl, InItem, ParamItem, OutItem, LayerItem, RepeatItem, IfItem> item;
};
struct Body {
  std::vector<BodyItem> items;
  SourceRange range;
};

struct BlockDecl {
  Name name;
  std::vector<Parameter> params;
  std::optional<Type> result;
  const Body* body = nullptr;
};
/// Either with a body, or `model X = Y(args)`.
struct ModelDecl {
  Name name;
  std::optional<std::vector<Parameter>> params;
  const Body* body = nullptr;
  const Expr* value = nullptr;
};

enum class RecordKind { Device, Fabric, Stack };
struct RecordDecl {
  RecordKind kind = RecordKind::Device;
  Name name;
  std::optional<std::vector<Parameter>> params;
  std::optional<DottedName> extends;
  Section section;
};

struct LevelItem {
  bool override_ = false;
  Name name;
  const Expr* count = nullptr;
  Section section; ///< without items if none is written
  SourceRange range;
};
using ClusterItem = std::variant<LevelItem, Require, LetDecl, Fact, Section>;
struct ClusterDecl {
  Name name;
  std::optional<std::vector<Parameter>> params;
  const Expr* extends = nullptr;
  std::vector<ClusterItem> items;
};

/// `compare schemes { fsdp = base; hsdp = base(rep = 2) }`: labels and their plans.
struct CompareDecl {
  Name name;
  std::vector<Binding> rows;
};

/// `nodes: int in [4, 8, 16]`
struct TestParameter {
  Name name;
  std::optional<Type> type;
  const Expr* values = nullptr;
  SourceRange range;
};
using TestItem = std::variant<AssertStmt, MeasuredStmt>;
/// `test sizes(nodes: int in [4, 8]) of base(nodes = nodes) { … }`, or `… fails PLAN0310` in place of the body.
struct TestDecl {
  Name name;
  std::vector<TestParameter> varied;
  const Expr* plan = nullptr;
  std::optional<Name> fails; ///< the expected error code
  std::vector<TestItem> items;
};
/// `policy margin { require memory.fits }`
struct PolicyDecl {
  Name name;
  std::vector<Require> demands;
};

/// `import std.ops`, `import "../x.plan" as y`
struct ImportDecl {
  std::optional<std::string> file;
  DottedName path;
  std::optional<Name> as;
};

struct Decl {
  bool exported = false;
  std::optional<Reason> deprecated; ///< `deprecated "use pod2"`: what to use instead
  std::string doc;                  ///< the `///` lines above it, joined with line breaks
  SourceRange range;
  std::variant<ImportDecl, LetDecl, EnumDecl, OpDecl, BlockDecl, ModelDecl, RecordDecl, ClusterDecl, PlanDecl,
               CompareDecl, TestDecl, PolicyDecl, AssertStmt, AllowStmt>
      item;
};

/// Owns its nodes, which view texts of the SourceManager.
struct File {
  FileId id;
  bool broken = false;                  ///< it has syntax errors; `decls` holds the declarations that could be read
  std::unordered_set<Symbol> lostNames; ///< names that the other declarations may be meant to declare
  std::deque<Decl> decls;               ///< they never move
  std::vector<SearchItem> line;         ///< items of a command-line option, in place of declarations
  std::deque<Expr> exprs;
  std::deque<Body> bodies;
  std::deque<PlaceBlock> places;
};

} // namespace planc::syntax
