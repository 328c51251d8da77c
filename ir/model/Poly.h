// Sums of products of dimension extents: FLOPs and bytes of an operator, evaluated for full or local extents without
// walking trees.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Ids.h"

#include <functional>
#include <string>
#include <vector>

namespace planc::ir {

struct Dim;
using DimId = Id<Dim>;

/// coefficient · Π extent(dim)^power · width(operand). The width is that of the element type of an operand or of the
/// result.
struct Term {
  static constexpr int kNoWidth = -2;
  static constexpr int kResult = -1;
  double coefficient = 0;
  std::vector<std::pair<DimId, int>> factors; ///< ascending by id, powers not zero
  int widthOf = kNoWidth;                     ///< operand index, kResult, or kNoWidth
  bool operator==(const Term&) const = default;
};

struct Poly {
  std::vector<Term> terms;
  static Poly constant(double c);
  static Poly extent(DimId d);
  bool isConstant() const;
  double constantValue() const;
  bool empty() const { return terms.empty(); }
  Poly operator+(const Poly& o) const;
  Poly operator*(const Poly& o) const;
  Poly scaled(double c) const;
  /// Reciprocal of a single term. Requires terms.size() == 1 and a term without width.
  Poly reciprocal() const;
  double evaluate(const std::function<double(DimId)>& extent, const std::function<double(int)>& width) const;
  bool operator==(const Poly&) const = default;
};

} // namespace planc::ir
