// A file of many plans: each is handed over when it is elaborated, and gives its memory back when its report is
// written.
// SPDX-License-Identifier: Apache-2.0
#include "api/PlanFile.h"

#include <gtest/gtest.h>
#include <malloc.h>

namespace planc::api {
namespace {

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
    if (done.size() == 5) before = mallinfo2().uordblks; // 0 under sanitizers
  });
  EXPECT_TRUE(good);
  for (const Diagnostic* d : file.diagnostics().sorted()) ADD_FAILURE() << d->message;
  ASSERT_EQ(done.size(), kPlans + 1u);
  const double grown = static_cast<double>(mallinfo2().uordblks) - static_cast<double>(before);
  EXPECT_LT(grown / kPlans, 20e3) << "bytes a plan; they were 430 kB";
  EXPECT_EQ(done.front()->asked().named, "base");
  EXPECT_EQ(done.back()->asked().named, "p39");
}

} // namespace
} // namespace planc::api
