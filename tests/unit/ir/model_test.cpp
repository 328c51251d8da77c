// Models: dimensions, counting, and the verifier's findings, one broken model each.
// SPDX-License-Identifier: Apache-2.0
#include "TinyProgram.h"

#include <gtest/gtest.h>

namespace planc::ir {
namespace {

using test::Tiny;

std::string finding(const Model& m) {
  std::string text;
  for (const std::string& s : verify(m)) text += (text.empty() ? "" : "\n") + s;
  return text;
}

TEST(Model, OneDimPerNameAndExtent) {
  Model m;
  DimId a = m.dim("hidden", 64);
  EXPECT_EQ(m.dim("hidden", 64), a);
  EXPECT_NE(m.dim("hidden", 128), a);
  EXPECT_EQ(m.dims.size(), 2u);
}

TEST(Model, CountsParametersOncePerStorageAndInstance) {
  Tiny t;
  EXPECT_EQ(t.model().parameterCount(), 2 * 32 * 128);
  RegionId outer = t.model().regions.add({{Symbol("mlp")}, 3, {}, {}});
  RegionId inner = t.model().regions.add({{Symbol("mlp"), Symbol("x")}, 4, outer, {}});
  EXPECT_EQ(t.model().times(inner), 12);
  t.model().values[t.w1].region = inner;
  EXPECT_EQ(t.model().parameterCount(), 13 * 32 * 128);
  t.model().values[t.w2].storage = t.w1;
  EXPECT_EQ(t.model().parameterCount(), 12 * 32 * 128);
}

TEST(Model, PathsAreNames) {
  Tiny t;
  EXPECT_EQ(t.model().pathOf(t.upOp), "mlp.up");
  EXPECT_EQ(t.model().pathOf(t.w1), "mlp.w1");
  EXPECT_EQ(join({}), "");
}

TEST(VerifyModel, RejectsDimensionsThatDisagree) {
  Tiny t;
  t.model().ops[t.downOp].operands[0].dims[2] = t.hidden;
  EXPECT_EQ(finding(t.model()), "mlp.down reads %mlp.up as [batch, seq, hidden], but it is [batch, seq, ffn]");
}

TEST(VerifyModel, AnOperatorMayRenameADimension) {
  Tiny t;
  DimId kv = t.model().dim("kv_seq", 16);
  Op& op = t.model().ops[t.normOp];
  op.operands.push_back({t.down, {t.batch, kv, t.hidden}});
  op.dims.push_back(kv);
  EXPECT_EQ(finding(t.model()), "");
  EXPECT_NE(print(t.model()).find("rms_norm %down, %down{kv_seq = seq}"), std::string::npos);
}

TEST(VerifyModel, RejectsUseBeforeDefinition) {
  Tiny t;
  t.model().ops[t.upOp].operands[0] = {t.down, t.model().values[t.down].dims};
  EXPECT_EQ(finding(t.model()), "mlp.up reads %mlp.down before it is defined");
}

TEST(VerifyModel, RejectsTwoExtentsOfOneName) {
  Tiny t;
  Op& op = t.model().ops[t.normOp];
  op.dims.push_back(t.model().dim("hidden", 64));
  EXPECT_EQ(finding(t.model()), "mlp.out has two dimensions hidden: 32 and 64");
}

TEST(VerifyModel, RejectsAnIterationSpaceWithHoles) {
  Tiny t;
  t.model().ops[t.upOp].dims.pop_back();
  EXPECT_EQ(finding(t.model()),
            "mlp.up iterates over [batch, seq, hidden], which are not all dimensions of its operands");
}

TEST(VerifyModel, RejectsRepeatsThatDoNotRunOrNest) {
  Tiny t;
  RegionId r = t.model().regions.add({{Symbol("mlp")}, 0, {}, {}});
  EXPECT_EQ(finding(t.model()), "repeat mlp runs 0 times");
  t.model().regions[r].count = 2;
  t.model().regions[r].parent = r;
  EXPECT_EQ(finding(t.model()), "repeat mlp is not nested");
}

TEST(VerifyModel, RejectsOperatorsOutsideOfLayers) {
  Tiny t;
  t.model().layers[LayerId(0)].end = OpId(2);
  EXPECT_NE(finding(t.model()).find("1 operators are in no layer"), std::string::npos);
}

TEST(VerifyModel, RejectsReadingInsideARepeat) {
  Tiny t;
  Model& m = t.model();
  RegionId r = m.regions.add({{Symbol("mlp")}, 2, {}, {}});
  Layer& first = m.layers[LayerId(0)];
  first.repeat = true;
  first.count = 2;
  first.region = r;
  first.end = OpId(2);
  for (OpId op : {t.upOp, t.downOp}) m.ops[op].region = r;
  Layer norm;
  norm.name = Symbol("norm");
  norm.first = OpId(2);
  norm.end = OpId(3);
  m.ops[t.normOp].layer = m.layers.add(norm);
  EXPECT_EQ(finding(m), "mlp.out reads %mlp.down inside the repeat mlp");
}

TEST(VerifyModel, RejectsAContractionOfOneOperand) {
  Tiny t;
  t.model().ops[t.upOp].operands.pop_back();
  t.model().ops[t.upOp].dims = {t.batch, t.seq, t.hidden, t.ffn};
  EXPECT_EQ(finding(t.model()), "mlp.up contracts 1 operand(s); it needs two");
}

TEST(VerifyModel, RejectsATiedParameterWithoutAnOwner) {
  Tiny t;
  t.model().values[t.w2].storage = t.x;
  EXPECT_EQ(finding(t.model()), "@mlp.w2 shares the storage of a value that is not a parameter");
}

} // namespace
} // namespace planc::ir
