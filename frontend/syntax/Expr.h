// Syntax tree: names, expressions, facts, selectors, types and parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Source.h"
#include "support/Symbol.h"

#include <optional>
#include <string>
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
  Name name;                ///< empty for `at S, …`, facts for some layers
  std::vector<Selector> at; ///< the selectors of `at`
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

struct LetDecl {
  Name name;
  std::optional<std::vector<Parameter>> params;
  std::optional<Type> type;
  const Expr* value = nullptr;
  SourceRange range;
};

/// The text of an expression, for paths and messages.
std::string str(const Expr& expr);

} // namespace planc::syntax
