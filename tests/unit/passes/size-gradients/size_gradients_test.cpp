// Gradients that are stored in shards are accumulated in shards.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/passes/After.h"

#include <gtest/gtest.h>

namespace planc::test {
namespace {

/// Elements that each accumulation of the decoder adds.
std::string accumulated(std::string_view pass, const std::string& lines) {
  const After a(pass, lines);
  std::string text = a.program ? "" : a.said();
  if (!a.program) return text;
  for (const ir::LayerClass& c : a.comm->classes)
    for (const ir::Node& n : c.backward)
      if (n.isCompute() && n.compute().role == ir::Role::Accumulate && a->model->layers[c.layer].repeat)
        text += std::to_string(static_cast<int64_t>(n.compute().work.elements)) + " ";
  return text;
}

const std::string kSharded = kDp + "  states { grads, optimizer -> dp }";

TEST(SizeGradients, WholeWhereTheyAreStoredWhole) {
  EXPECT_EQ(accumulated("size-gradients", kDp + "  states { optimizer -> dp }"), "4096 4096 4096 32 ");
  EXPECT_EQ(accumulated("size-gradients", kDp), "4096 4096 4096 32 ");
}

TEST(SizeGradients, ShardsWhereTheyAreStoredInShards) {
  EXPECT_EQ(accumulated("size-gradients", kSharded), "2048 2048 2048 16 ");
}

TEST(SizeGradients, AreWholeUntilThen) {
  EXPECT_EQ(accumulated("size-work", kSharded), "4096 4096 4096 32 ");
}

TEST(SizeGradients,
     OnlyOverAxesThatSumThem) { // tp splits the product's parameters, the norm's gradient is summed over it
  EXPECT_EQ(accumulated("size-gradients", kMegatron + "  states { grads, optimizer -> [dp, tp] }"),
            "1024 1024 1024 8 ");
}

} // namespace
} // namespace planc::test
