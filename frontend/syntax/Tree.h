// The syntax tree of one `.plan` file: what was written, with ranges, before any name is resolved.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Source.h"
#include "support/Symbol.h"

#include <deque>
#include <optional>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

namespace planc::syntax {

struct Name {
  Symbol text;
  SourceRange range;
};

/// `a.b.c`
struct DottedName {
  std::vector<Name> parts;
  SourceRange range;
  std::string str() const;
};

// ---- expressions -----------------------------------------------------------

enum class ExprKind {
  Int,      // text
  Float,    // text
  Quantity, // text
  String,   // string: unescaped
  True,
  False,
  None,
  Name,          // name
  Unary,         // op `-` or `not`, kids[0]
  Binary,        // op `+ - * / % ** < > <= >= == != in and or`, kids[0], kids[1]
  If,            // kids: condition, then, else
  Call,          // kids[0] callee, args
  Member,        // kids[0], name
  Index,         // kids[0], then 1 to 3 of begin:end:step
  List,          // kids
  Comprehension, // kids: element, list; name = the variable
  Record,        // facts
};

struct Expr;
struct Fact;

/// `value`, or `name = value`.
struct Arg {
  std::optional<Name> name;
  const Expr* value = nullptr;
};

struct Expr {
  ExprKind kind = ExprKind::None;
  SourceRange range;
  std::string_view text; ///< literals: as written; operators: the operator
  std::string string;    ///< String: the unescaped value
  Name name;             ///< Name, Member, Comprehension
  SourceRange opRange;   ///< Unary, Binary: the operator
  std::vector<const Expr*> kids;
  std::vector<Arg> args;   ///< Call
  std::vector<Fact> facts; ///< Record
};

/// The text after `:`; a reason, or the source of a number.
struct Reason {
  std::string text;
  SourceRange range;
};

/// `name args? (.name)* = value : "reason"`
struct Fact {
  bool override_ = false;
  Name name;
  std::optional<std::vector<Arg>> args;
  std::vector<Name> members;
  const Expr* value = nullptr;
  std::optional<Reason> reason;
  SourceRange range;
};

struct Require {
  const Expr* condition = nullptr;
  std::optional<Reason> reason;
  SourceRange range;
};

/// A step of a selector: a name or `*`, with an optional index or slice.
struct SelectorStep {
  bool star = false;
  Name name;
  bool hasIndex = false; ///< `[i]` or a slice
  bool slice = false;    ///< has a `:`
  const Expr* begin = nullptr;
  const Expr* end = nullptr;
  const Expr* step = nullptr;
  SourceRange range;
};
struct Selector {
  std::vector<SelectorStep> steps;
  SourceRange range;
  std::string str() const;
};

struct Section;
using SectionItem = std::variant<Fact, Section, Require>;

/// `name { facts }`; the body of a record is a section without a name.
struct Section {
  bool override_ = false;
  Name name;                ///< `at S, …` of facts for some layers
  std::vector<Selector> at; ///< these layers
  std::vector<SectionItem> items;
  SourceRange range;
};

// ---- types and parameters ---------------------------------------------------

/// `..`, `heads`, or `kv_seq = seq` (the operator's name for the value's dimension).
struct DimRef {
  bool rest = false;
  Name name;
  const Expr* value = nullptr;
  SourceRange range;
};

/// `[.., heads] int32` if `tensor`, else `path<args>`.
struct Type {
  bool tensor = false;
  std::vector<DimRef> dims;
  std::optional<Name> dtype;
  DottedName path;
  std::vector<Type> args;
  SourceRange range;
};

struct Parameter {
  Name name;
  std::optional<Type> type;
  const Expr* defaultValue = nullptr;
  const Expr* where = nullptr;
  SourceRange range;
};

// ---- declarations -----------------------------------------------------------

/// `dim heads = kv_heads * group`
struct DimDecl {
  Name name;
  const Expr* value = nullptr;
  SourceRange range;
};

struct LetDecl {
  Name name;
  std::optional<std::vector<Parameter>> params;
  std::optional<Type> type;
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
using OpItem =
    std::variant<SaveItem, ReduceItem, BackwardItem, AlongItem, ContestItem, DimDecl, Require, LetDecl, Fact>;

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
/// With a body, or `model X = Y(args)`.
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
  Section section; ///< without items where none is written
  SourceRange range;
};
using ClusterItem = std::variant<LevelItem, Require, LetDecl, Fact, Section>;
struct ClusterDecl {
  Name name;
  std::optional<std::vector<Parameter>> params;
  const Expr* extends = nullptr;
  std::vector<ClusterItem> items;
};

// ---- plans ------------------------------------------------------------------

/// `tp = 8 within node inside dp`
struct AxisItem {
  Name name;
  const Expr* value = nullptr;
  enum class Where { Anywhere, Within, Across } where = Where::Anywhere;
  Name level;
  enum class Beside { Unstated, Inside, Outside } beside = Beside::Unstated;
  Name neighbour; ///< the axis that it lies directly inside or outside of
  SourceRange range;
};
struct MeshBlock {
  bool whole = false; ///< `mesh = { … }`: in place of the inherited one
  std::vector<AxisItem> axes;
};

/// `heads, seq -> [cp, tp] via ring uneven contiguous`
struct PlaceRule {
  std::vector<Name> dims;
  std::vector<DottedName> targets;
  std::optional<Name> via;
  bool uneven = false;
  bool contiguous = false;
  std::optional<Section> facts; ///< `params -> dp { regather = false }`
  SourceRange range;
};
struct PlaceBlock;
struct PlaceItem {
  std::variant<PlaceRule, const PlaceBlock*> item;
};
/// `place S, S { … }`, and the nested `S { … }` inside it. No selector means the whole model.
struct PlaceBlock {
  bool whole = false; ///< `place = { … }`: in place of all inherited rules
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
};
struct WhereItem {
  const Expr* condition = nullptr;
  std::optional<Reason> reason;
};
struct GoalItem {
  bool maximize = false;
  const Expr* value = nullptr;
};
struct SearchBlock {
  std::vector<std::variant<VaryItem, WhereItem, GoalItem, Fact>> items;
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
struct PlanItem {
  bool override_ = false;
  SourceRange range;
  std::variant<MeshBlock, PlaceBlock, StatesBlock, PipelineBlock, RecomputeStmt, KeepStmt, SearchBlock, MeasuredStmt,
               LetDecl, Fact, Section, AssertStmt>
      item;
};
struct PlanDecl {
  Name name;
  std::optional<std::vector<Parameter>> params;
  const Expr* extends = nullptr;
  std::vector<PlanItem> items;
};

/// `compare schemes { fsdp = base; hsdp = base(rep = 2) }`: labels, and the plans that they stand for.
struct CompareDecl {
  Name name;
  std::vector<Binding> rows;
};

/// `import std.ops`, `import "../x.plan" as y`
struct ImportDecl {
  std::optional<std::string> file;
  DottedName path;
  std::optional<Name> as;
};

struct Decl {
  bool exported = false;
  std::string doc; ///< the `///` lines above it, joined with line breaks
  SourceRange range;
  std::variant<ImportDecl, LetDecl, EnumDecl, OpDecl, BlockDecl, ModelDecl, RecordDecl, ClusterDecl, PlanDecl,
               CompareDecl, AssertStmt>
      item;
};

/// An expression as it would be written: for paths and messages.
std::string str(const Expr& expr);

/// Owns its nodes; the text they view belongs to the SourceManager.
struct File {
  FileId id;
  bool broken = false;                  ///< it has syntax errors: `decls` are those that could be read all the same
  std::unordered_set<Symbol> lostNames; ///< what the others may have been meant to declare
  std::vector<Decl> decls;
  std::deque<Expr> exprs;
  std::deque<Body> bodies;
  std::deque<PlaceBlock> places;
};

} // namespace planc::syntax
