// check-mesh: refuses meshes that do not fill their cluster, axes that miss their level, axes named twice.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/passes/After.h"

#include <gtest/gtest.h>

namespace planc::test::check_mesh {
namespace {

const std::string kTwoNodes = "  cluster = hgx.hgx_h100(nodes = 2)\n";

TEST(CheckMesh, TakesAxesThatFillTheClusterAndLieWhereTheySay) {
  EXPECT_EQ(After("check-mesh", kTwoNodes + "  mesh {\n tp = 4 within node\n cp = 2\n dp = 2 across nodes\n }").said(),
            "");
}

TEST(CheckMesh, LeavesAMeshWithoutClusterAlone) {
  EXPECT_EQ(After("check-mesh", "  mesh {\n tp = 3\n dp = 5\n }").said(), "");
}

TEST(CheckMesh, RefusesAMeshOfAnotherSize) {
  EXPECT_EQ(After("check-mesh", kTwoNodes + "  mesh { tp = 8 }").said(),
            R"(PLAN0620 the mesh has 8 devices, but the cluster has 16
)");
  EXPECT_EQ(After("check-mesh", kTwoNodes + "  mesh {\n tp = 8\n dp = 4\n }").said(),
            R"(PLAN0620 the mesh has 32 devices, but the cluster has 16
)");
}

TEST(CheckMesh, RefusesAnAxisThatLeavesItsUnit) {
  EXPECT_EQ(After("check-mesh", kTwoNodes + "  mesh {\n dp = 4\n tp = 4 within node\n }").said(),
            R"(PLAN0621 axis `tp` (4) does not fit within one node of 8 devices
)");
}

TEST(CheckMesh, RefusesAnAxisThatBeginsInsideAUnit) {
  EXPECT_EQ(
      After("check-mesh", kTwoNodes + "  mesh {\n tp = 4\n dp = 4 across nodes\n }").said(),
      R"(PLAN0622 axis `dp` does not begin at a boundary of nodes: the axes before it span 4 devices, and a unit of the level below has 8
)");
  EXPECT_EQ(After("check-mesh", kTwoNodes + "  mesh {\n tp = 8\n dp = 2 across node\n }").said(),
            R"(PLAN0690 `across node` has no effect on axis `dp`: `node` is the innermost level
)");
}

TEST(CheckMesh, RefusesAnAxisListedTwice) {
  const std::string mesh = "  mesh {\n a = 2\n b = 2\n ab = [a, b]\n }\n";
  EXPECT_EQ(After("check-mesh", mesh + "  place { batch -> [ab, a] }").said(), R"(PLAN0635 `batch` lists axis `a` twice
)");
  EXPECT_EQ(After("check-mesh", "  mesh {\n a = 2\n aa = [a, a]\n }").said(), R"(PLAN0635 `aa` lists axis `a` twice
)");
  EXPECT_EQ(After("check-mesh", mesh + "  place { batch -> ab }").said(), "");
}

std::string helpOf(const std::string& mesh) {
  auto plans =
      frontend::plansOf("import std.ops\nimport std.blocks\nimport std.optimizers\nimport std.clusters.hgx\n" +
                        kDecoder + "plan p {\n  model = m\n  train { " + kTrain + " }\n" + kTwoNodes + mesh + "}\n");
  DiagnosticEngine diagnostics;
  passes::shard(*plans.at(0), diagnostics);
  std::string text;
  for (const Diagnostic* d : diagnostics.sorted())
    for (const std::string& h : d->help) text += h + "\n";
  return text;
}

TEST(CheckMesh, SaysWhatWouldFit) {
  EXPECT_EQ(helpOf("  mesh { tp = 8 }\n"), R"(an axis of 2 more devices fills the cluster
)");
  EXPECT_EQ(helpOf("  mesh { tp = 64 }\n"), R"(make an axis 4 times smaller, or the cluster 4 times larger
)");
  EXPECT_EQ(helpOf("  mesh { tp = 6 }\n"), R"(choose sizes of the axes whose product is 16
)");
  EXPECT_EQ(helpOf("  mesh {\n dp = 4\n tp = 4 within node\n }\n"),
            R"(make 4 times the size of `tp` divide 8, or remove `within node`
)");
  EXPECT_EQ(helpOf("  mesh {\n tp = 4\n dp = 4 across nodes\n }\n"),
            R"(make the product of the axes before `dp` a multiple of 8
)");
}

} // namespace
} // namespace planc::test::check_mesh
