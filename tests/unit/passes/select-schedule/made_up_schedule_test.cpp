// A schedule that only this test knows: a word with its row and its order are all it takes to check, print and price
// it.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/Estimator.h"
#include "passes/Passes.h"
#include "tests/unit/frontend/Compile.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::ir {
namespace {

constexpr const char* kPlan = R"(import std.models.llama
import std.clusters.hgx
import std.stacks.te
import std.optimizers

plan p {
  model    = llama.llama3_8b
  cluster  = hgx.hgx_h100(nodes = 1)
  software = te.te
  train { seq = 4096; global_batch = 16; micro_batch = 1; optimizer = optimizers.adam }
  mesh  { tp = 2; pp = 4 }
  place {
    batch -> replicate
    decoder.attn      { heads, kv_heads -> tp }
    decoder.mlp       { ffn -> tp }
    embed, head, loss { vocab -> tp }
  }
  pipeline pp { schedule = one_at_a_time(group = 2) }
}
)";

/// Each group of micro-batches goes up and comes back before the next one begins.
Orders oneAtATime(const ScheduleShape& shape) {
  ActionLists orders(static_cast<size_t>(shape.stages));
  const int64_t group = shape.arguments.at(0);
  for (int64_t s = 0; s < shape.stages; ++s)
    for (int64_t first = 0; first < shape.microBatches; first += group)
      for (ActionKind kind : {ActionKind::Forward, ActionKind::Backward})
        for (int64_t k = first; k < std::min(shape.microBatches, first + group); ++k)
          orders[static_cast<size_t>(s)].push_back(
              {kind, false, static_cast<uint16_t>(shape.stages - 1 - s), static_cast<uint32_t>(k)});
  return orders;
}
int64_t backToFront(const ScheduleShape& shape, int64_t, int64_t virtualStage) {
  return shape.stages - 1 - virtualStage;
}

TEST(MadeUpSchedule, IsAWordWithItsRow) {
  frontend::Folder folder;
  frontend::Session session(frontend::embeddedLibrary());
  std::string error;
  ASSERT_TRUE(session.load(folder.write("p.plan", kPlan), error)) << error;
  auto plans = session.plans();
  ASSERT_EQ(plans.size(), 1u);
  DiagnosticEngine diagnostics;
  EXPECT_FALSE(passes::lower(*plans[0], diagnostics)); // no word of the compiler's own
  static constexpr Parameter kGroup[] = {
      {.name = "group", .doc = "micro-batches that go together", .least = 1, .most = 8, .standard = 1}};
  static constexpr ScheduleNeed kPairs[] = {
      {[](const ScheduleShape& s) { return s.microBatches % 2 == 0; }, "pairs", "add one"}};
  const AddedWord<ScheduleKind> added(
      passes::scheduleKinds(),
      {"one_at_a_time", "one group after the other, from the last device to the first", "made up", kGroup},
      {.device = backToFront, .needs = kPairs, .orders = oneAtATime});
  DiagnosticEngine quiet;
  const auto program = passes::lower(*plans[0], quiet);
  ASSERT_TRUE(program);
  EXPECT_EQ(program->virtualStages[0].devices.front(), 3);
  const auto schedule = passes::schedule(*program); // verifies the order
  EXPECT_NE(print(*schedule).find("stage 3: (F0 F1 B0 B1)..(F[m-2] F[m-1] B[m-2] B[m-1])"), std::string::npos)
      << print(*schedule);
  const auto estimate = cost::estimate(*schedule, quiet);
  ASSERT_TRUE(estimate);
  // Nothing overlaps but the two of a group: three quarters of the time of a device are waiting, at least one half.
  EXPECT_GT(estimate->totals.bubble, estimate->totals.stepTime / 2);
  EXPECT_GT(estimate->memory.stages[0].params, 0);
}

/// The codes that a plan with this argument is told, and its value in the program.
std::pair<std::string, int64_t> withSlack(std::string_view value) {
  std::string text = kPlan;
  text.replace(text.find("group = 2"), 9, fmt::format("slack = {}", value));
  frontend::Folder folder;
  frontend::Session session(frontend::embeddedLibrary());
  std::string error;
  EXPECT_TRUE(session.load(folder.write("p.plan", text), error)) << error;
  const auto plans = session.plans();
  if (plans.empty()) return {session.diagnostics().sorted().front()->message, -1};
  DiagnosticEngine quiet;
  const auto program = passes::lower(*plans[0], quiet);
  return {"", program ? program->scheduleArguments.at(0) : -1};
}

TEST(MadeUpSchedule, ArgumentsAreHeldToTheRangeOfTheirWord) {
  static constexpr Parameter kSlack[] = {
      {.name = "slack", .doc = "groups that may wait", .least = 0, .most = 4, .standard = 1}};
  const AddedWord<ScheduleKind> added(passes::scheduleKinds(),
                                      {"one_at_a_time", "one micro-batch after the other", "made up", kSlack},
                                      {.orders = [](const ScheduleShape& s) {
                                        return oneAtATime({s.stages, s.chunks, s.microBatches, {1}, {}});
                                      }});
  EXPECT_EQ(withSlack("0"), (std::pair<std::string, int64_t>{"", 0}));
  EXPECT_EQ(withSlack("4"), (std::pair<std::string, int64_t>{"", 4}));
  EXPECT_EQ(withSlack("5").first, "`slack` is 5; expected 0 to 4");
  EXPECT_EQ(withSlack("-1").first, "`slack` is -1; expected 0 to 4");
}

} // namespace
} // namespace planc::ir
