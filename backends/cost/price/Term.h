// A number of an equation. Sums, products and quotients of terms are terms, so one C++ expression gives the value of a
// price, what bounds it, and its formula if a derivation is requested.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/price/Formula.h"
#include "backends/cost/price/Price.h"

#include <algorithm>
#include <cmath>

namespace planc::cost {

/// A constant of an equation that is not measured: 2 FLOPs per multiply and add, 1 GB.
struct Exact {
  Formula formula;
  Exact(double value, const Unit& unit, std::string_view symbol)
      : formula{.value = value, .unit = unit, .symbol = std::string(symbol)} {}
  operator double() const { return formula.value; }
};

/// A number of an equation. For a time, `most` and `bound` describe its largest part that `compute`, `memory` or
/// `launch` marked.
struct Term {
  double value = 0;
  double most = kUnmarked; ///< value of the largest marked part
  Bound bound = Bound::Compute;
  const Formula* from = nullptr; ///< null: no derivation is requested, or a constant of the equation

  static constexpr double kUnmarked = -1;

  Term(double number = 0, const Formula* formula = nullptr) : value(number), from(formula) {}
  Term(const Exact& exact) : Term(exact.formula.value, &exact.formula) {}
  /// Joins two terms by `operation`; `value` is the result.
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
/// The root of the sum of both squares.
inline Term hypot(const Term& a, const Term& b) {
  return {Operation::Hypot, std::hypot(a.value, b.value), a, b};
}
/// Roots and logarithms take numbers without unit.
inline Term sqrt(const Term& a) {
  return {Operation::Root, std::sqrt(a.value), a, {}};
}
inline Term cbrt(const Term& a) {
  return {Operation::CubeRoot, std::cbrt(a.value), a, {}};
}
inline Term log2(const Term& a) {
  return {Operation::Log2, std::log2(a.value), a, {}};
}

/// Returns `part` of a time, marked as bounded by `bound`.
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
