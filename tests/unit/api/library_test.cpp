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

TEST(Library, KnowsPartsByTheNamesOfDrivers) {
  const auto part = Library::part("NVIDIA A100-SXM4-80GB");
  ASSERT_TRUE(part);
  EXPECT_EQ(part->name, "a100_sxm4_80gb");
  EXPECT_EQ(part->link, 300e9); // NVLink 3, twelve links of 25 GB/s in each direction
  EXPECT_FALSE(Library::part("a toaster"));
}

} // namespace
} // namespace planc::api
