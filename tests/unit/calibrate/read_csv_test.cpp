// The schema of docs/calibrate.md: what a line becomes, and what is stated about lines that cannot become anything.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/calibrate/Samples.h"

#include <gmock/gmock.h>
#include <random>

using namespace planc;
using namespace planc::calibrate;
using planc::test::ReadText;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

TEST(ReadCsv, GivesBaseUnitsAndPlaces) {
  ReadText read(
      "# a comment\nkind,name,dtype,m,n,k,forward_us,backward_ms\n\ngemm, linear ,fp16,128,256,512,7.5,0.02\n");
  EXPECT_THAT(read.found(), IsEmpty());
  ASSERT_EQ(read.samples.samples.size(), 1u);
  const Sample& s = read.samples.samples[0];
  EXPECT_EQ(s.kind, Kind::Gemm);
  EXPECT_EQ(s.name, Symbol("linear"));
  EXPECT_EQ(s.dtype, ir::DType::fp16);
  EXPECT_EQ(s[Extent::K], 512);
  EXPECT_EQ(s[Extent::Batch], 1) << "by default";
  EXPECT_DOUBLE_EQ(s.forward, 7.5e-6);
  EXPECT_DOUBLE_EQ(s.backward, 0.02e-3);
  EXPECT_EQ(read.sources.begin(s.range).line, 4u);
}

TEST(ReadCsv, OneSeriesPerDeviceNameKindAndType) {
  ReadText read(
      "kind,name,device,dtype,bytes,time_us\n"
      "memory,gelu,A,bf16,100,1\nmemory,gelu,A,bf16,200,2\nmemory,gelu,B,bf16,100,1\nmemory,gelu,A,fp32,100,1\n");
  ASSERT_EQ(read.samples.series.size(), 3u);
  EXPECT_EQ(read.samples.samples[1].series, 0u);
  EXPECT_EQ(read.samples.series[1].device, "B");
  EXPECT_THAT(read.samples.series[0].axes, ElementsAre("bytes"));
  EXPECT_THAT(read.samples.samples[1].at, ElementsAre(200));
}

TEST(ReadCsv, ElementsAreBytesOfTheType) {
  ReadText read("kind,name,dtype,elements,time_us\nmemory,gelu,fp32,100,1\nmemory,gelu,fp8,100,1\n");
  EXPECT_EQ(read.samples.samples[0][Extent::Bytes], 400);
  EXPECT_EQ(read.samples.samples[1][Extent::Bytes], 100);
}

TEST(ReadCsv, CausalMayBeNought) {
  ReadText read("kind,name,batch,heads,seq,head_dim,causal,time_us\nattention,attention,1,8,1024,128,0,9\n");
  EXPECT_THAT(read.found(), IsEmpty());
  EXPECT_EQ(read.samples.samples.at(0)[Extent::KvSeq], 1024);
}

struct Wrong {
  std::string_view text;
  std::string_view code;
};

class ReadCsvRefuses : public testing::TestWithParam<Wrong> {};

TEST_P(ReadCsvRefuses, WithItsCodeAtItsLine) {
  ReadText read(std::string(GetParam().text));
  EXPECT_TRUE(read.recognised);
  EXPECT_THAT(read.found(), ElementsAre(std::string(GetParam().code)));
  EXPECT_TRUE(read.samples.samples.empty());
}

INSTANTIATE_TEST_SUITE_P(All, ReadCsvRefuses,
                         testing::Values(Wrong{"kind,name,bytes,time_us\nmemory,gelu,1,nan", "PLAN1002 at 2"},
                                         Wrong{"kind,name,bytes,time_us\nmemory,gelu,1,inf", "PLAN1002 at 2"},
                                         Wrong{"kind,name,bytes,time_us\nmemory,gelu,1,-3", "PLAN1002 at 2"},
                                         Wrong{"kind,name,bytes,time_us\nmemory,gelu,0,3", "PLAN1002 at 2"},
                                         Wrong{"kind,name,bytes,time_us\nmemory,gelu,1e999,3", "PLAN1002 at 2"},
                                         Wrong{"kind,name,bytes,time_us\nmemory,gelu,1e300,3", "PLAN1002 at 2"},
                                         Wrong{"kind,name,bytes,time_us\nmemory,gelu,1,3us", "PLAN1002 at 2"},
                                         Wrong{"kind,name,bytes,time_us\nmemory,gelu,1", "PLAN1003 at 2"},
                                         Wrong{"kind,name,bytes,time\nmemory,gelu,1,3", "PLAN1004 at 1"},
                                         Wrong{"kind,name,bytes,time_us\nmemory,,1,3", "PLAN1005 at 2"},
                                         Wrong{"kind,name,m,n,time_us\ngemm,linear,1,1,3", "PLAN1005 at 2"},
                                         Wrong{"kind,name,bytes,time_us\nmemroy,gelu,1,3", "PLAN1006 at 2"},
                                         Wrong{"kind,name,dtype,bytes,time_us\nmemory,gelu,float,1,3", "PLAN1006 at 2"},
                                         Wrong{"kind,name,bytes,time_us\nmemory,layer norm,1,3", "PLAN1006 at 2"},
                                         Wrong{"kind,name,bytes,time_us\nmemory,3d,1,3", "PLAN1006 at 2"},
                                         Wrong{"kind,name,bytes,ranks,time_us\ncollective,allreduce,1,2,3",
                                               "PLAN1006 at 2"},
                                         Wrong{"kind,name,bytes,time_us\nmemory,gelu,1,", "PLAN1007 at 2"}));

