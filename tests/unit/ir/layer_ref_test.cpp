// References to layers: text and back, what is no path, what a path matches, and which a model has.
// SPDX-License-Identifier: Apache-2.0
#include "ir/model/LayerRef.h"
#include "ir/model/LayerTree.h"
#include "tests/unit/verdict/Fixture.h"

#include <gtest/gtest.h>

namespace planc::ir {
namespace {

TEST(LayerRef, ReadsWhatItPrints) {
  for (const char* text : {"decoder", "decoder[7].attn", "decoder[0:20].*", "decoder[0:80:2].mlp.up", "*.attn",
                           "decoder[0:3, 5, 8:12:2].attn", "decoder (carry)", "decoder[0:3] (carry)"}) {
    const auto ref = parseLayerRef(text);
    ASSERT_TRUE(ref) << text;
    EXPECT_EQ(ref->str(), text);
    EXPECT_EQ(parseLayerRef(ref->str()), ref);
  }
}

TEST(LayerRef, OneTextOfEqualOnes) {
  EXPECT_EQ(parseLayerRef("decoder[0:1].attn"), parseLayerRef(" decoder[ 0 ] . attn"));
  EXPECT_EQ(parseLayerRef("decoder[0:3,5]"), parseLayerRef("decoder[0:3, 5]"));
  EXPECT_NE(parseLayerRef("decoder"), parseLayerRef("decoder (carry)"));
}

TEST(LayerRef, SaysWhatIsNoPath) {
  for (const char* text : {"", ".", "decoder.", "decoder..attn", "step time", "a*b", "decoder[", "decoder[]",
                           "decoder[0:1:1:1]", "decoder[9223372036854775807]", "decoder(x)"}) {
    std::optional<Range> noRange;
    EXPECT_FALSE(parseLayerRef(text, &noRange)) << text;
    EXPECT_FALSE(noRange) << text;
  }
  std::optional<Range> noRange;
  EXPECT_FALSE(parseLayerRef("decoder[3:2]", &noRange));
  EXPECT_EQ(noRange, (Range{3, 2, 1}));
  EXPECT_FALSE(parseLayerRef("decoder[0:4:0]", &noRange));
  EXPECT_EQ(noRange, (Range{0, 4, 0}));
}

TEST(LayerRef, AModelHasTheRowsThatItLists) {
  const auto model = test::smallModel();
  const LayerTree tree(*model);
  std::vector<std::string> paths;
  for (const LayerRef& path : tree.paths()) {
    EXPECT_TRUE(tree.names(path)) << path.str();
    paths.push_back(path.str());
  }
  EXPECT_EQ(paths, (std::vector<std::string>{"embed", "decoder", "decoder.attn", "decoder.mlp", "head"}));
  for (const char* has : {"decoder[0:32]", "decoder[31].mlp", "*.attn"})
    EXPECT_TRUE(tree.names(*parseLayerRef(has))) << has;
  for (const char* none : {"decoder[0:33]", "embed[1]", "decoder.mlp.up", "decoder (carry)", "*.up"})
    EXPECT_FALSE(tree.names(*parseLayerRef(none))) << none;
}

} // namespace
} // namespace planc::ir
