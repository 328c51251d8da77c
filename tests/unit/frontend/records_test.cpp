// Devices, fabrics, stacks and clusters: facts land in their fields, `extends` merges them, wrong ones are reported.
// SPDX-License-Identifier: Apache-2.0
#include "Compile.h"
#include "ir/facts/ClusterFacts.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"

namespace planc::frontend {
namespace {

using Reports = std::vector<std::string>;

const std::string kRecords = R"(
device d {
  memory = 80GB : "sheet"
  bandwidth = 2TB/s
  power = 400W
  peak { bf16 = 300TFLOP/s; fp32 = 20TFLOP/s }
  price = 3.6USD/h
  calibration {
    gemm { bf16 = {efficiency = 80%, memory_efficiency = 70%, start = 5us} : "fit" }
    attention { forward = curve(x = [1024, 2048], y = [100TFLOP/s, 150TFLOP/s]); split = 0.6 }
    memory = {efficiency = 85%, start = 3us}
  }
}
device half extends d { override memory = 40GB; override power = 300W }
fabric f {
  sampled_at = 300GB/s; sampled_latency = 2us; all_reduce = [{ranks = 2, a = 9us, b = 200GB/s, g = 400us}, {ranks = 8, a = 20us, b = 220GB/s}] : "fit"
  send_recv  = {start = 10us, bandwidth = 100GB/s}
}
stack s {
  accumulate = fused
  passes { gelu = {forward = 2, backward = 3} }
  inline { gradient = 0.5 }
  optimizer { adam = 50B }
  attention { factor = 0.9 }
  early_stop = true
}
stack t extends s {
  override accumulate = none
  passes { override gelu = {forward = 3, backward = 3}; relu = {forward = 1, backward = 1} }
  attention { backward = 2.9; head = curve(x = [64, 128], y = [0.98, 1.0]) }
}
cluster c(nodes: int where nodes >= 1) {
  require nodes % 2 == 0 : "nodes come in pairs"
  device = half
  price      = 7.2USD/h
  host_power = 450W
  storage    = 2TB/s
  level node * 8      { link = f; bandwidth = 300GB/s; latency = 2us; topology = switch }
  level pair * 2      { link = f; bandwidth = 25GB/s; latency = 5us; topology = fat_tree(oversubscription = 2) }
  level pod * nodes / 2 { link = f }
}
import std.ops
model m(hidden: int = 4) {
  in x: [batch, hidden]
  loss = ops.gelu(x)
}
)";

TEST(Records, FactsLandInTheirFields) {
  const auto plans = plansOf(kRecords + "plan p { model = m; cluster = c(nodes = 6); software = t }");
  ASSERT_EQ(plans.size(), 1u);
  const ir::Cluster& c = *plans[0]->cluster;
  EXPECT_EQ(c.devices(), 48);
  EXPECT_EQ(c.levels[2].count, 3);
  EXPECT_EQ(c.levels[1].topology.kind, Symbol("fat_tree"));
  EXPECT_EQ(c.levels[1].topology.number("oversubscription"), 2);
  EXPECT_EQ(c.device.number(ir::DeviceFact::Memory)->value, 40e9);
  EXPECT_EQ(c.device.number(ir::DeviceFact::Power)->value, 300);
  EXPECT_EQ(c.powerOfDevice(), 750);
  EXPECT_DOUBLE_EQ(c.device.number(ir::DeviceFact::Price)->value, 0.001);
  EXPECT_DOUBLE_EQ(c.priceOfDevice()->value, 0.002) << "the cluster's, not its device's";
  EXPECT_EQ(c.number(ir::ClusterFact::Storage)->value, 2e12);
  EXPECT_EQ(c.device.number(ir::DeviceFact::Peak, ir::DType::bf16)->value, 300e12);
  EXPECT_DOUBLE_EQ(c.device.number(ir::DeviceFact::GemmStart, ir::DType::bf16)->value, 5e-6);
  EXPECT_EQ(c.device.number(ir::DeviceFact::GemmStart, ir::DType::bf16)->source, "fit")
      << "a record's source is that of its numbers";
  EXPECT_EQ(c.device.number(ir::DeviceFact::AttentionForward)->table.y.at(1), 150e12);
  EXPECT_EQ(c.device.number(ir::DeviceFact::MemoryEfficiency)->value, 0.85);
  EXPECT_EQ(c.levels[0].fabric.allReduce.rows.at(1).b, 220e9);
  EXPECT_DOUBLE_EQ(c.levels[0].fabric.allReduce.rows.at(0).g, 400e-6);
  EXPECT_EQ(c.levels[0].fabric.number(ir::FabricFact::SendRecvBandwidth)->value, 100e9);
  const ir::Stack& s = *plans[0]->stack;
  EXPECT_EQ(*s.accumulate(), ir::Accumulate::None);
  EXPECT_EQ(s.number(ir::StackFact::PassesForward, Symbol("gelu"))->value, 3);
  EXPECT_EQ(s.number(ir::StackFact::PassesBackward, Symbol("relu"))->value, 1);
  EXPECT_EQ(s.number(ir::StackFact::Inline, ir::CollectiveClass::Gradient)->value, 0.5);
  EXPECT_EQ(s.number(ir::StackFact::Optimizer, Symbol("adam"))->value, 50);
  EXPECT_EQ(s.number(ir::StackFact::AttentionFactor)->value, 0.9);
  EXPECT_EQ(s.number(ir::StackFact::AttentionBackward)->value, 2.9);
  EXPECT_EQ(s.number(ir::StackFact::AttentionHead)->table.y.at(0), 0.98);
  EXPECT_TRUE(s.truth(ir::StackFact::EarlyStop));
}

TEST(Records, PathsReachIntoThem) {
  EXPECT_EQ(check(kRecords + R"(
assert d.memory == 80GB and half.memory == 40GB and half.peak.bf16 == 300TFLOP/s
assert c(nodes = 4).device.memory == 40GB and c(nodes = 4).pair.bandwidth == 25GB/s
assert d.calibration.gemm.bf16.efficiency == 80%
)"),
            Reports{});
  EXPECT_NE(check(kRecords + "let a = d.memoy").at(0).find("PLAN0517"), std::string::npos);
}

TEST(Records, ConditionsOfAClusterComeFirst) {
  const auto found = check(kRecords + "plan p { model = m; cluster = c(nodes = 3) }");
  ASSERT_EQ(found.size(), 1u) << "3 / 2 is not computed";
  EXPECT_NE(found[0].find("nodes come in pairs"), std::string::npos);
}

TEST(Records, AClusterExtendsAnother) {
  const auto plans = plansOf(kRecords + R"(
cluster more(n: int) extends c(nodes = 2 * n) {
  jitter = 2%
  override device = d
  override pair { bandwidth = 99GB/s }
  level site * 3 { link = f; bandwidth = 1GB/s }
}
cluster last extends more(n = 3) { override level pair * 4; site.latency = 9us; override level site * 2 { bandwidth = 2GB/s } }
plan p { model = m; cluster = last }
plan q { model = m; cluster = more(n = 3) }
)");
  ASSERT_EQ(plans.size(), 2u);
  const ir::Cluster &a = *plans[0]->cluster, &b = *plans[1]->cluster;
  EXPECT_EQ(a.name, Symbol("last"));
  EXPECT_EQ(a.device.name, Symbol("d"));
  EXPECT_DOUBLE_EQ(a.number(ir::ClusterFact::Jitter)->value, 0.02);
  ASSERT_EQ(a.levels.size(), b.levels.size());
  ASSERT_EQ(a.levels.size(), 4u);
  const auto &pair = a.levels[1], &site = a.levels.back();
  EXPECT_EQ(pair.count, 4);
  EXPECT_DOUBLE_EQ(pair.number(ir::LevelFact::Bandwidth)->value, 99e9);
  EXPECT_EQ(site.count, 2);
  EXPECT_DOUBLE_EQ(site.number(ir::LevelFact::Bandwidth)->value, 2e9);
  EXPECT_DOUBLE_EQ(site.number(ir::LevelFact::Latency)->value, 9e-6);
  EXPECT_EQ(b.levels[1].count, 2);
  EXPECT_EQ(b.levels[2].count, 3) << "six nodes in pairs";
  EXPECT_FALSE(b.levels.back().has(ir::LevelFact::Latency));
}

TEST(Records, WrongFactsAreReported) {
  auto of = [](const std::string& text) {
    const auto found = check(text);
    return found.empty() ? std::string("nothing") : found.size() > 1 ? found[0] + " and more" : found[0];
  };
  EXPECT_EQ(of("device d { memoy = 1GB }"), "1 PLAN0501 device `d` has no fact `memoy`");
  EXPECT_EQ(of("device d { memory = 1s }"),
            "1 PLAN0502 `memory` must be a quantity of bytes; this is a quantity of time");
  EXPECT_EQ(of("device d { memory = 0GB }"), "1 PLAN0507 `memory` is 0 B; expected 1 B to 1000 PB");
  EXPECT_EQ(of("device d { peak { bf17 = 1TFLOP/s } }"), "1 PLAN0508 `bf17` in `peak` is not an element type");
  EXPECT_EQ(of("device d { memory = 1GB; memory = 2GB }"), "1 PLAN0506 `memory` is given twice");
  EXPECT_EQ(of("device d { calibration = 3 }"), "1 PLAN0509 `calibration` is a section: write `calibration { … }`");
  EXPECT_EQ(of("stack s { accumulate = fuse }"),
            "1 PLAN0510 `accumulate` must be one of `none`, `separate`, `fused` and `deferred`; this is `fuse`");
  EXPECT_EQ(of("stack s { inline { gradient = 2 } }"), "1 PLAN0507 `inline.gradient` is 2; expected 0 to 1");
  EXPECT_EQ(of("stack s { inline { gradients = 1 } }"),
            "1 PLAN0508 `gradients` in `inline` is not a class of collectives");
  EXPECT_EQ(of("device a { memory = 1GB }\ndevice b extends a { memory = 2GB }"),
            "2 PLAN0504 `memory` is inherited: write `override` to change it");
  EXPECT_EQ(of("device a { memory = 1GB }\ndevice b extends a { override memory = 1GB }"),
            "2 PLAN0505 `override` gives `memory` its inherited value again");
  EXPECT_EQ(of("stack a { passes { add = {forward = 2, backward = 3} } }\n"
               "stack b extends a { passes { override add = {forward = 1 + 1, backward = 3} } }"),
            "2 PLAN0505 `override` gives `add` its inherited value again")
      << "in other words";
  EXPECT_EQ(of("device a { memory = 1GB }\ndevice b extends a { override power = 1W }"),
            "2 PLAN0503 device `b` inherits no `power` to override");
  EXPECT_EQ(of("device a { }\nstack b extends a { }"), "2 PLAN0514 `b` cannot extend device `a`");
  EXPECT_EQ(of("device a extends b { }\ndevice b extends a { }").substr(0, 10), "1 PLAN0515");
  EXPECT_EQ(of("cluster c { level node * 8 { bandwidth = 1GB/s } }").substr(0, 10), "1 PLAN0518");
}

TEST(Records, GenericOnesAreCheckedAsFarAsTheyAreKnown) {
  EXPECT_EQ(check("cluster c(n: int) {\n device = n\n level node * m { link = n }\n}"),
            Reports{"3 PLAN0201 unknown name `m`"});
  EXPECT_EQ(
      check("import std.ops\nblock b(x: [.., hidden], ffn: int) {\n param w: [hidden, fnn]\n out: [.., ffn] = "
            "ops.matmull(x, w)\n}"),
      (Reports{"3 PLAN0405 dimension `fnn` has no extent here", "4 PLAN0106 `std.ops` does not export `matmull`"}));
  EXPECT_EQ(
      check(
          "import std.ops\nblock b(x: [.., hidden], n: int) {\n out = if n > 1 then ops.gelu(x, 3) else ops.gleu(x)\n}")
          .size(),
      2u)
      << "both branches must make sense";
}

} // namespace
} // namespace planc::frontend
