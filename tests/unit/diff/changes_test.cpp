// Changed facts, whose they are, and which plan is which: over results made by hand.
// SPDX-License-Identifier: Apache-2.0
#include "backends/diff/Changes.h"
#include "backends/diff/Pairs.h"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace planc::diff::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> texts(const std::vector<FactChange>& changes) {
  std::vector<std::string> out;
  for (const FactChange& change : changes) out.push_back(change.str());
  return out;
}

TEST(FactChanges, NameWhatIsAnotherNewAndGone) {
  const std::vector<Fact> a = {{"mesh.tp", "8"}, {"overlap.prefetch", "2"}, {"recompute decoder", ""}};
  const std::vector<Fact> b = {{"mesh.tp", "4"}, {"recompute decoder.attn", ""}};
  EXPECT_THAT(texts(factChanges(a, b)),
              ElementsAre("mesh.tp 8 → 4", "+ recompute decoder.attn", "- overlap.prefetch 2", "- recompute decoder"));
  EXPECT_THAT(factChanges(a, a), IsEmpty());
}

TEST(FactChanges, WhatIsBelowAChangedFactIsCountedThere) {
  const std::vector<Fact> a = {
      {"cluster.device", "a100"}, {"cluster.device.memory", "80 GB"}, {"cluster.devices", "8"}};
  const std::vector<Fact> b = {
      {"cluster.device", "h100"}, {"cluster.device.memory", "96 GB"}, {"cluster.devices", "9"}};
  EXPECT_THAT(texts(factChanges(a, b)),
              ElementsAre("cluster.device a100 → h100 (and 1 fact below it)", "cluster.devices 8 → 9"));
}

TEST(FactChanges, AreCountedBelowTheOutermostThatChanged) {
  const std::vector<Fact> a = {{"c", "1"}, {"c.d", "1"}, {"c.d.m", "1"}};
  const std::vector<Fact> b = {{"c", "2"}, {"c.d", "2"}, {"c.d.m", "2"}};
  EXPECT_THAT(texts(factChanges(a, b)), ElementsAre("c 1 → 2 (and 2 facts below it)"));
}

TEST(FactChanges, AStatementIsAboveNothing) {
  const std::vector<Fact> a = {{"mesh.tp", "8"}, {"mesh order", "tp, dp"}, {"mesh order.x", "1"}};
  const std::vector<Fact> b = {{"mesh.tp", "4"}, {"mesh order", "dp, tp"}, {"mesh order.x", "2"}};
  EXPECT_THAT(texts(factChanges(a, b)),
              ElementsAre("mesh.tp 8 → 4", "mesh order tp, dp → dp, tp", "mesh order.x 1 → 2"));
}

TEST(FactChanges, DerivedOnesAreToldWhereNothingElseIs) {
  const std::vector<Fact> a = {{"seq", "1"}, {"model.operators", "x", true}};
  const std::vector<Fact> b = {{"seq", "2"}, {"model.operators", "y", true}};
  EXPECT_THAT(texts(factChanges(a, b)), ElementsAre("seq 1 → 2"));
  EXPECT_THAT(texts(factChanges(a, {{"seq", "1"}, {"model.operators", "y", true}})),
              ElementsAre("model.operators x → y"));
}

TEST(FactChanges, SayOnceWhatBothSidesHave) {
  const auto text = [](const std::string& before, const std::string& after) {
    return FactChange{"f", before, after}.str();
  };
  EXPECT_EQ(text("8 within node", "4 within node"), "f 8 → 4 within node");
  EXPECT_EQ(text("8 within node", "8"), "f 8 within node → 8");
  EXPECT_EQ(text("dp, tp, pp", "tp, dp, pp"), "f dp, tp, pp → tp, dp, pp") << "the last of a list stays with it";
  EXPECT_EQ(text("gpt(layers = 96, dims = [1, 2])", "gpt(layers = 96, dims = [1, 3])"),
            "f gpt(dims = [1, 2] → [1, 3])");
  EXPECT_EQ(text("gpt(layers = 96)", "gpt(width = 96)"), "f gpt(layers = 96) → gpt(width = 96)");
  EXPECT_EQ(text("gpt(layers = 96)", "llama(layers = 96)"), "f gpt(layers = 96) → llama(layers = 96)");
  EXPECT_EQ(text("f()", "f(a = 1)"), "f f() → f(a = 1)");
}

Result result(const std::string& file, const std::string& plan, const std::string& arguments, double step,
              std::vector<Fact> facts = {}) {
  Result out;
  out.file = file;
  out.plan = plan;
  out.arguments = arguments;
  out.metrics["step_time"] = step;
  out.facts = std::move(facts);
  for (size_t stage = 0; stage < 2; ++stage) {
    out.stages.emplace_back();
    out.stages.back().step = step;
    out.stages.back().rows = {{Cause::Layers, {"decoder"}, step / (2 + static_cast<double>(stage))},
                              {Cause::Bubble, {}, step - step / (2 + static_cast<double>(stage))}};
  }
  return out;
}

