// The raw tables of estimate-train-time: what their file names and columns mean.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/calibrate/Samples.h"

#include <gmock/gmock.h>

using namespace planc;
using namespace planc::calibrate;
using planc::test::ReadText;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

const Sample& only(const ReadText& read) {
  EXPECT_THAT(read.found(), IsEmpty());
  EXPECT_EQ(read.samples.samples.size(), 1u);
  return read.samples.samples.at(0);
}

TEST(ReadRegressor, ProductsAreLocal) {
  ReadText read("mp,b,l,dim,F_dur(us),B_dur(us)\n4.0,2.0,1024.0,4096.0,100.0,200.0\n", "a/NVIDIAX_linear2_fp16.csv");
  const Sample& s = only(read);
  EXPECT_EQ(s.kind, Kind::Gemm);
  EXPECT_EQ(s.dtype, ir::DType::fp16);
  EXPECT_EQ(s[Extent::M], 2048);
  EXPECT_EQ(s[Extent::N], 4096);
  EXPECT_EQ(s[Extent::K], 1024) << "the input is split over mp";
  EXPECT_DOUBLE_EQ(s.backward, 200e-6);
  EXPECT_EQ(read.samples.series[0].label, "linear2");
  EXPECT_EQ(read.samples.series[0].device, "NVIDIAX");
  EXPECT_THAT(read.samples.series[0].axes, ElementsAre("mp", "b", "l", "dim"));
}

TEST(ReadRegressor, TheVocabularyIsPaddedPerRank) {
  ReadText read("mp,b,l,dim,F_dur(us),B_dur(us)\n2,1,1024,4096,1,1\n", "X_linear_final_fp16.csv");
  EXPECT_EQ(only(read)[Extent::N], 197 * 128) << "ceil(50257 / 256) · 128";
}

TEST(ReadRegressor, AttentionHasLocalHeadsAndNoMask) {
  ReadText read("mp,b,h,l,dim,F_dur(us),B_dur(us)\n4,2,32,1024,4096,1,1\n", "X_flash_atten_fp16.csv");
  const Sample& s = only(read);
  EXPECT_EQ(s[Extent::Heads], 8);
  EXPECT_EQ(s[Extent::HeadDim], 128);
  EXPECT_EQ(s[Extent::Causal], 0);
  EXPECT_EQ(s[Extent::KvSeq], 1024);
}

TEST(ReadRegressor, AGatherEndsWithTheShapesOfAllRanks) {
  ReadText gather("shape,nodes,GPUsPerNode,dur(us)\n1000,2,4,7\n", "X_allgather_large_fp16_2_4.csv");
  EXPECT_EQ(only(gather)[Extent::Bytes], 1000 * 2 * 8);
  EXPECT_EQ(only(gather)[Extent::Ranks], 8);
  EXPECT_EQ(only(gather)[Extent::Nodes], 2);
  ReadText reduce("shape,nodes,GPUsPerNode,dur(us)\n1000,2,4,7\n", "X_allreduce_large_fp16_2_4.csv");
  EXPECT_EQ(only(reduce)[Extent::Bytes], 1000 * 2);
  EXPECT_EQ(only(reduce).name, Symbol("all_reduce"));
  EXPECT_THAT(reduce.samples.notes,
              ElementsAre("`shape` is read as fp16 elements of one rank's part, `dur(us)` as microseconds"));
}

TEST(ReadRegressor, AJoinedTableHasASeriesPerGroup) {
  ReadText read("shape,nodes,GPUsPerNode,dur(us)\n1000,1,2,7\n1000,1,4,7\n2000,1,2,9\n", "X_allreduce_fp16.csv");
  ASSERT_EQ(read.samples.series.size(), 2u);
  EXPECT_EQ(read.samples.series[1].label, "allreduce 1x4");
  EXPECT_EQ(read.samples.samples[2].series, 0u);
}

TEST(ReadRegressor, ListsOfModelsAreSkippedWithANote) {
  ReadText read("GPU,Function,Best_model,Best_config\nX,bmm,rforest,\"{'a': 1, 'b': 2}\"\n", "a/X.csv");
  EXPECT_TRUE(read.recognised);
  EXPECT_TRUE(read.samples.samples.empty());
  EXPECT_THAT(read.samples.notes, ElementsAre("a/X.csv: a list of regression models, no samples: skipped"));
}

TEST(ReadRegressor, SaysWhatItDoesNotKnow) {
  EXPECT_THAT(ReadText("b,l,F_dur(us)\n1,1,1\n", "X_geluu_fp16.csv").found(), ElementsAre("PLAN1010 at 1"));
  EXPECT_THAT(ReadText("b,l,F_dur(us)\n1,1,1\n", "X_gelu_fp16.csv").found(), ElementsAre("PLAN1011 at 1"));
  EXPECT_THAT(ReadText("mp,b,l,dim,F_dur(us)\n1,2,3,4,nan\n", "X_gelu_fp16.csv").found(), ElementsAre("PLAN1002 at 2"));
  EXPECT_FALSE(ReadText("b,l,F_dur(us)\n1,1,1\n", "gelu.csv").recognised) << "no precision in its name";
}

TEST(ReadRegressor, SaysThatAUnitIsMissing) {
  ReadText read("num_layers,hidden_size,param_tensors,params,dur\n2,256,28,27335680,9731.2\n", "X_optimizer_fp16.csv");
  EXPECT_DOUBLE_EQ(only(read).forward, 9731.2e-6);
  EXPECT_THAT(read.samples.notes, ElementsAre("X_optimizer_fp16.csv: column `dur` has no unit: taken as us, as in the "
                                              "other tables"));
}

} // namespace
