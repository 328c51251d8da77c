// Trees as bytes: what was written is read, the library's are those of its texts, and only what is used is read.
// SPDX-License-Identifier: Apache-2.0
#include "ParseHelper.h"
#include "SameTree.h"
#include "frontend/syntax/Archive.h"
#include "support/files/Embedded.h"
#include "tests/unit/support/PlanFiles.h"

namespace planc::test {
namespace {

/// What differs between a tree and the declarations of an archive; empty if nothing does.
std::string difference(const syntax::File& tree, syntax::Archive& archive) {
  if (archive.outlines().size() != tree.decls.size()) return "the number of declarations";
  for (size_t i = 0; i < tree.decls.size(); ++i) {
    const syntax::Outline read = archive.outlines()[i], made = syntax::outlineOf(tree.decls[i]);
    const std::string name = "declaration " + std::to_string(i) + ", `" + made.name.text.str() + "`";
    const bool same = read.import == made.import && read.exported == made.exported &&
                      read.deprecated == made.deprecated && read.kind == made.kind && sameTree(read.name, made.name);
    if (!same) return "the outline of " + name;
    if (!sameTree(tree.decls[i], archive.decl(i))) return name;
  }
  return "";
}

TEST(Archive, TheLibraryHoldsTheTreesOfItsTexts) {
  const auto& texts = embeddedStdlib();
  const auto& trees = embeddedStdlibTrees();
  ASSERT_EQ(texts.size(), trees.size());
  size_t declarations = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(texts[i].path, trees[i].path);
    Parsed fresh((std::string(texts[i].text)));
    ASSERT_TRUE(fresh.file && !fresh.file->broken) << texts[i].path;
    syntax::Archive archive(trees[i].text, texts[i].text, fresh.id);
    EXPECT_EQ(difference(*fresh.file, archive), "") << texts[i].path;
    declarations += fresh.file->decls.size();
  }
  EXPECT_GT(declarations, 200u);
}

TEST(Archive, WhatIsWrittenIsReadOfEveryPlan) {
  size_t read = 0;
  for (const PlanFile& file : planFiles()) {
    Parsed fresh(file.text);
    if (!fresh.file || fresh.file->broken) continue;
    const std::string bytes = syntax::archived(*fresh.file, file.text);
    syntax::Archive archive(bytes, file.text, fresh.id);
    EXPECT_EQ(difference(*fresh.file, archive), "") << file.path;
    ++read;
  }
  EXPECT_GT(read, 300u);
}

/// The comparison that the tests above stand on sees each of these changes.
TEST(Archive, AnyChangeIsADifference) {
  const std::string text =
      "import std.ops as o\n/// Of two.\nexport let f(a: int, b = 2) deprecated \"use g\" = a * o.b\n"
      "plan p { mesh { tp = 8 within node }\n place { h -> [tp] via ring } }\n";
  Parsed fresh("assert true : \"reason\"\n" + text);
  ASSERT_FALSE(fresh.file->broken);
  const std::string bytes = syntax::archived(*fresh.file, fresh.sources.text(fresh.id));
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string other(fresh.sources.text(fresh.id));
    other.replace(other.find(from), from.size(), to);
    Parsed made(other);
    EXPECT_FALSE(made.file->broken) << other;
    syntax::Archive archive(bytes, fresh.sources.text(fresh.id), fresh.id);
    return difference(*made.file, archive);
  };
  EXPECT_EQ(changed("true", "true"), "");
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"true", "none"},
                                                        {"reason", "Reason"},
                                                        {"as o", "as u"},
                                                        {"two", "Two"},
                                                        {"export let", "let       "},
                                                        {"use g", "use h"},
                                                        {"deprecated \"use g\"", "                  "},
                                                        {"a: int", "c: int"},
                                                        {"= 2", "= 3"},
                                                        {"a *", "a +"},
                                                        {"within", "across"},
                                                        {"[tp]", "[dp]"},
                                                        {"via ring", "uneven  "},
                                                        {"let f", "let  f"}})
    EXPECT_NE(changed(from, to), "") << from << " -> " << to;
}

TEST(Archive, ADeclarationIsReadOnceAndStays) {
  Parsed fresh("let a = 1\nlet b = [a, a + 1]\n");
  const std::string bytes = syntax::archived(*fresh.file, fresh.sources.text(fresh.id));
  syntax::Archive archive(bytes, fresh.sources.text(fresh.id), fresh.id);
  const syntax::Decl* second = &archive.decl(1);
  archive.decl(0);
  EXPECT_EQ(&archive.decl(1), second);
  EXPECT_TRUE(sameTree(*second, fresh.file->decls[1]));
}

} // namespace
} // namespace planc::test