TEST(Differences, BelongToWhoMadeThem) {
  const Result a = result("p", "x", "", 1, {{"mesh.tp", "8"}, {"cluster.price", "1"}});
  const Result m = result("p", "x", "", 1.5, {{"mesh.tp", "8"}, {"cluster.price", "2"}});
  const Result b = result("p", "x", "", 1.25, {{"mesh.tp", "4"}, {"cluster.price", "2"}});
  const auto owners = [](const Difference& d) {
    std::vector<std::pair<Owner, double>> out;
    for (const OwnedChange& owned : d.owned) out.emplace_back(owned.owner, owned.stepTime);
    return out;
  };
  using Owners = std::vector<std::pair<Owner, double>>;
  EXPECT_EQ(owners(difference(a, b, {false, false, true})), (Owners{{Owner::Plan, 0.25}}));
  EXPECT_EQ(owners(difference(a, b, {true, false, false})), (Owners{{Owner::Planc, 0.25}}));
  EXPECT_EQ(owners(difference(a, b, {false, true, true, &m})), (Owners{{Owner::Libraries, 0.5}, {Owner::Plan, -0.25}}));
  const Difference together = difference(a, b, {false, true, true, nullptr, "it does not compile"});
  EXPECT_EQ(owners(together), (Owners{{Owner::Together, 0.25}}));
  EXPECT_EQ(together.unsplit, "it does not compile");
  EXPECT_FALSE(difference(a, a, {false, false, false}).any());
  EXPECT_TRUE(owners(difference(a, a, {false, false, true})).empty());
  const Result slower = result("p", "x", "", 2, a.facts);
  EXPECT_EQ(owners(difference(a, slower, {true, false, false})), (Owners{{Owner::Planc, 1}})) << "without a fact";
  EXPECT_TRUE(difference(a, b, {false, false, false}).any());
}

TEST(Differences, NameAssertionsThatNoLongerHold) {
  Result a = result("p", "x", "", 1), b = a;
  a.assertions = {{"mfu > 0.4", true}, {"step_time < 1s", false}, {"gone", true}};
  b.assertions = {{"mfu > 0.4", false}, {"step_time < 1s", false}, {"memory.fits", true}, {"step_time < 0.5s", false}};
  const Difference d = difference(a, b, {false, false, true});
  EXPECT_THAT(d.failing, ElementsAre("mfu > 0.4", "step_time < 0.5s"));
  EXPECT_TRUE(d.any());
  EXPECT_THAT(difference(b, b, {false, false, false}).failing, IsEmpty());
}

TEST(Differences, AreTakenApartOnTheStageThatIsCriticalAfter) {
  Result a = result("p", "x", "", 6), b = result("p", "x", "", 12);
  b.critical = 1;
  Difference d = difference(a, b, {false, false, true});
  EXPECT_TRUE(d.moved());
  EXPECT_EQ(d.parts.parts.front().a, 2) << "a third of the step on the second stage";
  EXPECT_EQ(d.parts.parts.front().b, 4);
  b.stages.pop_back();
  b.critical = 0;
  d = difference(a, b, {false, false, true});
  EXPECT_FALSE(d.moved()) << "stages of another number are not the same stages";
  EXPECT_EQ(d.parts.parts.front().a, 3);
}

TEST(Pairs, GoFromTheSameToWhatIsLeft) {
  const std::vector<Fact> f = {{"mesh.tp", "8"}}, g = {{"mesh.tp", "4"}}, h = {{"mesh.tp", "2"}};
  const std::vector<Result> before = {result("a", "x", "", 1, f), result("a", "y", "n = 1", 1, g),
                                      result("b", "old", "", 1, h), result("c", "gone", "", 1)};
  const std::vector<Result> after = {result("a", "x", "", 1, f), result("a", "y", "n = 2", 1, g),
                                     result("b", "renamed", "", 1, h), result("d", "fresh", "", 1, g)};
  const auto side = [](const std::vector<Result>& results) {
    std::vector<Candidate> out;
    for (const Result& r : results) out.push_back({r.file, &r});
    return out;
  };
  const Pairs pairs = pair(side(before), side(after));
  using Both = std::vector<std::pair<size_t, size_t>>;
  EXPECT_EQ(pairs.both, (Both{{0, 0}, {1, 1}, {2, 2}}));
  EXPECT_THAT(pairs.gone, ElementsAre(3u));
  EXPECT_THAT(pairs.fresh, ElementsAre(3u));
  EXPECT_EQ(pair({{"a", &before[0]}}, {{"d", &after[3]}}).both, (Both{{0, 0}})) << "one of either side";
  EXPECT_EQ(pair(side({}), side(after)).fresh.size(), after.size());
}

/// Plans of a side whose files are called so there, as reports show them elsewhere.
struct PlansOfASide {
  std::vector<Result> results;
  std::vector<std::string> files = {};
  std::vector<Candidate> candidates() const {
    std::vector<Candidate> out;
    for (size_t i = 0; i < results.size(); ++i)
      out.push_back({files.empty() ? results[i].file : files[i], &results[i]});
    return out;
  }
};

