// cut-stages: layers to virtual stages.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/passes/After.h"

#include <gtest/gtest.h>

namespace planc::test::cut_stages {
namespace {

const std::string kPipe = "  mesh { pp = 2 }\n  pipeline pp { schedule = one_f_one_b }\n";

/// Stages and classes.
std::string cut(const std::string& lines, const std::string& train = kTrain, const std::string& models = kDecoder) {
  const After a("cut-stages", lines, train, models);
  if (!a.program) return a.said();
  std::string text = a.part("stage");
  for (const ir::ClassHead& c : a->heads())
    text += a->model->layers[c.layer].name.str() + " " + c.instances.str() + "\n";
  return text;
}

TEST(CutStages, StagesGetEqualNumbersOfRepeatedLayers) {
  EXPECT_EQ(cut(kPipe), R"(stage 0: embed x1 decoder x2
stage 1: decoder x2 head x1 loss x1
embed [0]
decoder [0:4]
head [0]
loss [0]
)");
}

TEST(CutStages, StageLinesSayWhatGoesWhere) {
  EXPECT_EQ(cut("  mesh { pp = 2 }\n  pipeline pp {\n schedule = one_f_one_b\n stage 0 = embed, decoder[0:3]\n stage 1 "
                "= decoder[3:4], head, loss\n }"),
            R"(stage 0: embed x1 decoder x3
stage 1: decoder x1 head x1 loss x1
embed [0]
decoder [0:4]
head [0]
loss [0]
)");
  EXPECT_EQ(cut("  mesh { pp = 2 }\n  pipeline pp {\n schedule = one_f_one_b\n stages = [1, 3]\n }"),
            R"(stage 0: embed x1 decoder x1
stage 1: decoder x3 head x1 loss x1
embed [0]
decoder [0:4]
head [0]
loss [0]
)");
  EXPECT_EQ(cut("  mesh { pp = 2 }\n  pipeline pp { schedule = interleaved_1f1b(chunks = 2) }"),
            R"(stage 0: embed x1 decoder x1
stage 1: decoder x1
stage 2: decoder x1
stage 3: decoder x1 head x1 loss x1
embed [0]
decoder [0:4]
head [0]
loss [0]
)");
}

TEST(CutStages, RefusesLayersThatDoNotDivide) {
  EXPECT_EQ(cut("  mesh { pp = 3 }\n  pipeline pp { schedule = one_f_one_b }"),
            R"(PLAN0711 4 layers are not divisible into 3 stages x 1 chunks
)");
  EXPECT_EQ(cut("  mesh { pp = 2 }\n  pipeline pp {\n schedule = one_f_one_b\n stages = [1, 2]\n }"),
            R"(PLAN0775 `stages` lists 2 numbers for 3 layers, but 2 virtual stages hold 4
)");
  EXPECT_EQ(cut("  mesh { pp = 2 }\n  pipeline pp {\n schedule = one_f_one_b\n stages = even(embed = 5)\n }"),
            R"(PLAN0711 9 layers are not divisible into 2 stages x 1 chunks
)");
  EXPECT_EQ(
      cut("  mesh { pp = 2 }\n  pipeline pp {\n schedule = one_f_one_b\n stage 0 = embed, decoder[0:2]\n stage 1 "
          "= decoder[3:4], head, loss\n }"),
      R"(PLAN0712 the stage lines do not cover the layers once and in order: stage 1 has `decoder[3]`, but `decoder[2:4]` is next
)");
}

TEST(CutStages, RefusesAModelWithoutRepeats) {
  EXPECT_EQ(cut(kPipe, kTrain,
                "model m {\n  in x: [batch, seq, hidden = 32] bf16 counts seq\n  loss = blocks.square_layer(x)\n}\n"),
            R"(PLAN0716 a pipeline over 2 stages needs a repeated layer to cut, but the model has none
)");
}

} // namespace
} // namespace planc::test::cut_stages
