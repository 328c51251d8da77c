// What the library declares, listed and found by name.
// SPDX-License-Identifier: Apache-2.0
#include "api/Library.h"
#include "tests/unit/support/PlanFiles.h"

#include <gtest/gtest.h>
#include <set>

namespace planc::api {
namespace {

/// Lines `export KIND NAME` of the library's files.
size_t exportsIn(const std::string& folder, const std::string& kind) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(PLANC_SOURCE_DIR "/stdlib/" + folder)) {
    const std::string text = "\n" + test::readFile(entry.path()), line = "\nexport " + kind + " ";
    for (size_t at = text.find(line); at != std::string::npos; at = text.find(line, at + 1)) ++count;
  }
  return count;
}

TEST(Library, ListsWhatItsFilesExport) {
  for (const auto& [folder, kind] : {std::pair{"devices", "device"},
                                     {"fabrics", "fabric"},
                                     {"stacks", "stack"},
                                     {"clusters", "cluster"},
                                     {"models", "model"}}) {
    const std::vector<Declaration> all = Library::list(kind);
    EXPECT_EQ(all.size(), exportsIn(folder, kind)) << kind;
    for (const Declaration& d : all) EXPECT_TRUE(d.module.starts_with(std::string("std.") + folder)) << d.name;
  }
  EXPECT_GT(Library::list().size(), 200u);
  EXPECT_TRUE(Library::list("nothing").empty());
}

TEST(Library, SaysTheFirstSentenceOfAComment) {
  for (const Declaration& d : Library::list("stack")) {
    if (d.name != "megatron_2021") continue;
    EXPECT_EQ(
        d.summary,
        "Megatron-LM as Narayanan and others ran it in 2021: gradients are accumulated by a kernel of their own.");
  }
}

TEST(Library, FindsEveryRecordThatItLists) {
  for (const std::string& name : Library::names("device")) EXPECT_TRUE(Library::device(name)) << name;
  for (const std::string& name : Library::names("fabric")) EXPECT_TRUE(Library::fabric(name)) << name;
  for (const std::string& name : Library::names("stack")) EXPECT_TRUE(Library::stack(name)) << name;
  const auto cluster = Library::cluster("hgx.hgx_h100(nodes = 2)");
  ASSERT_TRUE(cluster);
  EXPECT_EQ(cluster->devices(), 16);
  EXPECT_FALSE(Library::device("h100"));
  EXPECT_FALSE(Library::cluster("hgx.nothing(nodes = 2)"));
}

