// Classes of token types for the hand-written parts of the parser.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "PlanLexer.h"

namespace planc::parse {

using Type = grammar::PlanLexer;

inline bool isSoftKeyword(size_t t) {
  return t >= Type::IMPORT && t <= Type::MAXIMIZE;
}
inline bool isReserved(size_t t) {
  return t >= Type::IF && t <= Type::IN;
}
inline bool isName(size_t t) {
  return t == Type::ID || isSoftKeyword(t);
}
inline bool isLiteral(size_t t) {
  switch (t) {
  case Type::INT:
  case Type::FLOAT:
  case Type::QUANTITY:
  case Type::STRING:
  case Type::TRUE:
  case Type::FALSE:
  case Type::NONE:
    return true;
  default:
    return false;
  }
}
inline bool isOpener(size_t t) {
  return t == Type::LP || t == Type::LS || t == Type::LB;
}
inline bool isCloser(size_t t) {
  return t == Type::RP || t == Type::RS || t == Type::RB;
}
inline size_t closerOf(size_t opener) {
  return opener == Type::LP ? Type::RP : opener == Type::LS ? Type::RS : Type::RB;
}
/// Whether the token is a value, a name or a closing bracket. A statement may end with it, and a `-` after it is
/// binary.
inline bool endsOperand(size_t t) {
  return isName(t) || isLiteral(t) || isCloser(t);
}
inline bool isSeparator(size_t t) {
  return t == Type::NL || t == Type::SEMI;
}

} // namespace planc::parse
