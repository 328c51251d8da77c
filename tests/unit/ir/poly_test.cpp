// Sums of products of extents: canonical form, arithmetic, evaluation.
// SPDX-License-Identifier: Apache-2.0
#include "ir/model/Poly.h"

#include <gtest/gtest.h>

namespace planc::ir {
namespace {

const DimId kB(0), kS(1), kH(2);

double at(const Poly& p, double b, double s, double h) {
  const double extents[] = {b, s, h};
  return p.evaluate([&](DimId d) { return extents[d.index]; },
                    [](int operand) { return operand == Term::kResult ? 4.0 : 2.0; });
}

TEST(Poly, AddsLikeTerms) {
  Poly bs = Poly::extent(kB) * Poly::extent(kS);
  Poly sb = Poly::extent(kS) * Poly::extent(kB);
  EXPECT_EQ(bs, sb);
  EXPECT_EQ((bs + sb).terms.size(), 1u);
  EXPECT_EQ(bs + sb, bs.scaled(2));
  EXPECT_TRUE((bs + sb.scaled(-1)).empty());
  EXPECT_EQ(bs + Poly::extent(kH), Poly::extent(kH) + bs);
}

TEST(Poly, Evaluates) {
  Poly flops = (Poly::extent(kB) * Poly::extent(kS) * Poly::extent(kS)).scaled(4) + Poly::constant(7);
  EXPECT_EQ(at(flops, 2, 3, 5), 4 * 2 * 9 + 7);
  EXPECT_EQ(at(Poly(), 2, 3, 5), 0);
}

TEST(Poly, CancelsReciprocals) {
  Poly p = Poly::extent(kB) * Poly::extent(kS).scaled(2);
  EXPECT_EQ(p * p.reciprocal(), Poly::constant(1));
  EXPECT_EQ(at(Poly::extent(kH) * Poly::extent(kS).reciprocal(), 2, 4, 10), 2.5);
  EXPECT_EQ(at((Poly::extent(kS) * Poly::extent(kS)).reciprocal(), 2, 4, 10), 1.0 / 16);
}

TEST(Poly, KnowsConstants) {
  EXPECT_TRUE(Poly().isConstant());
  EXPECT_EQ(Poly().constantValue(), 0);
  EXPECT_TRUE(Poly::constant(0).empty());
  EXPECT_TRUE((Poly::constant(2) + Poly::constant(3)).isConstant());
  EXPECT_EQ((Poly::constant(2) + Poly::constant(3)).constantValue(), 5);
  EXPECT_FALSE(Poly::extent(kB).isConstant());
}

TEST(Poly, CountsBytesOfAnOperand) {
  Poly bytes;
  bytes.terms.push_back({1, {{kB, 1}}, 0});
  bytes.terms.push_back({1, {{kB, 1}}, Term::kResult});
  EXPECT_EQ(at(bytes, 3, 1, 1), 3 * 2 + 3 * 4); // widths keep terms apart
  EXPECT_EQ((bytes + Poly()).terms.size(), 2u);
  EXPECT_EQ(at(bytes * Poly::extent(kS), 3, 5, 1), 15 * 2 + 15 * 4);
  EXPECT_FALSE(bytes.isConstant());
}

} // namespace
} // namespace planc::ir