TEST(Library, KnowsDevicesByTheNamesOfDrivers) {
  EXPECT_EQ(Library::deviceOf("NVIDIA GB200"), "gb200_186gb"); // the longest piece
  EXPECT_EQ(Library::deviceOf("NVIDIA B200"), "b200_sxm_180gb");
  EXPECT_EQ(Library::deviceOf("NVIDIA GB300"), "gb300_288gb");
  EXPECT_EQ(Library::deviceOf("NVIDIA B300"), "b300_sxm_288gb");
  EXPECT_EQ(Library::deviceOf("NVIDIAA100-SXM4-80GB"), "a100_sxm4_80gb");
  EXPECT_EQ(Library::deviceOf("NVIDIA A100-SXM4-40GB"), "a100_sxm4_40gb");
  EXPECT_EQ(Library::deviceOf("NVIDIA H100 80GB HBM3"), "h100_sxm5_80gb");
  EXPECT_EQ(Library::deviceOf("vista's gh200_96gb, once more"), Library::deviceOf("GH200 96GB"));
  EXPECT_EQ(Library::deviceOf("NVIDIA H100 PCIe"), "h100_pcie_80gb");
  EXPECT_EQ(Library::deviceOf("NVIDIA H100 NVL"), "h100_nvl_94gb");
  EXPECT_EQ(Library::deviceOf("NVIDIA H200"), "h200_sxm_141gb");
  EXPECT_EQ(Library::deviceOf("NVIDIA H200 NVL"), "h200_nvl_141gb");
  EXPECT_EQ(Library::deviceOf("NVIDIA A100 80GB PCIe"), "a100_pcie_80gb");
  EXPECT_EQ(Library::deviceOf("NVIDIA RTX PRO 6000 Blackwell Server Edition"), "rtx_pro_6000_96gb");
  EXPECT_EQ(Library::deviceOf("NVIDIA GeForce RTX 3090"), "rtx_3090_24gb");
  EXPECT_EQ(Library::deviceOf("NVIDIA GeForce RTX 4090"), "rtx_4090_24gb");
  EXPECT_EQ(Library::deviceOf("NVIDIA GeForce RTX 5090"), "rtx_5090_32gb");
  EXPECT_EQ(Library::deviceOf("NVIDIA RTX A6000"), "rtx_a6000_48gb");
  EXPECT_EQ(Library::deviceOf("NVIDIA RTX 6000 Ada Generation"), "rtx_6000_ada_48gb");
  EXPECT_EQ(Library::deviceOf("NVIDIA A10G"), "a10g_24gb");
  EXPECT_EQ(Library::deviceOf("NVIDIA L4"), "l4_24gb");
  EXPECT_EQ(Library::deviceOf("NVIDIA L40S"), "l40s_48gb"); // and not as an L4
  EXPECT_EQ(Library::deviceOf("Tesla T4"), "t4_16gb");
  EXPECT_EQ(Library::deviceOf("NVIDIA H20"), "h20_sxm_96gb");
  EXPECT_EQ(Library::deviceOf("NVIDIA A800-SXM4-80GB"), "a800_sxm4_80gb");
  EXPECT_EQ(Library::deviceOf("Ascend910B3"), "ascend_910b3_64gb");
  EXPECT_EQ(Library::deviceOf("AMD Instinct MI350X"), "mi350x_288gb");
  EXPECT_EQ(Library::deviceOf("AMD Instinct MI325X"), "mi325x_256gb");
  EXPECT_EQ(Library::deviceOf("AMD Instinct MI300X"), "mi300x_192gb");
  EXPECT_EQ(Library::deviceOf("h100_96gb_500w"), "h100_96gb_500w");
  EXPECT_EQ(Library::deviceOf("NVIDIA A100-PG509-200"), "a100_sxm4_40gb"); // by its board
  EXPECT_EQ(Library::deviceOf("A100-SXM-80GB"), "a100_sxm4_80gb");
  EXPECT_EQ(Library::deviceOf("NVIDIA PG509-210"), "a100_sxm4_80gb");
  EXPECT_EQ(Library::deviceOf("NVIDIA GH200 480GB"), "gh200_96gb"); // and not as an H200
  EXPECT_EQ(Library::deviceOf("Tesla V100-SXM3-32GB"), "v100_sxm3_32gb");
  EXPECT_EQ(Library::deviceOf("Tesla V100-SXM3-32GB-H"), "v100_sxm3_32gb_450w");
  EXPECT_EQ(Library::deviceOf("Voodoo 3"), "");
  EXPECT_EQ(Library::deviceOf(""), "");
}

/// A name of a driver is that of one device and its heirs, of which the first is meant; usual clusters are the
/// library's.
TEST(Library, NamesAndUsualClustersAreSound) {
  std::set<std::string> named;
  for (const std::string& name : Library::names("device")) {
    const auto device = Library::device(name);
    ASSERT_TRUE(device);
    for (const std::string& piece : device->names) {
      const auto meant = Library::device(Library::deviceOf(piece));
      ASSERT_TRUE(meant) << piece;
      EXPECT_EQ(meant->names, device->names) << piece;
      named.insert(meant->name.str());
    }
    EXPECT_EQ(device->usual.empty(), device->names.empty()) << name;
    EXPECT_EQ(Library::usualCluster(*device).has_value(), !device->usual.empty()) << name;
  }
  EXPECT_EQ(named.size(), 38u);
}

TEST(Library, PartsHaveTheLinksOfTheirUsualCluster) {
  const auto part = Library::part("NVIDIA A100-SXM4-80GB");
  ASSERT_TRUE(part);
  EXPECT_EQ(part->name, "a100_sxm4_80gb");
  EXPECT_EQ(part->link, 300e9); // NVLink 3, twelve links of 25 GB/s in each direction
  EXPECT_DOUBLE_EQ(part->linkLatency.value_or(0), 2e-6);
  EXPECT_DOUBLE_EQ(part->cardLatency.value_or(0), 5e-6);
  const auto bridged = Library::part("NVIDIA H100 NVL");
  ASSERT_TRUE(bridged);
  EXPECT_EQ(bridged->link, 300e9); // the bridge of a pair
  EXPECT_EQ(bridged->unit, 0) << "units are hosts";
  const auto rack = Library::part("NVIDIA GB300");
  ASSERT_TRUE(rack);
  EXPECT_EQ(rack->unit, 72);
  EXPECT_EQ(rack->host, 4);
  EXPECT_EQ(rack->card, 100e9);
  EXPECT_FALSE(Library::part("a toaster"));
}

} // namespace
} // namespace planc::api
