// Imports: files and folders of the library, files on disk, what is exported, cycles, and how little is parsed.
// SPDX-License-Identifier: Apache-2.0
#include "Compile.h"

namespace planc::frontend {
namespace {

using Reports = std::vector<std::string>;

const TextLibrary
    kLibrary({{"std/ops/a.plan", "export let one = 1\nlet hidden = 5\n"},
              {"std/ops/b.plan", "export let two = 2\nexport let twice = 1\n"},
              {"std/ops/c.plan", "export let twice = 2\n/*\nexport let ghost = 1\n*/\n"},
              {"std/ops/broken.plan", "export let broken = \n"},
              {"std/single.plan", "export let three = 3\nlet secret = 4\n"},
              {"std/old/a.plan", "export let was deprecated \"use is\" = 1\nexport let is = 1\nlet same = was\n"},
              {"std/loop/a.plan", "import std.loop.b\nexport let x = b.y\n"},
              {"std/loop/b.plan", "import std.loop.a\nexport let y = 1\n"}});

TEST(Modules, AFolderIsOneNameForAllItsFiles) {
  EXPECT_EQ(check("import std.ops\nassert ops.one + ops.two == 3", kLibrary), Reports{});
  EXPECT_EQ(check("import std.single\nassert single.three == 3", kLibrary), Reports{});
  EXPECT_EQ(check("import std.ops as o\nassert o.one == 1", kLibrary), Reports{});
  EXPECT_EQ(check("import std.ops.a as first\nassert first.one == 1", kLibrary), Reports{});
}

TEST(Modules, OnlyFilesWhoseNamesAreUsedAreParsed) {
  Folder folder;
  Session session(kLibrary);
  std::string error;
  ASSERT_TRUE(session.load(folder.write("t.plan", "import std.ops\nlet a = ops.one"), error));
  EXPECT_EQ(session.libraryBytes(), 0u);
  session.check(); // the broken file of the folder is never read
  EXPECT_EQ(reports(session), Reports{});
  EXPECT_EQ(session.libraryBytes(), std::string("export let one = 1\nlet hidden = 5\n").size());
}

TEST(Modules, WhatIsNotExportedSaysSo) {
  EXPECT_EQ(check("import std.single\nlet a = single.secret", kLibrary),
            Reports{"2 PLAN0104 `secret` of `std.single` is not exported"});
  EXPECT_EQ(check("import std.ops\nlet a = ops.hidden", kLibrary),
            Reports{"2 PLAN0106 `std.ops` does not export `hidden`"});
  EXPECT_EQ(check("import std.ops\nlet a = ops.ghost", kLibrary).size(), 0u)
      << "a comment that looks like an export is no declaration";
}

TEST(Modules, WhatIsDeprecatedWarnsWhereOtherFilesUseIt) {
  const Reports use{"2 PLAN0140 constant `was` is deprecated"};
  EXPECT_EQ(check("import std.old\nassert old.was == 1 and old.is == 1", kLibrary), use) << "by its folder";
  EXPECT_EQ(check("import std.old.a\nlet x = a.was", kLibrary), use) << "by its file";
  EXPECT_EQ(check("import std.old\nassert old.is == 1", kLibrary), Reports{});
  EXPECT_EQ(check("export let was deprecated \"use is\" = 1\nassert was == 1", kLibrary), Reports{});
}

/// Names that the text of a deprecated constant `was` offers: those of `a`, `b` and the deprecated `c`, which says
/// `use b`.
std::string offered(const std::string& text) {
  const TextLibrary library({{"std/old.plan", "export let was deprecated \"" + text +
                                                  "\" = 1\nexport let a = 1\nexport let b = 1\nlet hidden = 1\n"
                                                  "export let c deprecated \"use b\" = 1\nexport enum d { e }\n"}});
  Session session(library);
  session.loadText("t.plan", "import std.old\nassert old.was == 1");
  session.check();
  std::string names;
  for (const Diagnostic* d : session.diagnostics().sorted())
    for (const TextFix& fix : d->fixes) names += fix.edits.at(0).text + (fix.safe ? "! " : " ");
  return names;
}

TEST(Modules, TheTextOfADeprecatedDeclarationNamesWhatToWrite) {
  EXPECT_EQ(offered("use a"), "a! ");
  EXPECT_EQ(offered("Use a."), "a! ");
  EXPECT_EQ(offered("as of 2026 `a` is meant"), "a! ");
  EXPECT_EQ(offered("`a(n = 2)`"), "a! ");
  EXPECT_EQ(offered("use c"), "b! ") << "which is deprecated itself";
  EXPECT_EQ(offered("use `a` or `b`"), "a b ") << "two are no safe choice";
  EXPECT_EQ(offered("use a, `a` for short"), "a! ");
  EXPECT_EQ(offered("use d"), "d ") << "of another kind";
  EXPECT_EQ(offered("use hidden"), "") << "not exported";
  EXPECT_EQ(offered("use was"), "") << "itself";
  EXPECT_EQ(offered("use a.b of another module"), "");
  EXPECT_EQ(offered("reuse a"), "");
  EXPECT_EQ(offered("a is not named as one"), "");
  EXPECT_EQ(offered("`"), "");
}

TEST(Modules, TwoEqualExportsOfAFolderAreAnError) {
  EXPECT_EQ(check("import std.ops\nlet a = ops.twice", kLibrary),
            Reports{"2 PLAN0105 `twice` is exported by two files of `std.ops`"});
}

TEST(Modules, AMissingModuleIsReportedWhereItIsImported) {
  EXPECT_EQ(check("import std.sngle", kLibrary), Reports{"1 PLAN0101 there is no module `std.sngle`"});
  EXPECT_EQ(check("import std.sngle\nlet a = sngle.three\nlet b = a + 1", kLibrary).size(), 1u)
      << "its uses are silent";
}

TEST(Modules, LibraryFilesThatImportEachOtherAreACycle) {
  const auto found = check("import std.loop.a\nlet z = a.x", kLibrary);
  ASSERT_FALSE(found.empty());
  EXPECT_NE(found[0].find("std.loop.a -> std.loop.b -> std.loop.a"), std::string::npos) << found[0];
}

TEST(Modules, FilesAreImportedRelativeToTheImportingFile) {
  Folder folder;
  folder.write("lib/one.plan", "import \"../two.plan\" as two\nexport let a = two.b + 1\n");
  folder.write("two.plan", "export let b = 1\n");
  Session session;
  std::string error;
  ASSERT_TRUE(session.load(folder.write("sub/main.plan", "import \"../lib/one.plan\"\nassert one.a == 2\n"), error));
  session.check();
  EXPECT_EQ(reports(session), Reports{});
}

TEST(Modules, FilesThatImportEachOtherAreACycle) {
  Folder folder;
  folder.write("b.plan", "import \"c.plan\"\n");
  folder.write("c.plan", "import \"a.plan\"\n");
  Session session;
  std::string error;
  ASSERT_TRUE(session.load(folder.write("a.plan", "import \"b.plan\"\n"), error));
  const auto found = reports(session);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].substr(0, 10), "1 PLAN0103");
}

