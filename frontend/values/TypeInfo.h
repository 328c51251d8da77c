// Declared types of parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/values/Value.h"

#include <string>

namespace planc::frontend {

struct Module;

/// A resolved parameter type.
struct TypeInfo {
  enum class Kind { Any, Invalid, Int, Float, Bool, String, DType, Quantity, List, Record, Enum, Decl, Tensor };
  Kind kind = Kind::Any;
  Unit unit{};                       ///< Quantity
  const TypeInfo* element = nullptr; ///< List
  const DeclInfo* enumDecl = nullptr;
  int declKind = 0;   ///< Decl: a DeclKind
  std::string name{}; ///< for messages: `int`, `list<int>`, `attention_kernel`
};

} // namespace planc::frontend
