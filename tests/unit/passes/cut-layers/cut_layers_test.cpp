// cut-layers: instances to classes that the plan's rules treat alike, seen on the virtual stages that hold them.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/passes/After.h"

#include <gtest/gtest.h>

namespace planc::test::cut_layers {
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

TEST(CutLayers, SlicesMakeClasses) {
  EXPECT_EQ(cut("  mesh { tp = 2 }\n  place { decoder[1:3].mlp { ffn -> tp } }"),
            R"(stage 0: embed x1 decoder[0, 3] x1 decoder[1:3] x2 decoder[0, 3] x1 head x1 loss x1
embed [0]
decoder [0, 3]
decoder [1:3]
head [0]
loss [0]
)");
  EXPECT_EQ(cut("  recompute decoder[0], decoder[2]"),
            R"(stage 0: embed x1 decoder[0, 2] x1 decoder[1, 3] x1 decoder[0, 2] x1 decoder[1, 3] x1 head x1 loss x1
embed [0]
decoder [0, 2]
decoder [1, 3]
head [0]
loss [0]
)"); // two slices of one statement say one thing
  EXPECT_EQ(cut("  recompute decoder[0:4:2]"),
            R"(stage 0: embed x1 decoder[0, 2] x1 decoder[1, 3] x1 decoder[0, 2] x1 decoder[1, 3] x1 head x1 loss x1
embed [0]
decoder [0, 2]
decoder [1, 3]
head [0]
loss [0]
)");
  EXPECT_EQ(
      cut("  mesh { dp = 2 }\n  place { batch -> dp }\n  states { optimizer -> dp; decoder[3] { params -> dp } }"),
      R"(stage 0: embed x1 decoder[0:3] x3 decoder[3] x1 head x1 loss x1
embed [0]
decoder [0:3]
decoder [3]
head [0]
loss [0]
)");
  EXPECT_EQ(cut("  keep decoder[1].mlp.act = host"),
            R"(stage 0: embed x1 decoder[0, 2:4] x1 decoder[1] x1 decoder[0, 2:4] x2 head x1 loss x1
embed [0]
decoder [0, 2:4]
decoder [1]
head [0]
loss [0]
)");
}

TEST(CutLayers, StatementsThatSayTheSameMakeOneClass) {
  const std::string whole = cut("");
  const std::string tp = "  mesh { tp = 2 }\n";
  EXPECT_EQ(cut(tp + "  place {\n decoder[0:2].mlp { ffn -> tp }\n decoder[2:4].mlp { ffn -> tp }\n }"), whole);
  EXPECT_EQ(cut(tp + "  place {\n decoder[0:4:2].mlp { ffn -> tp }\n decoder[1:4:2].mlp { ffn -> tp }\n }"), whole);
  EXPECT_EQ(cut("  mesh { dp = 2 }\n  place { batch -> dp }\n  states {\n decoder[0:3] { params -> dp }\n decoder[3] { "
                "params -> dp }\n }"),
            whole);
  EXPECT_EQ(cut("  recompute decoder[0:3].mlp\n  recompute decoder[3].mlp"), whole);
  EXPECT_EQ(cut("  keep decoder[0].mlp = host\n  keep decoder[1:4].mlp = host"), whole);
}

TEST(CutLayers, SlicesOfARepeatCutNoOther) {
  const std::string models =
      "model m {\n  in tokens: [batch, seq] int32 counts seq\n  embed = "
      "blocks.embedding(tokens, 64, 32)\n  first * 4 with x = embed {\n    mlp = "
      "blocks.swiglu(x, 128)\n    out x + mlp\n  }\n  second * 4 with x = first {\n    mlp = "
      "blocks.swiglu(x, 128)\n    out x + mlp\n  }\n  head = blocks.lm_head(second, 64)\n  loss = "
      "ops.cross_entropy(head, tokens)\n}\n";
  EXPECT_EQ(cut("  recompute second[0:2].mlp", kTrain, models),
            R"(stage 0: embed x1 first x4 second[0:2] x2 second[2:4] x2 head x1 loss x1
embed [0]
first [0:4]
second [0:2]
second [2:4]
head [0]
loss [0]
)");
}

TEST(CutLayers, StatementsThatSaySomethingElseStayApart) {
  const std::string apart = R"(stage 0: embed x1 decoder[0:2] x2 decoder[2:4] x2 head x1 loss x1
embed [0]
decoder [0:2]
decoder [2:4]
head [0]
loss [0]
)";
  const std::string tp = "  mesh {\n tp = 2\n dp = 2\n }\n";
  EXPECT_EQ(cut(tp + "  place {\n decoder[0:2].mlp { ffn -> tp }\n decoder[2:4].mlp { ffn -> dp }\n }"), apart);
  EXPECT_EQ(cut(tp + "  place {\n decoder[0:2].mlp { ffn -> tp }\n decoder[2:4].norm { seq -> tp }\n }"), apart);
  EXPECT_EQ(cut("  recompute decoder[0:2].mlp\n  recompute decoder[2:4].mlp { outputs = true }"), apart);
  EXPECT_EQ(cut("  keep decoder[0:2].mlp = host\n  keep decoder[2:4].mlp = gathered"), apart);
  // An instance of which the same is said twice: whether that is right is for who reads the statements.
  EXPECT_EQ(cut("  keep decoder[0:4].mlp = gathered\n  keep decoder[0:2].mlp = gathered"), apart);
}

