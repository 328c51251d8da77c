// cross-boundaries: what every virtual stage sends to the next.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/passes/After.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace planc::test::cross_boundaries {
namespace {

std::string crossing(const std::string& lines, const std::string& train = kTrain,
                     const std::string& models = kDecoder) {
  const After a("cross-boundaries", lines, train, models);
  if (!a.program) return a.said();
  std::string text = a.said();
  for (const ir::VirtualStage& s : a->virtualStages) {
    text += fmt::format("stage {} level {}:", s.index, a->kindOf(s.index).level);
    for (const ir::Boundary& b : a->kindOf(s.index).sends) {
      text += fmt::format(" {} {}{}", a->model->pathOf(b.value), b.bytes, b.gradient ? "" : " forward only");
      if (b.scatter)
        text += fmt::format(" gathered {} x{} level {} {}", a->mesh.str(b.scatter), b.gather.group, b.gather.level,
                            b.gather.bytes);
      text += ";";
    }
    text += "\n";
  }
  return text;
}
const std::string kPipe = "  pipeline pp { schedule = one_f_one_b }\n";

TEST(CrossBoundaries, WhatARepeatCarriesIsSent) {
  EXPECT_EQ(crossing("  mesh {\n dp = 2\n pp = 2\n }\n  place { batch -> dp }\n" + kPipe),
            R"(stage 0 level 0: decoder.x 2048;
stage 1 level 0:
)");
  EXPECT_EQ(crossing("  mesh {\n tp = 2\n pp = 2\n }\n  place { decoder { seq -> tp } }\n" + kPipe),
            R"(PLAN0640 `head.out` does the same work on 2 ranks of `tp`
stage 0 level 0: decoder.x 1024;
stage 1 level 0:
)");
}

TEST(CrossBoundaries, WhatIsReadLaterPassesThroughTheStagesBetween) {
  const std::string skip =
      "model m {\n  in x: [batch, seq, hidden = 32] bf16 counts seq\n  first = blocks.square_layer(x)\n  decoder "
      "* 4 with y = first {\n    out blocks.rms_norm(y)\n  }\n  loss "
      "= decoder + first\n}\n";
  EXPECT_EQ(crossing("  mesh { pp = 4 }\n" + kPipe, kTrain, skip), R"(stage 0 level 0: first.out 2048; decoder.y 2048;
stage 1 level 0: first.out 2048; decoder.y 2048;
stage 2 level 0: first.out 2048; decoder.y 2048;
stage 3 level 0:
)");
}

TEST(CrossBoundaries, TheLevelOfALinkIsWhereItsDevicesMeet) {
  EXPECT_EQ(
      crossing("  cluster = hgx.hgx_h100(nodes = 2)\n  mesh {\n pp = 2\n dp = 8\n }\n  place { batch -> dp }\n" + kPipe,
               "seq = 16; global_batch = 64; micro_batch = 2; optimizer = optimizers.adam"),
      R"(stage 0 level 0: decoder.x 2048;
stage 1 level 0:
)");
  EXPECT_EQ(crossing("  cluster = hgx.hgx_h100(nodes = 2)\n  mesh {\n dp = 4\n pp = 4\n }\n  place { batch -> dp }\n" +
                     kPipe),
            R"(stage 0 level 0: decoder.x 2048;
stage 1 level 1: decoder.x 2048;
stage 2 level 0: decoder.x 2048;
stage 3 level 0:
)");
}

TEST(CrossBoundaries, ScatterSendsSlices) {
  EXPECT_EQ(crossing("  mesh {\n tp = 2\n pp = 2\n }\n  place { decoder.mlp { ffn -> tp } }\n  pipeline pp { schedule "
                     "= one_f_one_b; scatter = tp }"),
            R"(PLAN0640 `head.out` does the same work on 2 ranks of `tp`
stage 0 level 0: decoder.x 1024 gathered tp x2 level 0 2048;
stage 1 level 0:
)");
}

TEST(CrossBoundaries, NoGradientComesBackWhereNothingTrains) {
  EXPECT_EQ(crossing("  mesh { pp = 4 }\n" + kPipe, kTrain + "; freeze = [embed, decoder[0:2]]"),
            R"(stage 0 level 0: decoder.x 2048 forward only;
stage 1 level 0: decoder.x 2048 forward only;
stage 2 level 0: decoder.x 2048;
stage 3 level 0:
)");
}

TEST(CrossBoundaries, WarnsOfAScatterOfWhatIsSplit) {
  EXPECT_EQ(crossing("  mesh {\n tp = 2\n pp = 2\n }\n  place { seq -> tp }\n  pipeline pp { schedule = one_f_one_b; "
                     "scatter = tp }"),
            R"(PLAN0723 `scatter = tp` has no effect: the transferred value is already split over `tp`
stage 0 level 0: decoder.x 1024;
stage 1 level 0:
)");
}

TEST(CrossBoundaries, RefusesAPendingSumThatCrosses) {
  const std::string pending =
      "model m {\n  in x: [batch, seq, hidden = 32] bf16 counts seq\n  first = blocks.swiglu(x, 64)\n  second "
      "= blocks.swiglu(x, 64)\n  decoder * 2 with y = x {\n    out "
      "blocks.square_layer(y)\n  }\n  sum = first + second\n  loss = decoder + sum\n}\n";
  EXPECT_EQ(
      crossing("  mesh {\n tp = 2\n pp = 2\n }\n  place {\n first { ffn -> tp }\n second { ffn -> tp }\n }\n" + kPipe,
               kTrain, pending),
      R"(PLAN0640 `decoder.out.product` does the same work on 2 ranks of `tp`
PLAN0725 `first.out` leaves its stage as a partial sum over `tp`
)");
}

TEST(CrossBoundaries, LeavesStagesOfOneDeviceAlone) {
  EXPECT_EQ(crossing("  mesh { dp = 2 }\n  place { batch -> dp }"), R"(stage 0 level 0:
)");
  EXPECT_EQ(crossing("  mesh { pp = 2 }\n  pipeline pp { schedule = zb_v }"), R"(stage 0 level 0: decoder.x 2048;
stage 1 level 0:
stage 2 level 0: decoder.x 2048;
stage 3 level 0:
)"); // the fold stays on its device
}

} // namespace
} // namespace planc::test::cross_boundaries
