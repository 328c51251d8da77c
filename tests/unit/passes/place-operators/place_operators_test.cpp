// place-operators: the axes that every dimension of every operator gets; laws L1, L2, L3, L5.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/passes/After.h"

#include <gtest/gtest.h>

namespace planc::test::place_operators {
namespace {

/// `path dim@axes …` of the operators of a layer.
std::string placed(const std::string& lines, const std::string& layer = "decoder",
                   const std::string& models = kDecoder) {
  const After a("place-operators", lines, kTrain, models);
  if (!a.program) return a.said();
  std::string text;
  for (const ir::ClassHead& c : a->heads()) {
    const ir::Layer& l = a->model->layers[c.layer];
    if (l.name != Symbol(layer)) continue;
    for (uint32_t i = l.first.index; i < l.end.index; ++i) {
      text += a->model->pathOf(ir::OpId(i));
      for (const ir::PlacedDim& p : c.placements[i - l.first.index].dims)
        text += " " + a->model->dims[p.dim].name.str() + "@" + a->mesh.str(p.axes) + (p.ring ? "(ring)" : "");
      text += "\n";
    }
  }
  return text;
}
const std::string kMesh = "  mesh {\n tp = 2\n cp = 2\n dp = 2\n }\n";

TEST(PlaceOperators, TheInnermostRuleOfADimensionHolds) {
  EXPECT_EQ(placed(kMesh + "  place {\n batch -> dp\n seq -> [cp, tp]\n decoder.mlp {\n seq -> cp\n ffn -> tp\n }\n }"),
            R"(decoder batch@dp seq@cp*tp
decoder.norm.out batch@dp seq@cp*tp
decoder.mlp.gate batch@dp seq@cp ffn@tp
decoder.mlp.up batch@dp seq@cp ffn@tp
decoder.mlp.act batch@dp seq@cp ffn@tp
decoder.mlp.out batch@dp seq@cp ffn@tp
decoder.out batch@dp seq@cp*tp
decoder batch@dp seq@cp*tp
)");
}

TEST(PlaceOperators, ADimensionTakesAnAxisFromAnOuterRule) {
  EXPECT_EQ(placed(kMesh + "  place {\n seq -> tp\n decoder.mlp { ffn -> tp }\n }"), R"(decoder seq@tp
decoder.norm.out seq@tp
decoder.mlp.gate ffn@tp
decoder.mlp.up ffn@tp
decoder.mlp.act ffn@tp
decoder.mlp.out ffn@tp
decoder.out seq@tp
decoder seq@tp
)");
}

TEST(PlaceOperators, AxesOfOneRankSplitNothing) {
  EXPECT_EQ(placed("  mesh {\n tp = 1\n dp = 2\n }\n  place {\n batch -> [dp, tp]\n decoder.mlp { ffn -> tp }\n }"),
            R"(decoder batch@dp
decoder.norm.out batch@dp
decoder.mlp.gate batch@dp
decoder.mlp.up batch@dp
decoder.mlp.act batch@dp
decoder.mlp.out batch@dp
decoder.out batch@dp
decoder batch@dp
)");
}

TEST(PlaceOperators, ACompositeHandsItsAxesToItsFactors) {
  EXPECT_EQ(placed("  mesh {\n b = 4\n a = 2\n }\n  place { attn { heads -> [a, b] } }", "attn", kAttention),
            R"(attn.q kv_heads@a*b group@b
attn.k kv_heads@a*b group@b
attn.v kv_heads@a*b group@b
attn.qr kv_heads@a*b group@b
attn.kr kv_heads@a*b group@b
attn.core kv_heads@a*b group@b
attn.out kv_heads@a*b group@b
)");
  EXPECT_EQ(placed("  mesh { tp = 3 }\n  place { attn { heads -> tp } }", "attn", kAttention),
            R"(PLAN0612 dimension `heads` (16) is not divisible by mesh axis `tp` (3)
)");
}

TEST(PlaceOperators, KeysPassByInARing) {
  EXPECT_EQ(
      placed("  mesh { cp = 2 }\n  place {\n seq -> cp\n attn.core { kv_seq -> cp via ring }\n }", "attn", kAttention),
      R"(attn.q seq@cp
attn.k seq@cp
attn.v seq@cp
attn.qr seq@cp
attn.kr seq@cp
attn.core seq@cp kv_seq@cp(ring)
attn.out seq@cp
)");
}

TEST(PlaceOperators, RoutedDimensionsLieWhereTheirPartsDo) {
  EXPECT_EQ(placed("  mesh {\n ep = 4\n dp = 2\n }\n  place {\n batch -> [dp, ep]\n moe { experts -> ep }\n }", "moe",
                   kExperts),
            R"(moe.logits batch@dp*ep
moe.gates batch@dp*ep
moe.sent batch@dp*ep slots@dp*ep
moe.gate batch@dp experts@ep slots@dp
moe.up batch@dp experts@ep slots@dp
moe.act batch@dp experts@ep slots@dp
moe.down batch@dp experts@ep slots@dp
moe.chosen batch@dp*ep slots@dp*ep
)");
}

TEST(PlaceOperators, RefusesAnAxisForTwoDimensionsOfOneDepth) { // L1
  EXPECT_EQ(placed(kMesh + "  place { decoder.mlp {\n ffn -> tp\n hidden -> tp\n } }"),
            R"(PLAN0630 `ffn` and `hidden` of `decoder.mlp.gate` both need axis `tp`
)");
}

TEST(PlaceOperators, RefusesTwoRulesOfOneDepth) { // L2
  EXPECT_EQ(placed(kMesh + "  place {\n decoder.mlp { ffn -> tp }\n *.mlp { ffn -> cp }\n }"),
            R"(PLAN0631 two rules place `ffn` of `decoder.mlp.gate`
)");
  EXPECT_EQ(placed(kMesh + "  place {\n decoder.mlp { ffn -> tp }\n *.mlp { ffn -> tp }\n }").find("PLAN"),
            std::string::npos);
}

TEST(PlaceOperators, RefusesAnExtentThatDoesNotDivide) { // L3
  EXPECT_EQ(placed("  mesh { tp = 3 }\n  place { decoder.mlp { ffn -> tp } }"),
            R"(PLAN0612 dimension `ffn` (128) is not divisible by mesh axis `tp` (3)
)");
  EXPECT_EQ(placed("  mesh { tp = 256 }\n  place { decoder.mlp { ffn -> tp } }"),
            R"(PLAN0613 mesh axis `tp` (256) is larger than dimension `ffn` (128)
)");
  EXPECT_EQ(placed("  mesh { tp = 3 }\n  place { decoder.mlp { ffn -> tp uneven } }").find("PLAN"), std::string::npos);
  EXPECT_EQ(placed("  mesh { tp = 128 }\n  place { decoder.mlp { ffn -> tp } }").find("PLAN"), std::string::npos);
}

TEST(PlaceOperators, RefusesAnAxisThatAnInnerRuleHides) { // L5
  EXPECT_EQ(placed(kMesh + "  place {\n seq -> [cp, tp]\n decoder.mlp { seq -> cp }\n }"),
            R"(PLAN0632 `seq -> cp` replaces `seq -> cp*tp` and leaves axis `tp` unused in `decoder.mlp.gate`
)");
  EXPECT_EQ(placed(kMesh + "  place {\n seq -> [cp, tp]\n decoder.mlp { seq -> replicate }\n }").find("PLAN"),
            std::string::npos);
}

TEST(PlaceOperators, LeavesOperatorsAloneThatNoRuleReaches) {
  EXPECT_EQ(placed(kMesh + "  place { embed { vocab -> tp } }"), R"(decoder
decoder.norm.out
decoder.mlp.gate
decoder.mlp.up
decoder.mlp.act
decoder.mlp.out
decoder.out
decoder
)");
}

} // namespace
} // namespace planc::test::place_operators