TEST(Modules, WhatCannotBeReadIsAnError) {
  Session session;
  std::string error;
  EXPECT_FALSE(session.load("/nowhere/at/all.plan", error));
  EXPECT_FALSE(error.empty());
  EXPECT_FALSE(session.load(::testing::TempDir(), error));
  EXPECT_NE(error.find("folder"), std::string::npos);
  EXPECT_EQ(check("import \"/\" as root").at(0).substr(0, 10), "1 PLAN0108");
  EXPECT_EQ(check("import \"/dev/zero\" as zero").at(0).substr(0, 10), "1 PLAN0108");
}

TEST(Modules, AnEstimateOfGpt3LoadsLittleOfTheLibrary) {
  Session session;
  std::string error;
  ASSERT_TRUE(session.load(PLANC_SOURCE_DIR "/examples/gpt3_175b.plan", error));
  EXPECT_EQ(session.plans().size(), 2u);
  EXPECT_LE(session.libraryBytes(), 60'000u) << "start-up is the size of the library that is parsed";
}

TEST(Modules, NamesAreDeclaredOnce) {
  EXPECT_EQ(check("let a = 1\nlet a = 2"), Reports{"2 PLAN0203 `a` is declared twice"});
  EXPECT_EQ(check("import std.ops\nimport std.blocks as ops"), Reports{"2 PLAN0203 `ops` is declared twice"});
}

} // namespace
} // namespace planc::frontend
