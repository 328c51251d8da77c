// The front is what no other candidate dominates, of equals the first, in whatever order candidates come.
// SPDX-License-Identifier: Apache-2.0
#include "search/Answer.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace planc::search {
namespace {

/// By definition.
std::vector<ir::CandidateId> undominated(const std::vector<Outcome>& all) {
  std::vector<Outcome> kept;
  for (const Outcome& one : all)
    if (std::none_of(all.begin(), all.end(), [&](const Outcome& other) {
          return dominates(other, one) || (other.goals == one.goals && other.id < one.id);
        }))
      kept.push_back(one);
  std::sort(kept.begin(), kept.end(), before);
  std::vector<ir::CandidateId> ids;
  for (const Outcome& one : kept) ids.push_back(one.id);
  return ids;
}

TEST(Front, IsWhatNothingDominates) {
  std::mt19937 random(13);
  for (int round = 0; round < 300; ++round) {
    const size_t goals = 1 + static_cast<size_t>(round) % 4, count = 1 + random() % 60;
    const unsigned values = 2 + random() % 12; // few: ties of all kinds
    std::vector<Outcome> all(count);
    for (size_t i = 0; i < count; ++i) {
      all[i].id = i;
      all[i].fate = Fate::Met;
      for (size_t g = 0; g < goals; ++g) all[i].goals.push_back(random() % values);
    }
    const ir::Space space;
    Answer whole(space, 0, 3), first(space, 0, 3), second(space, 0, 3);
    std::vector<Outcome> mixed = all;
    std::shuffle(mixed.begin(), mixed.end(), random);
    for (const Outcome& one : mixed) whole.add(one), (one.id % 3 ? first : second).add(one);
    first.add(second);
    for (const Answer* answer : {&whole, &first}) {
      std::vector<ir::CandidateId> ids;
      for (const Outcome& one : answer->front()) ids.push_back(one.id);
      EXPECT_EQ(ids, undominated(all)) << goals << " goals, " << count << " candidates";
    }
  }
}

} // namespace
} // namespace planc::search
