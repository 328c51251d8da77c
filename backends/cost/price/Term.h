// A number of an equation. Sums, products and quotients of terms are terms, so that what is written in C++ is at once
// the value of a price, its formula where a derivation is asked for, and what bounds it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/price/Formula.h"
#include "backends/cost/price/Price.h"

#include <algorithm>
#include <cmath>

namespace planc::cost {

/// A number that is part of an equation and not measured: 2 FLOPs per multiply and add, 1 GB.
struct Exact {
  Formula formula;
  Exact(double value, const Unit& unit, std::string_view symbol)
      : formula{.value = value, .unit = unit, .symbol = std::string(symbol)} {}
  operator double() const { return formula.value; }
};

/// See above. A time knows which of its parts is the largest, of those that one of `compute`, `memory` and `launch`
/// marks.
struct Term {
  double value = 0;
  double most = kUnmarked; ///< value of the largest marked part
  Bound bound = Bound::Compute;
  const Formula* from = nullptr; ///< null: no derivation is asked for, or a plain number of the structure

  static constexpr double kUnmarked = -1;

  Term(double number = 0, const Formula* formula = nullptr) : value(number), from(formula) {}
  Term(const Exact& exact) : Term(exact.formula.value, &exact.formula) {}
  /// `result` of an operation on two terms.
  Term(Operation operation, double result, const Term& a, const Term& b)
      : value(result), most(std::max(a.most, b.most)), bound(a.most >= b.most ? a.bound : b.bound) {
    if (a.from || b.from) from = Formulas::join(operation, result, a.from, a.value, b.from, b.value);
  }
};

inline Term operator+(const Term& a, const Term& b) {
  return {Operation::Add, a.value + b.value, a, b};
}
inline Term operator-(const Term& a, const Term& b) {
  return {Operation::Subtract, a.value - b.value, a, b};
}
inline Term operator*(const Term& a, const Term& b) {
  return {Operation::Multiply, a.value * b.value, a, b};
}
inline Term operator/(const Term& a, const Term& b) {
  return {Operation::Divide, a.value / b.value, a, b};
}
inline Term& operator+=(Term& a, const Term& b) {
  return a = a + b;
}
inline Term& operator*=(Term& a, const Term& b) {
  return a = a * b;
}
inline Term max(const Term& a, const Term& b) {
  return {Operation::Max, std::max(a.value, b.value), a, b};
}
inline Term min(const Term& a, const Term& b) {
  return {Operation::Min, std::min(a.value, b.value), a, b};
}
/// Of plain numbers.
inline Term sqrt(const Term& a) {
  return {Operation::Root, std::sqrt(a.value), a, {}};
}
inline Term cbrt(const Term& a) {
  return {Operation::CubeRoot, std::cbrt(a.value), a, {}};
}
inline Term log2(const Term& a) {
  return {Operation::Log2, std::log2(a.value), a, {}};
}

/// `part` of a time, bounded by `bound`.
inline Term marked(Bound bound, Term part) {
  part.most = part.value;
  part.bound = bound;
  return part;
}
inline Term compute(const Term& part) {
  return marked(Bound::Compute, part);
}
inline Term memory(const Term& part) {
  return marked(Bound::Memory, part);
}
inline Term launch(const Term& part) {
  return marked(Bound::Launch, part);
}

} // namespace planc::cost