TEST(CutLayers, FirstCountsOnEachStage) {
  EXPECT_EQ(cut(kPipe + "  recompute decoder { first = 1 }"), R"(stage 0: embed x1 decoder[0, 2] x1 decoder[1, 3] x1
stage 1: decoder[0, 2] x1 decoder[1, 3] x1 head x1 loss x1
embed [0]
decoder [0, 2]
decoder [1, 3]
head [0]
loss [0]
)");
}

TEST(CutLayers, TheFirstInstanceThatTrainsHandsNoGradientBack) {
  EXPECT_EQ(cut("", kTrain + "; freeze = [embed]"), R"(stage 0: embed x1 decoder[0] x1 decoder[1:4] x3 head x1 loss x1
embed [0]
decoder [0]
decoder [1:4]
head [0]
loss [0]
)");
  EXPECT_EQ(cut("", kTrain + "; freeze = [embed, decoder[0:2]]"),
            R"(stage 0: embed x1 decoder[0:2] x2 decoder[2] x1 decoder[3] x1 head x1 loss x1
embed [0]
decoder [0:2]
decoder [2]
decoder [3]
head [0]
loss [0]
)");
}

TEST(CutLayers, AClassOfOneInstanceStaysWhole) {
  EXPECT_EQ(cut("  mesh { tp = 2 }\n  place { decoder[0].mlp { ffn -> tp } }", kTrain + "; freeze = [embed]"),
            R"(stage 0: embed x1 decoder[0] x1 decoder[1:4] x3 head x1 loss x1
embed [0]
decoder [0]
decoder [1:4]
head [0]
loss [0]
)");
}

TEST(CutLayers, RunsThatAlternateFollowTheModel) {
  EXPECT_EQ(cut("  mesh {\n tp = 2\n pp = 2\n }\n  place { decoder[1].mlp { ffn -> tp } }\n  pipeline pp { schedule = "
                "one_f_one_b }"),
            R"(stage 0: embed x1 decoder[0, 2:4] x1 decoder[1] x1
stage 1: decoder[0, 2:4] x2 head x1 loss x1
embed [0]
decoder [0, 2:4]
decoder [1]
head [0]
loss [0]
)");
}

TEST(CutLayers, RefusesSlicesOfVeryManyLayers) {
  std::string models = kDecoder;
  models.replace(models.find("= 4"), 3, "= 65537");
  EXPECT_EQ(cut("  recompute decoder[0]", kTrain, models),
            R"(PLAN0722 a slice over `decoder` (65537 instances) exceeds the limit of 65536 instances
)");
  models.replace(models.find("65537"), 5, "65536");
  EXPECT_EQ(cut("  recompute decoder[0]", kTrain, models).find("PLAN"), std::string::npos);
}

TEST(CutLayers, LeavesRepeatsWholeThatNoSliceCuts) {
  EXPECT_EQ(cut("  mesh { tp = 2 }\n  place { decoder.mlp { ffn -> tp } }\n  recompute decoder"),
            R"(stage 0: embed x1 decoder x4 head x1 loss x1
embed [0]
decoder [0:4]
head [0]
loss [0]
)");
}

} // namespace
} // namespace planc::test::cut_layers
