// The output of nccl-tests. The logs are made up in its format; times follow from a latency and a bandwidth.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/calibrate/Samples.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <random>

using namespace planc;
using namespace planc::calibrate;
using planc::test::ReadText;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// The lines of `count` ranks, `perNode` on each host.
std::string ranks(int count, int perNode, std::string_view group = "0") {
  std::string text = "# nThread 1 nGpus 1 minBytes 8 maxBytes 1073741824 step: 4(factor) warmup iters: 5 iters: "
                     "20\n#\n# Using devices\n";
  for (int i = 0; i < count; ++i)
    text +=
        fmt::format("#  Rank {:2} Group {:2} Pid {:6} on gpu-{:03} device {:2} [0000:1{}:00] NVIDIA H100 80GB HBM3\n",
                    i, group, 4000 + i, i / perNode, i % perNode, i % perNode);
  return text;
}

constexpr std::string_view kHead = "#\n"
                                   "#                                                              out-of-place        "
                                   "               in-place          \n"
                                   "#       size         count      type   redop    root     time   algbw   busbw "
                                   "#wrong     time   algbw   busbw #wrong\n"
                                   "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)      "
                                   "      (us)  (GB/s)  (GB/s)       \n";

/// 20 us and 200 GB/s; in place a tenth longer.
std::string row(double bytes, double factor, std::string_view wrong = "0") {
  const double time = 20 + bytes / 200e3, rate = bytes / time * 1e-3;
  return fmt::format(
      "{:12.0f} {:13.0f}  bfloat16     sum      -1 {:8.4g} {:7.2f} {:7.2f}      {} {:8.4g} {:7.2f} {:7.2f}      0\n",
      bytes, bytes / 2, time, rate, rate * factor, wrong, time * 1.1, rate / 1.1, rate * factor / 1.1);
}

std::string table(double factor) {
  std::string text(kHead);
  text += "           0             0  bfloat16     sum      -1     0.05    0.00    0.00      0     0.05    0.00    "
          "0.00      0\n";
  for (const double bytes : {8192.0, 1048576.0, 134217728.0, 1073741824.0}) text += row(bytes, factor);
  return text + "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 123.4\n#\n";
}

TEST(ReadNccl, GivesFullTensorsRanksAndNodes) {
  ReadText read("# Collective test starting: all_reduce_perf\n" + ranks(16, 8) + table(1.875), "log.txt");
  EXPECT_THAT(read.found(), IsEmpty());
  ASSERT_EQ(read.samples.samples.size(), 4u) << "the row of no bytes is no sample";
  const Sample& s = read.samples.samples[1];
  EXPECT_EQ(s.kind, Kind::Collective);
  EXPECT_EQ(s.name, Symbol("all_reduce"));
  EXPECT_EQ(s.dtype, ir::DType::bf16);
  EXPECT_EQ(s[Extent::Bytes], 1048576);
  EXPECT_EQ(s[Extent::Ranks], 16);
  EXPECT_EQ(s[Extent::Nodes], 2);
  EXPECT_NEAR(s.forward, 20e-6 + 1048576 / 200e9, 1e-8) << "out of place";
  EXPECT_EQ(s.backward, 0);
  ASSERT_EQ(read.samples.series.size(), 1u);
  EXPECT_EQ(read.samples.series[0].device, "NVIDIA H100 80GB HBM3");
}

TEST(ReadNccl, TakesTheCollectiveFromTheNameOfTheFile) {
  ReadText read(ranks(8, 8) + table(0.875), "runs/h100/reduce_scatter_perf.8.log");
  EXPECT_THAT(read.found(), IsEmpty());
  EXPECT_EQ(read.samples.samples.at(0).name, Symbol("reduce_scatter"));
}

TEST(ReadNccl, SeveralRunsInOneLogUnderALauncher) {
  std::string log = "$ mpirun -np 8 ./build/alltoall_perf -b 8 -e 1G\n" + ranks(8, 8) + table(0.875) +
                    "$ mpirun -np 4 ./build/all_gather_perf -b 8 -e 1G\n" + ranks(4, 4) + table(0.75);
  std::string labelled;
  for (size_t at = 0; at < log.size();) {
    const size_t end = log.find('\n', at);
    labelled += "[1,0]<stdout>:" + log.substr(at, end - at + 1);
    at = end + 1;
  }
  for (const std::string& text : {log, labelled}) {
    ReadText read(text, "slurm-1.out");
    EXPECT_THAT(read.found(), IsEmpty());
    ASSERT_EQ(read.samples.samples.size(), 8u);
    EXPECT_EQ(read.samples.samples[0].name, Symbol("all_to_all"));
    EXPECT_EQ(read.samples.samples[4].name, Symbol("all_gather"));
    EXPECT_EQ(read.samples.samples[4][Extent::Ranks], 4);
    EXPECT_EQ(read.samples.series.size(), 2u);
  }
}

TEST(ReadNccl, TheOldTableWithoutRootsAndWithErrors) {
  ReadText read(
      "# all_reduce_perf\n#   Rank  0 Pid   77 on   node-a device  0 [0x07] Tesla V100-SXM2-32GB\n"
      "#   Rank  1 Pid   77 on   node-a device  1 [0x0a] Tesla V100-SXM2-32GB\n"
      "#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error\n"
      "    33554432       8388608   float     sum    480.0   69.91   69.91  0e+00    481.0   69.76   69.76  0e+00\n",
      "v100.txt");
  EXPECT_THAT(read.found(), IsEmpty());
  ASSERT_EQ(read.samples.samples.size(), 1u);
  EXPECT_DOUBLE_EQ(read.samples.samples[0].forward, 480e-6);
  EXPECT_EQ(read.samples.series[0].device, "Tesla V100-SXM2-32GB");
}

