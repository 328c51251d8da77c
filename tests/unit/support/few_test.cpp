// A Few holds what a std::vector holds after the same changes, in itself or outside.
// SPDX-License-Identifier: Apache-2.0
#include "support/Few.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace planc::test {
namespace {

using List = Few<int, 3>;
std::vector<int> of(const List& list) {
  return {list.begin(), list.end()};
}

TEST(Few, HoldsWhatAVectorHolds) {
  std::mt19937 random(7);
  List list;
  std::vector<int> expected;
  for (int i = 0; i < 20000; ++i) {
    const size_t at = expected.empty() ? 0 : random() % (expected.size() + 1);
    const int item = static_cast<int>(random() % 1000);
    switch (random() % 8) {
    case 0:
      list.push_back(item), expected.push_back(item);
      break;
    case 1:
      list.insert(list.begin() + at, item), expected.insert(expected.begin() + static_cast<ptrdiff_t>(at), item);
      break;
    case 2:
      if (at == expected.size()) break;
      list.erase(list.begin() + at), expected.erase(expected.begin() + static_cast<ptrdiff_t>(at));
      break;
    case 3: { // by way of a copy that outlives its origin
      const List copy = list;
      list = List{item};
      list = copy;
      break;
    }
    case 4: {
      List moved = std::move(list);
      list = List{item, item, item, item};
      list = std::move(moved);
      break;
    }
    case 5:
      list.resize(at, item), expected.resize(at, item);
      break;
    case 6:
      if (expected.empty()) break;
      list.push_back(list.front()), expected.push_back(expected[0]); // one of its own
      break;
    default: {
      const std::vector<int> more(random() % 4, item);
      list.insert(list.begin() + at, more.begin(), more.end());
      expected.insert(expected.begin() + static_cast<ptrdiff_t>(at), more.begin(), more.end());
    }
    }
    ASSERT_EQ(of(list), expected) << "change " << i;
    ASSERT_EQ(list, List(expected.begin(), expected.end()));
    if (expected.size() > 12) list.clear(), expected.clear();
  }
}

TEST(Few, IsComparedAsAList) {
  EXPECT_LT((List{1, 2}), (List{1, 2, 0}));
  EXPECT_LT((List{1, 2, 0, 0}), (List{1, 3}));
  EXPECT_NE((List{1}), (List{}));
}

} // namespace
} // namespace planc::test
