// Lengths of packed documents by hand.
// SPDX-License-Identifier: Apache-2.0
#include "ir/model/Documents.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace planc::ir;

namespace {

Documents spreadOf(double mean, double spread) {
  Documents documents;
  documents.mean = mean, documents.spread = spread;
  return documents;
}

} // namespace

TEST(Documents, ListedLengthsCountByTheirTokens) {
  Documents documents;
  documents.lengths = {4096, 16384, 4096};
  const auto lengths = documentLengths(documents, 32768);
  ASSERT_EQ(lengths.size(), 2u);
  EXPECT_EQ(lengths[0].tokens, 4096);
  EXPECT_EQ(lengths[0].share, 0.25);
  EXPECT_EQ(lengths[1].share, 0.5); // a quarter is padding
  EXPECT_EQ(keysOfToken(documents, 32768), (2 * 4096.0 * 4096 + 16384.0 * 16384) / 32768);
  EXPECT_TRUE(documents.fit(24576));
  EXPECT_FALSE(documents.fit(24575));
  EXPECT_EQ(documents.padding(32768), 8192);
  EXPECT_EQ(documents.longest(), 16384);
  EXPECT_EQ(spreadOf(900, 1400).padding(32768), 0); // sequences are full
}

TEST(Documents, TwoLengthsHaveTheMeanAndTheSpread) {
  for (const auto& [mean, spread] : {std::pair{900.0, 1400.0}, {8000.0, 1000.0}, {16384.0, 10000.0}, {100.0, 1780.0}}) {
    double tokens = 0, keys = 0, documents = 0, squares = 0;
    for (const DocumentLength& d : documentLengths(spreadOf(mean, spread), 32768)) {
      EXPECT_GT(d.tokens, 0);
      EXPECT_LE(d.tokens, 32768);
      tokens += d.share, keys += d.share * d.tokens;
      documents += d.share / d.tokens, squares += d.share * d.tokens;
    }
    EXPECT_NEAR(tokens, 1, 1e-9);
    EXPECT_NEAR(1 / documents, mean, 1e-6 * mean);
    EXPECT_NEAR(std::sqrt(squares / documents - mean * mean), spread, 1e-6 * spread);
    EXPECT_NEAR(keys, keysOfToken(spreadOf(mean, spread), 32768), 1e-6 * keys);
  }
}

TEST(Documents, LengthsUpToASequenceAreNoWiderThanItsEnds) {
  const double most = std::sqrt(1000.0 * 3096);
  EXPECT_TRUE(spreadOf(1000, most).fit(4096));
  EXPECT_FALSE(spreadOf(1000, most * 1.001).fit(4096));
  const auto ends = documentLengths(spreadOf(1000, most), 4096);
  ASSERT_EQ(ends.size(), 1u); // all tokens lie in documents as long as the sequence
  EXPECT_EQ(ends[0].tokens, 4096);
}
