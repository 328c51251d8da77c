// Clusters of the library: how many devices they have, in which levels, and that every topology of a caller is a word.
// SPDX-License-Identifier: Apache-2.0
#include "Compile.h"
#include "backends/cost/price/collectives/Topologies.h"
#include "ir/facts/ClusterFacts.h"
#include "ir/facts/DeviceFacts.h"

namespace planc::frontend {
namespace {

const std::string kModel = R"(
import std.ops
import std.clusters
import std.stacks.te
model m(hidden: int = 4) {
  in x: [batch, hidden]
  loss = ops.gelu(x)
}
)";

ir::Cluster clusterOf(const std::string& expression) {
  auto plans = plansOf(kModel + "plan p { model = m; cluster = clusters." + expression + "; software = te.te }");
  if (plans.size() != 1 || !plans[0]->cluster) {
    ADD_FAILURE() << expression;
    return {};
  }
  return *plans[0]->cluster;
}

TEST(Clusters, OfTheLibraryHaveTheirDevicesAndLevels) {
  struct Row {
    const char* expression;
    std::vector<int64_t> levels; ///< devices in one unit, inner to outer
    const char* device;
    const char* inner; ///< topology of the innermost level
  };
  const Row rows[] = {
      {"superpod_b200(nodes = 4)", {8, 32}, "b200_sxm_180gb", "switch"},
      {"superpod_h200(nodes = 4)", {8, 32}, "h200_sxm_141gb", "switch"},
      {"hgx_h800(nodes = 256)", {8, 2048}, "h800_sxm5_80gb", "switch"},
      {"hgx_b300(nodes = 4)", {8, 32}, "b300_sxm_288gb", "switch"},
      {"gb300_nvl72(racks = 2)", {72, 144}, "gb300_288gb", "switch"},
      {"gb200_nvl72(racks = 2)", {72, 144}, "gb200_186gb", "switch"},
      {"gb200_nvl36(racks = 2)", {36, 72}, "gb200_186gb", "switch"},
      {"gb200_site(pods = 4, gpus = 64)", {64, 512, 2048}, "gb200_186gb", "switch"},
      {"zionex()", {8, 128}, "a100_sxm4_40gb", "switch"},
      {"jean_zay_a100(nodes = 48)", {8, 384}, "a100_sxm4_80gb", "switch"},
      {"nd_a100_v4(instances = 2)", {8, 16}, "a100_sxm4_80gb", "switch"},
      {"nd_h100_v5(instances = 2)", {8, 16}, "h100_sxm5_80gb", "switch"},
      {"nd_h200_v5(instances = 2)", {8, 16}, "h200_sxm_141gb", "switch"},
      {"nd_mi300x_v5(instances = 2)", {8, 16}, "mi300x_192gb", "switch"},
      {"p4d(instances = 2)", {8, 16}, "a100_sxm4_40gb", "switch"},
      {"p4de(instances = 2)", {8, 16}, "a100_sxm4_80gb", "switch"},
      {"p5(instances = 2)", {8, 16}, "h100_sxm5_80gb", "switch"},
      {"p6_b200(instances = 2)", {8, 16}, "b200_sxm_180gb", "switch"},
      {"p3dn(instances = 2)", {8, 16}, "v100_sxm2_32gb", "switch"},
      {"g6e(instances = 2)", {8, 16}, "l40s_48gb", "switch"},
      {"a2_highgpu(instances = 2)", {8, 16}, "a100_sxm4_40gb", "switch"},
      {"a2_ultragpu(instances = 2)", {8, 16}, "a100_sxm4_80gb", "switch"},
      {"hgx_a100_4(nodes = 2)", {4, 8}, "a100_sxm4_80gb", "switch"},
      {"hgx_h100_4(nodes = 2)", {4, 8}, "h100_sxm5_80gb", "switch"},
      {"a100_pcie(nodes = 2)", {2, 8, 16}, "a100_pcie_80gb", "switch"},
      {"h100_pcie(nodes = 2)", {2, 8, 16}, "h100_pcie_80gb", "switch"},
      {"h100_nvl(nodes = 2)", {2, 8, 16}, "h100_nvl_94gb", "switch"},
      {"h200_nvl(nodes = 2)", {4, 8, 16}, "h200_nvl_141gb", "switch"},
      {"l40s(nodes = 2)", {8, 16}, "l40s_48gb", "switch"},
      {"rtx_6000_ada(nodes = 2)", {4, 8}, "rtx_6000_ada_48gb", "switch"},
      {"rtx_pro_6000(nodes = 2)", {8, 16}, "rtx_pro_6000_96gb", "switch"},
      {"mi325x(nodes = 2)", {8, 16}, "mi325x_256gb", "switch"},
      {"mi355x(nodes = 2)", {8, 16}, "mi355x_288gb", "switch"},
      {"frontier(nodes = 16)", {2, 8, 128}, "mi250x_64gb", "full_mesh"},
      {"gaudi2(nodes = 2)", {8, 16}, "gaudi2_96gb", "full_mesh"},
      {"gaudi3(nodes = 2)", {8, 16}, "gaudi3_128gb", "full_mesh"},
      {"trn1(instances = 4)", {16, 64}, "trainium1", "torus"},
      {"trn2(instances = 4)", {16, 64}, "trainium2", "torus"},
      {"trn3(ultraservers = 2)", {144, 288}, "trainium3", "switch"},
      {"tpu_v4(x = 8, y = 8, z = 16)", {1024, 1024}, "tpu_v4", "torus"},
      {"tpu_v5e(slices = 2)", {256, 512}, "tpu_v5e", "torus"},
      {"tpu_v5e_part(x = 4, y = 8)", {32, 32}, "tpu_v5e", "grid"},
      {"tpu_v5p(x = 4, y = 4, z = 8)", {128, 128}, "tpu_v5p", "torus"},
      {"tpu_v6e()", {256, 256}, "tpu_v6e", "torus"},
      {"tpu_v6e_part(x = 8, y = 8)", {64}, "tpu_v6e", "grid"},
      {"tpu_v7x(x = 8, y = 8, z = 16)", {1024, 1024}, "tpu_v7x", "torus"},
  };
  for (const Row& row : rows) {
    const ir::Cluster cluster = clusterOf(row.expression);
    EXPECT_EQ(cluster.device.name, Symbol(row.device)) << row.expression;
    ASSERT_EQ(cluster.levels.size(), row.levels.size()) << row.expression;
    int64_t devices = 1;
    for (size_t l = 0; l < cluster.levels.size(); ++l) {
      EXPECT_EQ(devices *= cluster.levels[l].count, row.levels[l]) << row.expression;
      EXPECT_TRUE(cluster.levels[l].has(ir::LevelFact::Bandwidth) && cluster.levels[l].has(ir::LevelFact::Latency))
          << row.expression;
      EXPECT_FALSE(cluster.levels[l].number(ir::LevelFact::Bandwidth)->source.empty()) << row.expression;
    }
    EXPECT_EQ(cluster.levels[0].topology.kind, Symbol(row.inner)) << row.expression;
    EXPECT_FALSE(cluster.device.keys(ir::DeviceFact::GemmEfficiency).empty()) << row.expression;
    EXPECT_TRUE(cluster.device.has(ir::DeviceFact::AttentionForward)) << row.expression;
    EXPECT_TRUE(cluster.device.has(ir::DeviceFact::Memory) && cluster.device.has(ir::DeviceFact::Bandwidth))
        << row.expression;
  }
}

TEST(Clusters, TheLanguageTakesTheTopologiesOfTheTable) {
  const std::string text = R"(
import std.devices
import std.fabrics
cluster c {
  device = devices.a100_sxm4_80gb
  level node * 8 { link = fabrics.hdr; topology = butterfly(radix = 4) }
}
)";
  EXPECT_EQ(check(text).size(), 1u);
  static constexpr ir::Parameter kRadix[] = {
      {.name = "radix", .doc = "made up", .least = 2, .most = 64, .standard = 2}};
  const ir::AddedWord<cost::TopologyFormula> added(cost::topologies(), {"butterfly", "made up", "made up", kRadix}, {});
  EXPECT_EQ(check(text), std::vector<std::string>{});
}

} // namespace
} // namespace planc::frontend
