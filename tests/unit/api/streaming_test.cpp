// A file of many plans: each is handed over when it is elaborated, and gives its memory back when its report is
// written.
// SPDX-License-Identifier: Apache-2.0
#include "api/PlanFile.h"

#include <gtest/gtest.h>
#include <malloc.h>

namespace planc::api {
namespace {

size_t bytesInUse() {
  return mallinfo2().uordblks; // 0 under sanitizers
}

std::string manyPlans(int count) {
  std::string text = "import std.models.gpt\nimport std.clusters.dgx_a100\nimport std.stacks.megatron\n"
                     "import std.optimizers\n"
                     "plan base {\n  model = gpt.gpt3_175b\n  cluster = dgx_a100.superpod(nodes = 8)\n"
                     "  software = megatron.megatron_2022\n  train { seq = 2048; global_batch = 64; micro_batch = 1; "
                     "optimizer = optimizers.adam }\n"
                     "  mesh { tp = 8 within node; dp = 8 across nodes }\n  place { decoder.mlp { ffn -> tp } }\n}\n";
  for (int i = 0; i < count; ++i)
    text += "plan p" + std::to_string(i) + " extends base { override train.micro_batch = 2 }\n";
  return text;
}

TEST(Streaming, PlansAreHandedOverAndFreedOneByOne) {
  constexpr int kPlans = 40;
  PlanFile file;
  file.loadText("many.plan", manyPlans(kPlans));
  std::vector<std::unique_ptr<Compilation>> done;
  size_t before = 0;
  const bool good = file.check([&](std::unique_ptr<Compilation> plan) {
    EXPECT_TRUE(plan->price());
    plan->release();
    EXPECT_EQ(plan->estimate(), nullptr);
    done.push_back(std::move(plan));
    if (done.size() == 5) before = bytesInUse();
  });
  EXPECT_TRUE(good);
  for (const Diagnostic* d : file.diagnostics().sorted()) ADD_FAILURE() << d->message;
  ASSERT_EQ(done.size(), kPlans + 1u);
  const double grown = static_cast<double>(bytesInUse()) - static_cast<double>(before);
  EXPECT_LT(grown / kPlans, 20e3) << "bytes a plan; they were 430 kB";
  EXPECT_EQ(done.front()->asked().named, "base");
  EXPECT_EQ(done.back()->asked().named, "p39");
}

/// A text a binding stayed, 175 to 300 bytes each, those that were refused too.
TEST(Streaming, BindingsAndTheirChangesLeaveNothingBehind) {
  PlanFile file;
  file.loadText("many.plan", manyPlans(1) +
                                 "plan sized(b: int where b >= 1) extends base { override train { global_batch "
                                 "= 64 * b } }\n");
  const auto bind = [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      const auto plan = file.bind("sized(b = " + std::to_string(100000 + i) + ")");
      ASSERT_TRUE(plan);
      EXPECT_EQ(plan->plan().workload.globalBatch, 64 * (100000 + i));
      EXPECT_TRUE(file.bind("base")) << "beside the one that is held";
      const auto changed = plan->with({.microBatch = 2});
      if (i % 100 == 0) {
        EXPECT_TRUE(changed->priceAlone(cost::Wanted::totals()));
      }
    }
  };
  bind(0, 200);
  const size_t before = bytesInUse();
  const uint32_t files = file.sources().fileCount();
  bind(200, 1200);
  EXPECT_EQ(file.sources().fileCount(), files);
  EXPECT_LT(static_cast<double>(bytesInUse()) - static_cast<double>(before), 20e3) << "20 bytes a binding";
}

/// What a plan says of its choice stands as long as the plan or a change of it does, whatever is bound later.
TEST(Streaming, ACompilationKeepsTheTextOfItsChoice) {
  PlanFile file;
  file.loadText("many.plan",
                manyPlans(1) + "plan sized(b: int) extends base { override train { global_batch = 64 * b } }\n");
  std::unique_ptr<Compilation> changed = file.bind("sized(b = 7)")->with({});
  const uint32_t files = file.sources().fileCount();
  const auto other = file.bind("sized(b = 8)");
  EXPECT_EQ(file.sources().fileCount(), files + 1);
  changed.reset();
  const auto third = file.bind("sized(b = 9)");
  EXPECT_EQ(file.sources().fileCount(), files + 1);
  EXPECT_EQ(third->plan().workload.globalBatch, 64 * 9);
}

} // namespace
} // namespace planc::api
