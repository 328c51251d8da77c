// Ranges of instances: counting in windows, compressing, printing.
// SPDX-License-Identifier: Apache-2.0
#include "ir/model/Range.h"

#include <gtest/gtest.h>
#include <limits>

namespace planc::ir {
namespace {

TEST(Range, CountsWhatLiesInAWindow) {
  Range every{0, 80, 2};
  EXPECT_EQ(every.count(), 40);
  EXPECT_EQ(every.countWithin(0, 80), 40);
  EXPECT_EQ(every.countWithin(1, 3), 1);
  EXPECT_EQ(every.countWithin(79, 100), 0);
  EXPECT_EQ(every.countWithin(10, 5), 0);
  EXPECT_EQ((Range{5, 20, 3}.countWithin(6, 12)), 2); // 8, 11
  for (int64_t lo = 0; lo < 25; ++lo)
    for (int64_t hi = lo; hi < 25; ++hi) {
      Range r{5, 20, 3};
      int64_t n = 0;
      for (int64_t i = lo; i < hi; ++i) n += r.contains(i);
      EXPECT_EQ(r.countWithin(lo, hi), n);
    }
}

TEST(Range, FindsTheFirstCommonIndex) {
  for (int64_t step = 1; step <= 6; ++step)
    for (int64_t other = 1; other <= 6; ++other)
      for (int64_t begin = 0; begin < 8; ++begin)
        for (int64_t end = 0; end < 30; ++end) {
          const Range a{3, 25, step}, b{begin, end, other};
          std::optional<int64_t> first;
          for (int64_t i = 0; i < 30 && !first; ++i)
            if (a.contains(i) && b.contains(i)) first = i;
          EXPECT_EQ(a.firstCommon(b), first) << a.str() << b.str();
          EXPECT_EQ(b.firstCommon(a), first) << b.str() << a.str();
        }
}

TEST(Range, ReachesAsFarAsItsNumbers) {
  constexpr int64_t far = std::numeric_limits<int64_t>::max();
  EXPECT_EQ((Range{0, far, far}.count()), 1);
  EXPECT_EQ((Range{0, far, 2}.firstCommon({1, far, 2})), std::nullopt);
  EXPECT_EQ((Range{0, far, far - 1}.firstCommon({1, far, far - 2})), far - 1);
  EXPECT_EQ((RangeSet{{{0, 7, 1}, {9, far, 2}}}.firstCommon({{{8, far, 3}}})), 11);
}

TEST(Range, PrintsAsASlice) {
  EXPECT_EQ((Range{0, 20, 1}.str()), "[0:20]");
  EXPECT_EQ((Range{0, 80, 2}.str()), "[0:80:2]");
  EXPECT_EQ((Range{7, 8, 1}.str()), "[7]");
  EXPECT_EQ((Range{4, 4, 1}.str()), "[4:4]");
}

TEST(RangeSet, CompressesIndices) {
  auto text = [](std::vector<int64_t> v) { return RangeSet::of(v).str(); };
  EXPECT_EQ(text({}), "[]");
  EXPECT_EQ(text({0, 1, 2, 3}), "[0:4]");
  EXPECT_EQ(text({0, 2, 4, 6}), "[0:7:2]");
  EXPECT_EQ(text({0, 1, 5, 9}), "[0:2, 5, 9]"); // two apart are no pattern
  EXPECT_EQ(text({3}), "[3]");
  EXPECT_EQ(text({1, 3, 5, 6, 7}), "[1:6:2, 6:8]");
}

TEST(RangeSet, KeepsEveryIndex) {
  for (uint32_t bits = 0; bits < 1024; ++bits) {
    std::vector<int64_t> indices;
    for (int64_t i = 0; i < 10; ++i)
      if (bits >> i & 1) indices.push_back(i);
    RangeSet set = RangeSet::of(indices);
    EXPECT_EQ(set.count(), static_cast<int64_t>(indices.size()));
    for (int64_t i = 0; i < 10; ++i) EXPECT_EQ(set.contains(i), (bits >> i & 1) != 0);
    EXPECT_EQ(set.countWithin(0, 10), set.count());
    EXPECT_EQ(set.countWithin(2, 5) + set.countWithin(5, 10) + set.countWithin(0, 2), set.count());
  }
}

} // namespace
} // namespace planc::ir
