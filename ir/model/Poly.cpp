// Arithmetic on sums of products of extents. Like terms are merged and sorted, so that equal sums compare equal.
// SPDX-License-Identifier: Apache-2.0
#include "ir/model/Poly.h"

#include <algorithm>
#include <cassert>

namespace planc::ir {

namespace {

bool sameProduct(const Term& a, const Term& b) {
  return a.widthOf == b.widthOf && a.factors == b.factors;
}

bool before(const Term& a, const Term& b) {
  return a.factors != b.factors ? a.factors < b.factors : a.widthOf < b.widthOf;
}

/// Sorts the terms, merges like terms and drops zero terms.
Poly canonical(std::vector<Term> terms) {
  std::stable_sort(terms.begin(), terms.end(), before);
  Poly sum;
  for (Term& t : terms) {
    if (!sum.terms.empty() && sameProduct(sum.terms.back(), t))
      sum.terms.back().coefficient += t.coefficient;
    else
      sum.terms.push_back(std::move(t));
  }
  std::erase_if(sum.terms, [](const Term& t) { return t.coefficient == 0; });
  return sum;
}

Term product(const Term& a, const Term& b) {
  assert((a.widthOf == Term::kNoWidth || b.widthOf == Term::kNoWidth) && "a term counts bytes of one operand");
  Term t;
  t.coefficient = a.coefficient * b.coefficient;
  t.widthOf = a.widthOf == Term::kNoWidth ? b.widthOf : a.widthOf;
  size_t i = 0, j = 0;
  while (i < a.factors.size() || j < b.factors.size()) {
    if (j == b.factors.size() || (i < a.factors.size() && a.factors[i].first < b.factors[j].first)) {
      t.factors.push_back(a.factors[i++]);
    } else if (i == a.factors.size() || b.factors[j].first < a.factors[i].first) {
      t.factors.push_back(b.factors[j++]);
    } else {
      int power = a.factors[i].second + b.factors[j].second;
      if (power != 0) t.factors.emplace_back(a.factors[i].first, power);
      ++i, ++j;
    }
  }
  return t;
}

double power(double base, int exponent) {
  double r = 1;
  for (int i = 0; i < (exponent < 0 ? -exponent : exponent); ++i) r *= base;
  return exponent < 0 ? 1 / r : r;
}

} // namespace

Poly Poly::constant(double c) {
  Poly p;
  if (c != 0) p.terms.push_back({c, {}, Term::kNoWidth});
  return p;
}

Poly Poly::extent(DimId d) {
  Poly p;
  p.terms.push_back({1, {{d, 1}}, Term::kNoWidth});
  return p;
}

bool Poly::isConstant() const {
  return std::all_of(terms.begin(), terms.end(),
                     [](const Term& t) { return t.factors.empty() && t.widthOf == Term::kNoWidth; });
}

double Poly::constantValue() const {
  double sum = 0;
  for (const Term& t : terms) sum += t.coefficient;
  return sum;
}

Poly Poly::operator+(const Poly& o) const {
  std::vector<Term> all = terms;
  all.insert(all.end(), o.terms.begin(), o.terms.end());
  return canonical(std::move(all));
}

Poly Poly::operator*(const Poly& o) const {
  std::vector<Term> all;
  for (const Term& a : terms)
    for (const Term& b : o.terms) all.push_back(product(a, b));
  return canonical(std::move(all));
}

Poly Poly::scaled(double c) const {
  Poly p = *this;
  for (Term& t : p.terms) t.coefficient *= c;
  return canonical(std::move(p.terms));
}

Poly Poly::reciprocal() const {
  assert(terms.size() == 1 && terms[0].widthOf == Term::kNoWidth && "only a single product has a reciprocal");
  Poly p = *this;
  p.terms[0].coefficient = 1 / p.terms[0].coefficient;
  for (auto& [dim, exponent] : p.terms[0].factors) exponent = -exponent;
  return p;
}

double Poly::evaluate(const std::function<double(DimId)>& extent, const std::function<double(int)>& width) const {
  double sum = 0;
  for (const Term& t : terms) {
    double value = t.coefficient;
    for (const auto& [dim, exponent] : t.factors) value *= power(extent(dim), exponent);
    if (t.widthOf != Term::kNoWidth) value *= width(t.widthOf);
    sum += value;
  }
  return sum;
}

} // namespace planc::ir
