// wrap-layers: several layers of one body are wrapped each by itself; what is one layer, or a part of one, is left
// alone.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/passes/After.h"

#include <gtest/gtest.h>

namespace planc::test::wrap_layers {
namespace {

/// A decoder whose body is these lines, with `x` as what it carries.
After wrapped(const std::string& body, std::string_view pass = "wrap-layers", const std::string& lines = "") {
  return After(pass, lines, kTrain, R"(
block layer(x: [.., hidden]) {
  norm = blocks.rms_norm(x)
  mlp  = blocks.swiglu(norm, 128)
  out x + mlp
}
block wide(x: [batch, seq, hidden]) {
  param w: [hidden, ffn = 128]
  out: [batch, seq, ffn] = ops.matmul(x, w)
}
block narrow(x: [batch, seq, ffn]) {
  param w: [ffn, hidden = 32]
  out: [batch, seq, hidden] = ops.matmul(x, w)
}
model m {
  in tokens: [batch, seq] int32 counts seq
  embed = blocks.embedding(tokens, 64, 32)
  decoder * 4 with x = embed {
)" + body + R"(
  }
  head = blocks.lm_head(decoder, 64)
  loss = ops.cross_entropy(head, tokens)
}
)");
}

/// What the decoder keeps for backward, by the operator that keeps it.
std::string keptBy(const After& a) {
  if (!a.program) return a.said();
  std::string text;
  for (const ir::ClassHead& layerClass : a->heads())
    for (const ir::Saved& s : layerClass.saved)
      if (a->model->layers[layerClass.layer].repeat)
        text += a->model->pathOf(s.value) + " for " + a->model->pathOf(s.op) + "\n";
  return text;
}

/// The path of the innermost repeat around each operator of the decoder, each once in a row.
std::string regionsOf(const After& a) {
  if (!a.program) return a.said();
  std::string text, last;
  for (const ir::Op& op : a->model->ops) {
    if (!op.region.valid()) continue;
    const ir::Region& region = a->model->regions[op.region];
    const std::string here = ir::join(region.path) + " x" + std::to_string(region.count);
    if (here != last) text += here + "\n";
    last = here;
  }
  return text;
}

TEST(WrapLayers, CallsThatHandOnWhatTheyTakeAreLayers) {
  const After a = wrapped("one = layer(x)\n two = layer(one)\n out two");
  EXPECT_EQ(regionsOf(a), "decoder x4\ndecoder.one x1\ndecoder.two x1\ndecoder x4\n");
  size_t params = 0;
  for (const ir::ValueId p : a->model->params) {
    const ir::Value& param = a->model->values[p];
    if (param.path.size() < 3 || param.path[0] != Symbol("decoder")) continue;
    EXPECT_EQ(a->model->regions[param.region].path.back(), param.path[1]) << ir::join(param.path);
    ++params;
  }
  EXPECT_EQ(params, 8u); // a norm and three matrices each
  EXPECT_EQ(ir::verify(a->model), std::vector<std::string>{});
}

TEST(WrapLayers, WhatIsLeftOfABodyIsALayerBesideACall) {
  EXPECT_EQ(regionsOf(wrapped("norm = blocks.rms_norm(x)\n mlp = blocks.swiglu(norm, 64)\n mid = x + mlp\n"
                              "two = layer(mid)\n out two")),
            "decoder x4\ndecoder.two x1\ndecoder x4\n");
}

TEST(WrapLayers, ABodyOfOneLayerIsWrappedAsAWhole) {
  EXPECT_EQ(regionsOf(wrapped("one = layer(x)\n out one")), "decoder x4\n");
  EXPECT_EQ(regionsOf(wrapped("one = layer(x)\n norm = blocks.rms_norm(one)\n out norm")), "decoder x4\n");
}

TEST(WrapLayers, PartsOfALayerAreNoLayers) {
  // A sum around them.
  EXPECT_EQ(regionsOf(wrapped("norm = blocks.rms_norm(x)\n a = blocks.swiglu(norm, 64)\n mid = x + a\n"
                              "norm2 = blocks.rms_norm(mid)\n b = blocks.swiglu(norm2, 64)\n out mid + b")),
            "decoder x4\n");
  // Another shape than the stream's.
  EXPECT_EQ(regionsOf(wrapped("a = wide(x)\n b = narrow(a)\n out b")), "decoder x4\n");
}

TEST(WrapLayers, RepeatsBesideACallAreLayersAlready) {
  EXPECT_EQ(regionsOf(wrapped("inner * 2 with y = x {\n one = layer(y)\n out one\n }\n two = layer(inner)\n out two")),
            "decoder x4\ndecoder.inner x2\ndecoder.two x1\ndecoder x4\n");
}

TEST(WrapLayers, ACheckpointKeepsWhatEntersEachLayer) {
  const std::string pair = "one = layer(x)\n two = layer(one)\n out two";
  const std::string kept = "decoder.one.out for decoder.two.norm.out\nembed.out for decoder\n";
  EXPECT_EQ(keptBy(wrapped(pair, "derive-backward", "recompute decoder")), kept);
  // Layers of one match hand on to each other what they keep; the next instance keeps what the last one hands on.
  EXPECT_EQ(keptBy(wrapped(pair, "derive-backward", "recompute decoder { outputs = true }")), kept);
  // A norm between them goes with the one before it.
  EXPECT_EQ(keptBy(wrapped("one = layer(x)\n norm = blocks.rms_norm(one)\n two = layer(norm)\n out two",
                           "derive-backward", "recompute decoder")),
            "decoder.norm.out for decoder.two.norm.out\nembed.out for decoder\n");
  EXPECT_EQ(keptBy(wrapped("one = layer(x)\n out one", "derive-backward", "recompute decoder")),
            "embed.out for decoder\n");
}

} // namespace
} // namespace planc::test::wrap_layers