/// Counts are whole, and no cell stands where its kind has no use for it: what is accepted has an effect.
INSTANTIATE_TEST_SUITE_P(
    Counts, ReadCsvRefuses,
    testing::Values(Wrong{"kind,name,m,n,k,time_us\ngemm,linear,1.5,1,1,3", "PLAN1002 at 2"},
                    Wrong{"kind,name,bytes,time_us\nmemory,gelu,0.5,3", "PLAN1002 at 2"},
                    Wrong{"kind,name,bytes,row,time_us\nmemory,gelu,8,2.5,3", "PLAN1002 at 2"},
                    Wrong{"kind,name,bytes,table,time_us\nlookup,lookup,8,2.5,3", "PLAN1002 at 2"},
                    Wrong{"kind,name,params,tensors,time_us\noptimizer,adam,8,2.5,3", "PLAN1002 at 2"},
                    Wrong{"kind,name,bytes,ranks,time_us\ncollective,all_reduce,8,2.5,3", "PLAN1002 at 2"},
                    Wrong{"kind,name,bytes,ranks,nodes,time_us\ncollective,all_reduce,8,2,0.5,3", "PLAN1002 at 2"},
                    Wrong{"kind,name,batch,heads,seq,head_dim,causal,time_us\nattention,attention,1,8,9,64,2,9",
                          "PLAN1002 at 2"},
                    Wrong{"kind,name,bytes,ranks,time_us\nmemory,gelu,8,2,3", "PLAN1002 at 2"},
                    Wrong{"kind,name,m,n,k,elements,time_us\ngemm,linear,1,1,1,8,3", "PLAN1002 at 2"},
                    Wrong{"kind,name,bytes,elements,time_us\nmemory,gelu,8,8,3", "PLAN1002 at 2"},
                    Wrong{"kind,name,params,time_us,backward_us\noptimizer,adam,8,3,3", "PLAN1002 at 2"},
                    Wrong{"kind,name,bytes,time_us,forward_ms\nmemory,gelu,8,3,3", "PLAN1004 at 1"},
                    Wrong{"kind,name,bytes,bytes,time_us\nmemory,gelu,8,8,3", "PLAN1004 at 1"}));

INSTANTIATE_TEST_SUITE_P(
    Groups, ReadCsvRefuses,
    testing::Values(Wrong{"kind,name,bytes,ranks,time_us\ncollective,all_reduce,8,1,3", "PLAN0826 at 2"},
                    Wrong{"kind,name,bytes,ranks,nodes,time_us\ncollective,all_reduce,8,4,5,3", "PLAN0826 at 2"},
                    Wrong{"kind,name,bytes,ranks,time_us\ncollective,send_recv,8,3,3", "PLAN0826 at 2"},
                    Wrong{"kind,name,bytes,ranks,time_us\ncollective,all_reduce,8,2000000000,3", "PLAN0826 at 2"},
                    Wrong{"kind,name,bytes,ranks,time_us\ncollective,all_reduce,8,1,3\ncollective,all_reduce,9,1,4",
                          "PLAN0826 at 2"}));

/// bf16 is the default of operands; what an update keeps is fp32 unless it is said otherwise.
TEST(ReadCsv, StatesAreWideByDefault) {
  ReadText read("name,params,dtype,kind,time_us\nadam,8,,optimizer,3\nadam,8,bf16,optimizer,3\n");
  EXPECT_THAT(read.found(), IsEmpty());
  EXPECT_EQ(read.samples.samples.at(0).dtype, ir::DType::fp32);
  EXPECT_EQ(read.samples.samples.at(1).dtype, ir::DType::bf16);
}

TEST(ReadCsv, TokensOfAnExpertMayBeAMean) {
  ReadText read("kind,name,batch,m,n,k,time_us\ngrouped_gemm,grouped_linear,8,31.5,64,64,9\n");
  EXPECT_THAT(read.found(), IsEmpty());
  EXPECT_EQ(read.samples.samples.at(0)[Extent::M], 31.5);
}

TEST(ReadCsv, GoodLinesBesideBadOnesAreKept) {
  ReadText read("kind,name,bytes,time_us\nmemory,gelu,1,0\nmemory,gelu,1,3\n");
  EXPECT_THAT(read.found(), ElementsAre("PLAN1002 at 2"));
  EXPECT_EQ(read.samples.samples.size(), 1u);
}

/// Any bytes end with samples or diagnostics.
TEST(ReadCsv, SurvivesGarbage) {
  std::mt19937 random(7);
  constexpr char kBytes[] = "kind,name\"#\n\r\t ,,0129.e-\xff\0\x01gemm";
  const std::string alphabet(kBytes, sizeof kBytes - 1);
  for (int round = 0; round < 2000; ++round) {
    std::string text = round % 2 ? "kind,name,bytes,time_us\n" : "";
    for (size_t n = random() % 80; n > 0; --n) text += alphabet[random() % alphabet.size()];
    ReadText read(text);
    for (const Sample& s : read.samples.samples) EXPECT_GT(s.forward + s.backward, 0);
  }
}

} // namespace
