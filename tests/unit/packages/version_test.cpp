// Versions as semver.org orders them, and addresses that git is told.
// SPDX-License-Identifier: Apache-2.0
#include "packages/Contents.h"
#include "packages/Manifest.h"

#include <gtest/gtest.h>

namespace planc::packages {
namespace {

TEST(Version, OrderOfSemver) {
  // The example of semver.org 2.0.0, section 11.4, between two releases.
  const char* const order[] = {"0.9.9",      "1.0.0-alpha",  "1.0.0-alpha.1", "1.0.0-alpha.beta",
                               "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1",
                               "1.0.0",      "1.0.10"};
  for (size_t i = 0; i < std::size(order); ++i)
    for (size_t j = 0; j < std::size(order); ++j)
      EXPECT_EQ(*Version::parse(order[i]) <=> *Version::parse(order[j]), i <=> j) << order[i] << " " << order[j];
}

TEST(Version, RefusesWhatIsNone) {
  for (const char* text : {"", "1", "1.0", "1.0.0.0", "01.0.0", "1.0.0-", "1.0.0-a..b", "1.0.0-01", "1.0.0+build",
                           "v1.0.0", "1.0.x", "-1.0.0", "1.0.0 ", "9999999999.0.0", "1..0"})
    EXPECT_FALSE(Version::parse(text)) << text;
  for (const char* text : {"0.0.0", "1.2.3-rc.1", "1.2.3-x-y.0"}) EXPECT_EQ(Version::parse(text)->text(), text);
  EXPECT_EQ(Version::ofTag("v2.1.0")->text(), "2.1.0");
  EXPECT_EQ(Version::ofTag("2.1.0")->text(), "2.1.0");
  EXPECT_FALSE(Version::ofTag("release-2.1.0"));
  EXPECT_EQ(leastPlanc(">=0.2")->text(), "0.2.0");
  EXPECT_EQ(leastPlanc(">= 1.2.3")->text(), "1.2.3");
  for (const char* text : {"0.2", ">0.2", ">=", ">=x", ">=1.2.3.4"}) EXPECT_FALSE(leastPlanc(text)) << text;
}

TEST(Manifest, AddressesOfGit) {
  for (const char* good : {"https://git.example/base.git", "ssh://git@git.example:22/base", "git@git.example:org/base",
                           "file:///srv/base", "http://intern/base"})
    EXPECT_EQ(addressOf(good), Address::Good) << good;
  for (const char* bad : {"", "-x", "--upload-pack=x", "ext::sh -c x", "ext::x", "fd::7", "../base", "/srv/base",
                          "https://", "ftp://h/x", "https://a b/c", "ssh://-oProxyCommand=x/y", "https://u:p@h/x",
                          "https://token@h/x", "ssh://u:p@h/x", "ssh://git@-oProxyCommand=x/y", "https://h/`x`"})
    EXPECT_NE(addressOf(bad), Address::Good) << bad;
}

TEST(Manifest, SecretsAreStarredOut) {
  EXPECT_EQ(project::withoutSecrets("a = \"https://me:pw@h/x\"\nb = \"ssh://git@h/x\" # https://t@h"),
            "a = \"https://**:**@h/x\"\nb = \"ssh://git@h/x\" # https://*@h");
  EXPECT_EQ(project::withoutSecrets("https://h/a@b and mail@x"), "https://h/a@b and mail@x");
}

std::string problem(const std::vector<FileEntry>& entries) {
  Hostile found;
  return filesOf(entries, found) ? "" : found.path + ": " + found.problem;
}

TEST(Contents, FilesOfAPackage) {
  using Kind = FileEntry::Kind;
  Hostile found;
  const auto files = filesOf({{"LICENSE", Kind::File, 1},
                              {"README.md", Kind::File, 1},
                              {"build/x.o", Kind::File, 1},
                              {"clusters/pod.plan", Kind::File, 1},
                              {"docs/README.md", Kind::File, 1},
                              {"logo.png", Kind::Link, 0},
                              {"planc.lock", Kind::File, 1},
                              {"planc.toml", Kind::File, 1},
                              {"tests/.hidden/a.plan", Kind::File, 1},
                              {"vendor/other/a.plan", Kind::File, 1}},
                             found);
  ASSERT_TRUE(files);
  EXPECT_EQ(*files, (std::vector<std::string>{"LICENSE", "README.md", "clusters/pod.plan", "planc.toml"}));
  EXPECT_EQ(problem({{"clusters", Kind::Link, 0}}), "clusters: it is a link");
  EXPECT_EQ(problem({{"clusters/pod.plan", Kind::Other, 0}}), "clusters/pod.plan: it is not a file");
  EXPECT_NE(problem({{"../x.plan", Kind::File, 0}}), "");
  EXPECT_NE(problem({{"a\\b.plan", Kind::File, 0}}), "");
  EXPECT_NE(problem({{"A/x.plan", Kind::File, 0}, {"a/y.plan", Kind::File, 0}}), "");
  EXPECT_NE(problem({{"a\nb.plan", Kind::File, 0}}), "");
  EXPECT_EQ(problem({{std::string(250, 'a') + ".plan", Kind::File, 0}}), "");
  EXPECT_NE(problem({{std::string(251, 'a') + ".plan", Kind::File, 0}}), "");
  EXPECT_NE(problem({{"x.plan", Kind::File, kMostPlanBytes + 1}}), "");
  const auto many = [](size_t count, uint64_t bytes) {
    std::vector<FileEntry> out;
    for (size_t i = 0; i < count; ++i) out.push_back({"f" + std::to_string(i) + ".plan", Kind::File, bytes});
    return out;
  };
  EXPECT_EQ(problem(many(4, kMostPackageBytes / 4)), "");
  EXPECT_NE(problem(many(5, kMostPackageBytes / 4)), "") << "each of them is small enough, all of them are not";
  EXPECT_EQ(problem(many(10'000, 1)), "");
  EXPECT_NE(problem(many(10'001, 1)), "");
  EXPECT_NE(problem(std::vector<FileEntry>(kMostEntries + 1, FileEntry{"x"})), "");
}

TEST(Contents, DigestIsThatOfSha256sum) {
  // printf a | sha256sum; printf '' | sha256sum; and sha256sum of the two lines, sorted by path.
  const Digests files = digestsOf({{"b", ""}, {"a", "a"}});
  EXPECT_EQ(files.at("a"), "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb");
  EXPECT_EQ(files.at("b"), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digestOf(files), "fb41f4bdc62e333b98e376fb2155d487eead00307a00a58924a43f83b4785c56");
}

} // namespace
} // namespace planc::packages
