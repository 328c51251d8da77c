// Candidates as numbers: what they stand for, which numbers are none, and how many there are.
// SPDX-License-Identifier: Apache-2.0
#include "ir/plan/Space.h"

#include <gtest/gtest.h>

namespace planc::ir {
namespace {

Choice choice(std::string path, std::vector<std::string> values) {
  Choice made;
  made.paths = {std::move(path)};
  made.lists.emplace_back();
  for (std::string& value : values) {
    made.lists[0].push_back(static_cast<uint32_t>(made.values.size()));
    made.values.push_back({{std::move(value)}, {}});
  }
  return made;
}

/// 2 sizes of tp, of which the first allows one micro-batch and the second both, times three schedules.
Space dependent() {
  Space space;
  space.choices = {choice("mesh.tp", {"1", "2"}), choice("train.micro_batch", {"1", "4"}),
                   choice("pipeline.schedule", {"gpipe", "one_f_one_b", "zb_v"})};
  space.choices[1].depends = {0};
  space.choices[1].lists = {{0}, {1, 0}};
  return space;
}

TEST(Space, NumbersStandForDigitsOfWhichTheFirstIsMajor) {
  const Space space = dependent();
  EXPECT_EQ(space.end(), 12u);
  for (CandidateId id = 0; id < 12; ++id) EXPECT_EQ(space.id(space.digits(id)), id);
  EXPECT_EQ(space.str(7), "mesh.tp = 2, train.micro_batch = 1, pipeline.schedule = one_f_one_b");
}

TEST(Space, OnlyValuesOfTheListCount) {
  const Space space = dependent();
  EXPECT_EQ(space.size(), 9); // (1 + 2) * 3
  int count = 0;
  for (CandidateId id = 0; id < 12; ++id) count += space.has(space.digits(id), 1);
  EXPECT_EQ(count, 9);
}

TEST(Space, ValuesAreShownAsTheyAreSet) {
  Choice bound = choice("decoder.seq ->", {"tp"});
  bound.paths.push_back("recompute");
  bound.values[0].texts.push_back("[decoder.attn, decoder.mlp]");
  EXPECT_EQ(bound.str(0), "decoder.seq -> tp with recompute = [decoder.attn, decoder.mlp]");
}

TEST(Space, TooManyCandidatesHaveNoNumbersButACount) {
  Space space;
  for (int i = 0; i < 63; ++i) space.choices.push_back(choice("mesh.a" + std::to_string(i), {"1", "2"}));
  EXPECT_FALSE(space.end());
  EXPECT_EQ(space.size(), 0x1p63);
}

} // namespace
} // namespace planc::ir
