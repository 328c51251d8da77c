// Property: whatever is recomputed, in whatever order, backward reads what forward made; and no gradient changes.
// SPDX-License-Identifier: Apache-2.0
#include "Executor.h"
#include "RandomPlans.h"

namespace planc::oracle {
namespace {

/// Layers of the model that a statement may name, none inside another.
const std::vector<const char*> kLayers = {
    "decoder.norm1",     "decoder.attn",   "decoder.mid",       "decoder.norm2", "decoder.both",
    "decoder.both.mlp",  "second.attn",    "second.drop",       "second.norm1",  "second.some",
    "decoder.attn.core", "decoder.attn.q", "decoder.both.high", "head"};
/// Results inside of a decoder layer.
const std::vector<const char*> kResults = {"attn",     "attn.core", "attn.q",    "norm1", "norm2", "mid",
                                           "both.mlp", "both.low",  "both.high", "both",  "attn.v"};

std::vector<const char*> some(std::vector<const char*> from, std::mt19937& random) {
  std::shuffle(from.begin(), from.end(), random);
  from.resize(1 + random() % (from.size() / 2));
  return from;
}

bool inside(const std::string& a, const std::string& b) {
  return a == b || a.starts_with(b + ".") || b.starts_with(a + ".");
}

/// Statements of every form, drawn at random.
std::vector<Recompute> drawRecompute(std::mt19937& random) {
  if (random() % 2) {
    Recompute layers{{selector("decoder")}};
    if (random() % 4) // else whole layers
      for (const char* name : some(kResults, random)) layers.saves.push_back(selector(name));
    if (random() % 3 == 0) layers.first = 1;
    return {layers};
  }
  std::vector<std::string> taken;
  std::vector<Recompute> statements(2);
  statements[0].outputs = true;
  for (const char* name : some(kLayers, random)) {
    if (std::any_of(taken.begin(), taken.end(), [&](const std::string& t) { return inside(t, name); })) continue;
    taken.emplace_back(name);
    statements[random() % 4 == 0].selectors.push_back(selector(name));
  }
  std::erase_if(statements, [](const Recompute& r) { return r.selectors.empty(); });
  return statements;
}

std::string textOf(const Plan& plan) {
  std::string text;
  for (const Recompute& r : plan.recompute) text += "recompute " + r.str() + "\n";
  return text;
}

TEST(OracleReplay, InAnyOrderEqualsNoReplay) {
  std::mt19937 random(21);
  int accepted = 0, refused = 0, operators = 0, discarding = 0, naming = 0;
  double worst = 0;
  while (accepted < 300 && refused < 6000) {
    Plan plan = randomPlan(random);
    plan.recompute = drawRecompute(random);
    const auto program = shard(plan);
    if (!program) {
      ++refused;
      continue;
    }
    ++accepted;
    discarding += plan.recompute[0].outputs;
    naming += !plan.recompute[0].saves.empty();
    for (unsigned order = 0; order < 2; ++order) {
      Replayed again;
      ASSERT_NO_THROW(again = replay(*program, 7, order)) << textOf(plan) << print(*program);
      ASSERT_LE(again.worst, 1e-12) << textOf(plan) << print(*program);
      worst = std::max(worst, again.worst);
      operators += again.operators;
    }
  }
  std::printf("%d random plans, %d that discard, %d that keep by name; %d operators done again, worst relative "
              "difference %.1e\n",
              accepted, discarding, naming, operators, worst);
  EXPECT_EQ(accepted, 300);
  EXPECT_GT(discarding, 80);
  EXPECT_GT(naming, 60);
  EXPECT_GT(operators, 5000);
}

TEST(OracleReplay, WithoutRecomputationBackwardFindsAllThatItReads) {
  std::mt19937 random(22);
  for (int accepted = 0; accepted < 100;) {
    Plan plan = randomPlan(random);
    plan.recompute.clear();
    const auto program = shard(plan);
    if (!program) continue;
    ++accepted;
    Replayed again;
    ASSERT_NO_THROW(again = replay(*program, 7, 0)) << print(*program);
    EXPECT_EQ(again.operators, 0);
    EXPECT_LE(again.worst, 1e-12);
  }
}

/// One value less is kept: most often backward misses it.
TEST(OracleReplay, CatchesWhatIsNotKept) {
  std::mt19937 random(23);
  int caught = 0, tried = 0;
  while (tried < 40) {
    Plan plan = randomPlan(random);
    plan.recompute = drawRecompute(random);
    const auto program = shard(plan);
    if (!program) continue;
    for (ShardedClass& layerClass : program->classes) {
      if (layerClass.saved.size() < 2) continue;
      ++tried;
      const Saved taken = layerClass.saved.back();
      layerClass.saved.edit().pop_back();
      try {
        replay(*program, 7, 0);
      } catch (const std::runtime_error&) {
        ++caught;
      }
      layerClass.saved.edit().push_back(taken);
    }
  }
  EXPECT_GT(caught, tried / 2);
}

} // namespace
} // namespace planc::oracle
