// The values of expressions.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/model/Model.h"
#include "ir/model/Poly.h"
#include "support/Quantity.h"
#include "support/Source.h"
#include "support/Symbol.h"

#include <string>
#include <vector>

namespace planc::frontend {

struct DeclInfo;
struct Import;
struct Builtin;
class Namespace;
class NameTable;
struct ListValue;
struct RecordValue;
struct CurveValue;
struct PolyValue;
struct TensorValue;
struct BoundDecl;
struct TypeInfo;

enum class ValueKind : uint8_t {
  Invalid, ///< erroneous, or unknown in a generic declaration; uses of it report nothing
  None,
  Bool,
  Int,
  Number, ///< a float with a unit
  String,
  Enum,
  DType,
  List,
  Record,
  Curve,
  Poly,     ///< operator facts: a sum of products of extents
  Tensor,   ///< model bodies: a value of the model under construction
  Function, ///< a built-in function
  Decl,     ///< a declaration with the arguments bound so far: model, record, function, enum, …
  Module,   ///< an import
  Space,    ///< a namespace with members: `train`, `mesh`, …
};

/// Small and copyable; payloads live in the arena.
struct Value {
  ValueKind kind = ValueKind::Invalid;
  ir::DType dtype = ir::DType::bf16; ///< DType
  Unit unit;                         ///< Number, Poly
  Symbol symbol;                     ///< Enum: the member; Space: its name
  union {
    double number = 0; ///< Number
    int64_t integer;   ///< Int
    bool truth;        ///< Bool
    const std::string* string;
    const ListValue* list;
    const RecordValue* record;
    const CurveValue* curve;
    const PolyValue* poly;
    const TensorValue* tensor;
    const Builtin* function;
    const BoundDecl* decl; ///< Decl; Enum: the enum's declaration
    Import* import;
    Namespace* space;
  };
  SourceRange range;              ///< source range of the expression
  const TypeInfo* type = nullptr; ///< Invalid: the declared type of an unknown parameter; null if unknown

  bool invalid() const { return kind == ValueKind::Invalid; }
  bool isInt() const { return kind == ValueKind::Int; }
  bool isBool() const { return kind == ValueKind::Bool; }
  /// Whether it is an Int or a Number.
  bool numeric() const { return kind == ValueKind::Int || kind == ValueKind::Number; }
  double asDouble() const { return kind == ValueKind::Int ? static_cast<double>(integer) : number; }

  static Value ofBool(bool b, SourceRange r);
  static Value ofInt(int64_t i, SourceRange r);
  static Value ofNumber(double n, Unit u, SourceRange r);
};

struct ListValue {
  std::vector<Value> items;
};

struct Field {
  Symbol name;
  Value value;
  SourceRange range;
  std::string source; ///< the text after `:`
};
struct RecordValue {
  std::vector<Field> fields;
  Symbol declared; ///< name of the `let` that holds it, if any: an optimizer's name
  const Field* find(Symbol name) const;
};

struct CurveValue {
  std::vector<double> x, y;
  Unit xUnit, yUnit;
};

struct PolyValue {
  ir::Poly poly;
  double value = 0; ///< at full extents (2 bytes for an undeclared width)
};

struct TensorValue {
  ir::ValueId id;
  const NameTable* members = nullptr; ///< members of the block that computed it: `embed.table`
};

struct BoundArg {
  Symbol name;
  Value value;
  SourceRange range;
};
struct BoundDecl {
  DeclInfo* decl = nullptr;
  std::vector<BoundArg> args;
  bool lasting = false; ///< lives as long as the session, so results for it are cached
};

/// A namespace whose members are computed on demand.
class Namespace {
public:
  virtual ~Namespace() = default;
  virtual bool has(Symbol name) const = 0;
  /// The member. Returns Invalid after reporting an error.
  virtual Value member(Symbol name, SourceRange use) = 0;
  /// Member names for suggestions.
  virtual std::vector<std::string> memberNames() const = 0;
};

} // namespace planc::frontend