using Both = std::vector<std::pair<size_t, size_t>>;
const std::vector<Fact> kF = {{"mesh.tp", "8"}}, kG = {{"mesh.tp", "4"}}, kH = {{"mesh.tp", "2"}},
                        kI = {{"mesh.tp", "1"}};

/// Each of four plans is alone on both sides by one key, and one of several by those behind it.
TEST(Pairs, EachKeyDecidesAlone) {
  const Both all = {{0, 0}, {1, 1}, {2, 2}, {3, 3}};
  const auto four = [](const std::array<const char*, 4>& files, const std::array<const char*, 4>& plans,
                       const std::array<const char*, 4>& arguments, const std::array<std::vector<Fact>, 4>& facts) {
    PlansOfASide side;
    for (size_t i = 0; i < 4; ++i) side.results.push_back(result(files[i], plans[i], arguments[i], 1, facts[i]));
    return side;
  };
  const auto pairs = [](const PlansOfASide& a, const PlansOfASide& b) {
    return pair(a.candidates(), b.candidates()).both;
  };
  const std::array<const char*, 4> none = {"", "", "", ""}, one = {"x", "x", "x", "x"}, grid = {"1", "2", "1", "2"};
  const std::array<std::vector<Fact>, 4> same = {kF, kF, kF, kF}, each = {kF, kG, kH, kI}, turned = {kI, kH, kG, kF},
                                         two = {kF, kG, kF, kG};
  PlansOfASide a = four({"old/a", "old/a", "old/b", "old/b"}, one, grid, same),
               b = four({"new/a", "new/a", "new/b", "new/b"}, one, grid, same);
  a.files = b.files = {"a", "a", "b", "b"};
  EXPECT_EQ(pairs(a, b), all) << "file, plan and arguments";
  b = a, a.files = {"a", "a", "b", "b"}, b.files = {"c", "c", "d", "d"};
  EXPECT_EQ(pairs(a, b), all) << "as reports show it";
  EXPECT_EQ(pairs(four({"a", "a", "b", "b"}, {"x", "y", "x", "y"}, {"1", "1", "1", "1"}, same),
                  four({"a", "a", "b", "b"}, {"x", "y", "x", "y"}, {"2", "2", "2", "2"}, same)),
            all)
      << "file and plan";
  EXPECT_EQ(pairs(four({"a", "a", "b", "b"}, {"x", "y", "z", "w"}, none, two),
                  four({"a", "a", "b", "b"}, {"i", "j", "k", "l"}, none, two)),
            all)
      << "file and facts";
  EXPECT_EQ(pairs(four({"a", "b", "c", "d"}, {"x", "x", "y", "y"}, none, two),
                  four({"e", "f", "g", "h"}, {"x", "x", "y", "y"}, none, two)),
            all)
      << "name and facts";
  EXPECT_EQ(pairs(four({"a", "b", "c", "d"}, {"x", "x", "y", "y"}, none, each),
                  four({"e", "f", "g", "h"}, {"z", "z", "w", "w"}, none, each)),
            all)
      << "facts";
  EXPECT_EQ(pairs(four({"a", "b", "c", "d"}, {"x", "y", "z", "w"}, none, {kF, kF, kG, kG}),
                  four({"e", "f", "g", "h"}, {"x", "y", "z", "w"}, none, {kH, kH, kI, kI})),
            all)
      << "name";
  EXPECT_EQ(pairs(four({"a", "b", "c", "d"}, {"x", "y", "z", "w"}, none, {kF, kF, kG, kG}),
                  four({"a", "b", "c", "d"}, {"i", "j", "k", "l"}, none, {kH, kH, kI, kI})),
            all)
      << "file";
  EXPECT_EQ(pairs(four({"a", "b", "c", "d"}, {"x", "y", "z", "w"}, none, each),
                  four({"e", "f", "g", "h"}, {"w", "z", "y", "x"}, none, turned)),
            (Both{{3, 0}, {2, 1}, {1, 2}, {0, 3}}))
      << "both name and facts go before either";
}

TEST(Pairs, AKeyOfSeveralPairsNothing) {
  const PlansOfASide a{{result("a", "x", "", 1, kF), result("a", "y", "", 1, kF)}},
      b{{result("a", "u", "", 1, kG), result("a", "v", "", 1, kG)}},
      c{{result("a", "u", "", 1, kF), result("b", "v", "", 1, kG)}};
  const Pairs none = pair(a.candidates(), b.candidates());
  EXPECT_THAT(none.both, IsEmpty());
  EXPECT_THAT(none.gone, ElementsAre(0u, 1u));
  EXPECT_THAT(none.fresh, ElementsAre(0u, 1u));
  EXPECT_THAT(pair(a.candidates(), c.candidates()).both, IsEmpty()) << "of one side alone, too";
  EXPECT_THAT(pair(c.candidates(), a.candidates()).both, IsEmpty());
}

} // namespace
} // namespace planc::diff::test
