// The laws of a timeline hold for a plan of stages unlike each other, and a timeline that breaks one is found.
// SPDX-License-Identifier: Apache-2.0
#include "api/PlanFile.h"
#include "backends/timeline/Build.h"
#include "backends/timeline/Verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace planc::timeline {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kPlan = R"(
import std.models.moe
import std.clusters.hgx
import std.stacks.te
import std.optimizers
plan p {
  model    = moe.mixtral(layers = 6, hidden = 2048, heads = 16, kv_heads = 8, experts = 16, k = 2, ffn = 768)
  cluster  = hgx.hgx_h100(nodes = 1)
  software = te.te_2602
  train     { seq = 1024; global_batch = 32; micro_batch = 1; optimizer = optimizers.adam }
  precision { compute = bf16; grads = fp32 }
  mesh { dp = 4; pp = 2 }
  place { batch -> dp }
  states { params -> dp }
  pipeline pp { schedule = one_f_one_b }
}
)";

class TimelineLaws : public testing::Test {
protected:
  void SetUp() override {
    file_.loadText("p.plan", kPlan);
    ASSERT_TRUE(file_.check());
    plan_ = file_.bind("p");
    ASSERT_TRUE(plan_ && plan_->priceAlone());
    DiagnosticEngine found;
    line_ = build(*plan_->schedule(), found);
    ASSERT_TRUE(line_);
  }
  std::vector<std::string> findings() const { return verify(*line_, *plan_->estimate()); }
  /// A span of the compute stream of stage 0 that is a pass.
  StageSpan& pass() {
    for (StageSpan& span : line_->stages[0].spans)
      if (span.detail != kNone) return span;
    throw std::logic_error("no pass");
  }

  api::PlanFile file_;
  std::unique_ptr<api::Compilation> plan_;
  std::unique_ptr<Timeline> line_;
};

TEST_F(TimelineLaws, Hold) {
  EXPECT_THAT(findings(), IsEmpty());
  EXPECT_EQ(line_->stages.size(), 2u);
  EXPECT_FALSE(line_->links.empty());
  for (const PassDetail& detail : line_->details) EXPECT_FALSE(detail.layers.empty());
}

TEST_F(TimelineLaws, ALongerOperatorIsFound) {
  PassDetail& detail = line_->details[pass().detail];
  detail.spans[detail.computing - 1].end += 1e-3 * line_->stepTime;
  EXPECT_THAT(findings(), testing::Contains(HasSubstr("in the timeline")));
}

TEST_F(TimelineLaws, AnOverlapIsFound) {
  pass().end += 1e-3 * line_->stepTime;
  EXPECT_THAT(findings(), testing::Contains(HasSubstr("overlaps another")));
}

TEST_F(TimelineLaws, SecondsOfAnotherLayerAreFound) {
  PassDetail& detail = line_->details[pass().detail];
  detail.spans[0].work = detail.spans[detail.computing / 2].work;
  EXPECT_THAT(findings(), testing::Contains(HasSubstr("layer")));
}

TEST_F(TimelineLaws, AReaderBeforeItsTransferIsFound) {
  StageLink& link = line_->links.back();
  line_->stages[static_cast<size_t>(link.fromStage)].spans[link.from].end += line_->stepTime;
  EXPECT_THAT(findings(), testing::Contains(HasSubstr("its reader")));
}

TEST_F(TimelineLaws, AnotherPeakIsFound) {
  for (MemoryPoint& point : line_->stages[1].memory) point.bytes[MemoryKind::Working] *= 1.1;
  EXPECT_THAT(findings(), testing::Contains(HasSubstr("peak of memory")));
}

} // namespace
} // namespace planc::timeline
