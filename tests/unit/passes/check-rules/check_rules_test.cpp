// check-rules: refuses rules that reach nothing; warns of idle axes and facts without effect.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/passes/After.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace planc::test::check_rules {
namespace {

std::string checked(const std::string& lines, const std::string& train = kTrain, const std::string& models = kDecoder) {
  return After("check-rules", lines, train, models).said();
}

TEST(CheckRules, RefusesARuleThatReachesNothing) { // L7
  EXPECT_EQ(checked("  mesh { tp = 2 }\n  place {\n batch -> tp\n decoder.mlp { fnn -> tp }\n }"),
            R"(PLAN0634 no operator in `decoder.mlp` has a dimension `fnn`
)");
  EXPECT_EQ(checked("  mesh { tp = 2 }\n  place {\n batch -> tp\n decoder.norm { ffn -> tp }\n }"),
            R"(PLAN0634 no operator in `decoder.norm` has a dimension `ffn`
)");
}

TEST(CheckRules, AnOptionalRuleMayReachNothing) {
  const auto with = [](const std::string& rule) {
    return checked("  mesh { tp = 2 }\n  place {\n batch -> tp\n " + rule + "\n }");
  };
  EXPECT_EQ(with("decoder.mlp { fnn -> tp optional }"), "");
  EXPECT_EQ(with("fnn -> tp optional"), "");
  EXPECT_EQ(with("decoder.moe { experts -> tp optional }"), "");
  EXPECT_EQ(with("decoder.mlp { seq -> tp contiguous optional; fnn -> tp contiguous optional }"),
            R"(PLAN0644 `contiguous` has no effect: no operator here has a causal mask along `seq`
)");
  EXPECT_EQ(with("decoder.mlp { tables -> tp optional\n fnn -> tp }"),
            R"(PLAN0634 no operator in `decoder.mlp` has a dimension `fnn`
)");
}

TEST(CheckRules, RulesThatSayTheSameOfOneClassAllReachIt) {
  const std::string mesh = "  mesh { tp = 2 }\n  place {\n seq -> tp\n";
  EXPECT_EQ(checked(mesh + " decoder[0:2].mlp { ffn -> tp }\n decoder[2:4].mlp { ffn -> tp }\n }"),
            checked(mesh + " decoder.mlp { ffn -> tp }\n }"));
  EXPECT_EQ(checked(mesh + " decoder[0:2].mlp { fnn -> tp }\n decoder[2:4].mlp { fnn -> tp }\n }"),
            R"(PLAN0634 no operator in `decoder[0:2].mlp` has a dimension `fnn`
PLAN0634 no operator in `decoder[2:4].mlp` has a dimension `fnn`
)");
  const std::string attention = "model m {\n  in tokens: [batch, seq] int32 counts seq\n  embed = "
                                "blocks.embedding(tokens, 64, 32)\n  decoder * 4 with x = embed {\n    attn = "
                                "blocks.gqa(x, 16, 4, head = 8)\n    out x + attn\n  }\n  head = "
                                "blocks.lm_head(decoder, 64)\n  loss = ops.cross_entropy(head, tokens)\n}\n";
  EXPECT_EQ(checked(mesh + " decoder[0:2] { seq -> tp contiguous }\n decoder[2:4] { seq -> tp contiguous }\n }", kTrain,
                    attention),
            "");
}

TEST(CheckRules, RefusesASplitInsideAKernel) { // L10
  EXPECT_EQ(checked("  mesh { tp = 2 }\n  place { attn.core { head -> tp } }", kTrain, kAttention),
            R"(PLAN0681 `head` is contracted inside the kernel of `attn.core`: no rule can split it
)");
  EXPECT_EQ(checked("  mesh { tp = 2 }\n  place {\n seq -> tp\n attn.core { kv_seq -> tp }\n }", kTrain, kAttention),
            R"(PLAN0681 `kv_seq` is contracted inside the kernel of `attn.core`: no rule can split it
)");
}

TEST(CheckRules, RefusesARingThatIsNone) {
  EXPECT_EQ(
      checked("  mesh { tp = 2 }\n  place { attn.core { kv_seq -> tp via ring } }", kTrain, kAttention),
      R"(PLAN0643 `kv_seq` of `attn.core` cannot go around a ring: no dimension of its result is split over `tp`, so every rank would do the same work
)");
  EXPECT_EQ(
      checked("  mesh { tp = 2 }\n  place { decoder.mlp { ffn -> tp via ring } }"),
      R"(PLAN0643 `ffn` of `decoder.mlp.gate` cannot go around a ring: only a kernel that folds its result over the dimension can take it in turns
)");
}

TEST(CheckRules, RefusesAnImbalanceThatCannotBe) {
  EXPECT_EQ(
      checked("  mesh { ep = 2 }\n  place {\n batch -> ep\n moe { experts -> ep }\n }",
              kTrain + "; expert_imbalance = 3", kExperts),
      R"(PLAN0646 `expert_imbalance` is 3, but `experts` is split over 2 devices: the busiest has at most 2 times the mean
)");
}

TEST(CheckRules, WarnsOfIdleAxes) {
  EXPECT_EQ(checked("  mesh {\n tp = 2\n dp = 2\n }\n  place { batch -> dp }"),
            R"(PLAN0640 `decoder.mlp.gate` does the same work on 2 ranks of `tp`
)");
  EXPECT_EQ(checked("  mesh {\n tp = 2\n dp = 2\n }\n  place {\n batch -> dp\n decoder.mlp { ffn -> tp }\n }"),
            R"(PLAN0640 `head.out` does the same work on 2 ranks of `tp`
)");
}

TEST(CheckRules, StagesAreNotIdle) {
  EXPECT_EQ(
      checked("  mesh {\n dp = 2\n pp = 2\n }\n  place { batch -> dp }\n  pipeline pp { schedule = one_f_one_b }"), "");
}

TEST(CheckRules, WarnsOfAnOrderThatMovesDigits) {
  const auto order = [](const std::string& inside) {
    return checked("  mesh {\n tp = 2\n cp = 2\n one = 1\n }\n  place {\n seq -> cp\n decoder {\n seq -> " + inside +
                   "\n mlp { ffn -> tp }\n }\n embed, head, loss { vocab -> tp }\n }");
  };
  EXPECT_EQ(order("[tp, cp]"),
            R"(PLAN0641 `tp` is before `cp` in `seq -> tp*cp`: gathering it moves every index to another device
)");
  EXPECT_EQ(order("[cp, tp]"), "");
  EXPECT_EQ(checked("  mesh {\n tp = 2\n cp = 2\n }\n  place {\n decoder { seq -> [tp, cp] }\n embed { seq -> cp }\n "
                    "head { seq -> [cp, tp] }\n }")
                .find("PLAN0641"),
            std::string::npos);
  EXPECT_EQ(order("[one, cp]"), "");
}

/// Two kinds of layers with a dimension `ffn` of these extents.
std::string twoWidths(int first, int second) {
  return fmt::format(
      "model m {{\n  in tokens: [batch, seq] int32 counts seq\n  embed = blocks.embedding(tokens, 64, "
      "32)\n  decoder * 2 with x = embed {{\n    inner * 3 with y = x {{\n      mlp = blocks.swiglu(y, {})\n "
      "     out y + mlp\n    }}\n    mlp = blocks.swiglu(inner, {})\n    out inner + mlp\n  }}\n  head = "
      "blocks.lm_head(decoder, 64)\n  loss = ops.cross_entropy(head, tokens)\n}}\n",
      first, second);
}

TEST(CheckRules, WarnsOfLayersThatARuleLeavesWhole) {
  const auto placed = [](const std::string& rules, const std::string& model) {
    const std::string said =
        checked("  mesh { tp = 4 }\n  place {\n seq -> tp\n * { vocab -> tp }\n" + rules + "\n }", kTrain, model);
    return said;
  };
  const std::string mlp = " decoder.mlp { ffn -> tp }";
  EXPECT_EQ(placed(mlp, twoWidths(128, 128)), "PLAN0649 `ffn -> tp` splits `decoder.mlp`, but not `decoder.inner.mlp`: "
                                              "72 % of the parameters are replicated on "
                                              "every rank of `tp`\n");
  EXPECT_EQ(placed(mlp + "\n decoder.inner { ffn -> tp }", twoWidths(128, 128)), "");
  EXPECT_EQ(placed(" * { ffn -> tp }", twoWidths(128, 128)), "");
  EXPECT_EQ(placed(mlp + "\n decoder.inner { ffn -> replicate }", twoWidths(128, 128)), "");
  // Extents that the axis does not divide, unless the rule lets them, and less than 1 % of the parameters.
  EXPECT_EQ(placed(mlp, twoWidths(126, 128)), "");
  EXPECT_NE(placed(" decoder.mlp { ffn -> tp uneven }", twoWidths(126, 128)), "");
  EXPECT_EQ(placed(mlp, twoWidths(4, 2048)), "");
  // The axis serves another dimension of theirs by a rule as near, another one splits their parameters, or one that is
  // less near does.
  EXPECT_EQ(placed(mlp + "\n decoder.inner.mlp { seq -> tp }", twoWidths(128, 128)), "");
  EXPECT_EQ(placed(mlp + "\n decoder.inner.mlp { hidden -> tp }", twoWidths(128, 128)), "");
  // Rules for single operators and for instances choose.
  EXPECT_EQ(placed(" decoder.mlp.gate { ffn -> tp }", twoWidths(1, 128)), "");
  EXPECT_EQ(placed(" decoder[0:1].mlp { ffn -> tp }", twoWidths(1, 128)), "");
}

TEST(CheckRules, WarnsOfFactsWithoutEffect) {
  const std::string dp = "  mesh { dp = 2 }\n";
  EXPECT_EQ(checked(dp + "  place { batch -> dp contiguous }"),
            R"(PLAN0644 `contiguous` has no effect: no operator here has a causal mask along `batch`
)");
  EXPECT_EQ(checked(dp + "  place { batch -> dp }", kTrain + "; expert_imbalance = 1.5"),
            R"(PLAN0645 `expert_imbalance` has no effect: the model has no routed operators
)");
  EXPECT_EQ(checked(dp + "  place { batch -> dp }", kTrain + "; expert_imbalance = 1.5", kExperts),
            R"(PLAN0645 `expert_imbalance` has no effect: no rule splits the experts, so every device has all experts
)");
  EXPECT_EQ(checked(dp + "  place { batch -> dp }", kTrain + "; expert_gini = 0.2"),
            R"(PLAN0645 `expert_gini` has no effect: the model has no routed operators
)");
  EXPECT_EQ(checked("  mesh { ep = 2 }\n  place {\n batch -> ep\n moe { experts -> ep }\n }",
                    kTrain + "; expert_gini = 0.2; expert_imbalance = 1.1", kExperts),
            R"(PLAN0645 `expert_imbalance` has no effect: `expert_gini` says how uneven the loads are
)");
  EXPECT_EQ(checked(dp + "  place { batch -> dp }\n  precision { frozen = fp8 }"),
            R"(PLAN0647 `frozen = fp8` has no effect: no parameter is frozen
)");
}

TEST(CheckRules, LeavesAPlanWhoseRulesAllPlaceSomethingAlone) {
  EXPECT_EQ(checked("  mesh {\n tp = 2\n dp = 2\n }\n  place {\n batch -> dp\n seq -> tp\n decoder.mlp { ffn -> tp }\n "
                    "embed, head { vocab -> tp }\n }"),
            "");
  EXPECT_EQ(checked("  mesh { ep = 2 }\n  place {\n batch -> ep\n moe { experts -> ep }\n }",
                    kTrain + "; expert_imbalance = 1.5", kExperts),
            "");
  const After before("place-operators", "  mesh { dp = 2 }\n  place { batch -> dp }"),
      after("check-rules", "  mesh { dp = 2 }\n  place { batch -> dp }");
  EXPECT_EQ(before.text(), after.text());
}

} // namespace
} // namespace planc::test::check_rules