TEST(ReadNccl, SendAndReceiveIsAPair) {
  ReadText read("# sendrecv_perf\n" + ranks(16, 8) + table(1), "log");
  EXPECT_THAT(read.found(), IsEmpty());
  EXPECT_EQ(read.samples.samples.at(0).name, Symbol("send_recv"));
  EXPECT_EQ(read.samples.samples[0][Extent::Ranks], 2);
  EXPECT_EQ(read.samples.samples[0][Extent::Nodes], 2);
  EXPECT_THAT(read.samples.notes.back(), HasSubstr("pair on two nodes"));
}

TEST(ReadNccl, SplitGroupsCountTheirOwnRanks) {
  std::string two =
      ranks(4, 4, "0") + "#  Rank  0 Group  1 Pid   9 on gpu-001 device  0 [0000:10:00] NVIDIA H100 80GB HBM3\n";
  ReadText read("# all_reduce_perf\n" + two + table(1.5), "log");
  EXPECT_THAT(read.found(), IsEmpty());
  EXPECT_EQ(read.samples.samples.at(0)[Extent::Ranks], 4);
  EXPECT_EQ(read.samples.samples[0][Extent::Nodes], 1);
}

TEST(ReadNccl, CollectivesThatNoPlanHasAreCounted) {
  ReadText read("# broadcast_perf\n" + ranks(8, 8) + table(1), "log");
  EXPECT_THAT(read.found(), IsEmpty());
  EXPECT_TRUE(read.samples.samples.empty());
  EXPECT_THAT(read.samples.notes, ElementsAre(HasSubstr("5 lines of broadcast_perf")));
}

TEST(ReadNccl, SaysWhatIsMissing) {
  EXPECT_THAT(ReadText("# all_reduce_perf" + table(1.75), "log").found(), ElementsAre("PLAN1040 at 3"));
  EXPECT_THAT(ReadText(ranks(8, 8) + table(1.75), "log").found(), ElementsAre("PLAN1041 at 14"));
  EXPECT_THAT(
      ReadText("# all_reduce_perf\n" + ranks(1, 1) + ranks(1, 1) + std::string(kHead) + row(1 << 20, 0), "log").found(),
      ElementsAre("PLAN1045 at 12"));
}

TEST(ReadNccl, ARunOfOneRankMeasuresNoLink) {
  ReadText alone("# all_reduce_perf\n" + ranks(1, 1) + std::string(kHead) + row(1 << 20, 0) + row(1 << 22, 0), "log");
  EXPECT_THAT(alone.found(), ElementsAre("PLAN0826 at 10"));
  EXPECT_THAT(alone.samples.samples, testing::IsEmpty());
  EXPECT_THAT(ReadText("# sendrecv_perf\n" + ranks(1, 1) + std::string(kHead) + row(1 << 20, 1), "log").found(),
              ElementsAre("PLAN0826 at 10"));
}

TEST(ReadNccl, WrongResultsAndRowsAreLeftOut) {
  ReadText wrong(
      "# all_reduce_perf\n" + ranks(8, 8) + std::string(kHead) + row(1 << 20, 1.75, "3") + row(1 << 22, 1.75), "log");
  EXPECT_THAT(wrong.found(), ElementsAre("PLAN1042 at 17"));
  EXPECT_EQ(wrong.samples.samples.size(), 1u);
  ReadText torn("# all_reduce_perf\n" + ranks(8, 8) + std::string(kHead) + "  4096  1024 float\n", "log");
  EXPECT_THAT(torn.found(), ElementsAre("PLAN1003 at 17"));
}

TEST(ReadNccl, TheBusBandwidthTellsTheCollectiveAndItsRanks) {
  EXPECT_THAT(ReadText("# all_reduce_perf\n" + ranks(8, 8) + table(0.875), "log").found(),
              ElementsAre("PLAN1043 at 21"));
  EXPECT_THAT(ReadText("# all_reduce_perf\n" + ranks(4, 8) + table(1.75), "log").found(),
              ElementsAre("PLAN1043 at 17"));
}

TEST(ReadNccl, OtherUnitsOfTimeAreFound) {
  std::string text = "# all_reduce_perf\n" + ranks(8, 8) + std::string(kHead) +
                     "   134217728      67108864  bfloat16     sum      -1   0.6911  194.21  339.87      0   0.7602  "
                     "176.55  308.97      0\n";
  EXPECT_THAT(ReadText(text, "log").found(), ElementsAre("PLAN1044 at 17"));
}

/// Any bytes end with samples or diagnostics.
TEST(ReadNccl, SurvivesGarbage) {
  std::mt19937 random(11);
  const std::string whole = "# all_reduce_perf\n" + ranks(8, 8) + table(1.75);
  for (int round = 0; round < 500; ++round) {
    std::string text = whole;
    for (int changes = 0; changes < 20; ++changes) text[random() % text.size()] = static_cast<char>(random() % 128);
    text.resize(random() % text.size());
    ReadText read(text, "log");
    for (const Sample& s : read.samples.samples) EXPECT_GT(s.forward, 0);
  }
}

} // namespace
