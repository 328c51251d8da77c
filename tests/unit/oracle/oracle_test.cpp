// Property: any plan that the laws accept computes what the unsharded model computes, and so do the gradients of all
// parameters.
// SPDX-License-Identifier: Apache-2.0
#include "Executor.h"
#include "RandomPlans.h"

#include <algorithm>
#include <functional>

namespace planc {
namespace {

using namespace oracle;

/// The unsharded model: one device, the same executor. Its gradients are compared with slopes below.
const ShardedProgram& denseProgram() {
  static Plan plan = basePlan();
  plan.mesh = mesh({{"a", 1}});
  static const auto program = shard(plan);
  return *program;
}
const oracle::Outcome& dense() {
  static const oracle::Outcome outcome = oracle::execute(denseProgram(), 7);
  return outcome;
}

/// The kernels' gradients against slopes, on one device.
void expectSlopes(const ShardedProgram& program) {
  const oracle::Outcome whole = oracle::execute(program, 7);
  for (const auto& [name, t] : whole.gradients) {
    const size_t element = t.data.size() / 2;
    const double step = 1e-4;
    const double up = oracle::execute(program, 7, {name, element, step}).objective;
    const double down = oracle::execute(program, 7, {name, element, -step}).objective;
    EXPECT_NEAR((up - down) / (2 * step), t.data[element], 1e-5 * std::max(1.0, std::abs(t.data[element]))) << name;
  }
}

TEST(Oracle, DenseGradientsAreSlopes) {
  EXPECT_GE(dense().gradients.size(), 20u);
  expectSlopes(denseProgram());
}

/// Two thousand plans in eight parts, so that several cores share them.
constexpr int kParts = 8, kPlansOfPart = 250;
class RandomPlans : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Oracle, RandomPlans, testing::Range(1, kParts + 1));

TEST_P(RandomPlans, ComputeWhatOneDeviceDoes) {
  const oracle::Outcome& reference = dense();
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  int accepted = 0, refused = 0, refined = 0;
  double worst = 0;
  while (accepted < kPlansOfPart && refused < 20 * kPlansOfPart) {
    const Plan plan = randomPlan(random);
    const auto program = shard(plan);
    if (!program) {
      ++refused;
      continue;
    }
    ++accepted;
    refined += program->mesh.axes.size() > plan.mesh.axes.size();
    double d = 0;
    std::string name;
    ASSERT_NO_THROW(d = oracle::difference(reference, oracle::execute(*program, 7), &name)) << print(*program);
    worst = std::max(worst, d);
    ASSERT_LE(d, 1e-12) << name << " differs in\n" << print(*program);
  }
  RecordProperty("accepted", accepted);
  std::printf(
      "%d random plans executed (%d with a refined axis), %d refused by the laws, worst relative difference %.1e\n",
      accepted, refined, refused, worst);
  EXPECT_EQ(accepted, kPlansOfPart);
}

/// Plans that one broken rule makes wrong, of those tried; a broken rule must not survive.
int caught(const std::function<void(ShardedProgram&)>& breakRule) {
  const oracle::Outcome& reference = dense();
  std::mt19937 random(2);
  int wrong = 0;
  for (int accepted = 0; accepted < 40;) {
    const Plan plan = randomPlan(random);
    const auto program = shard(plan);
    if (!program) continue;
    ++accepted;
    breakRule(*program);
    try {
      wrong += !(oracle::difference(reference, oracle::execute(*program, 7)) <= 1e-9);
    } catch (const std::runtime_error&) {
      ++wrong;
    }
  }
  return wrong;
}

TEST(Oracle, CatchesForgottenPartialSums) {
  // As if `produced` left pending sums out: forward reshards no longer reduce.
  EXPECT_GT(caught([](ShardedProgram& p) {
              for (ShardedClass& b : p.classes) {
                for (Layout& l : b.results.edit()) l.partial = 0;
                for (ShardedNode& n : b.forward.edit())
                  if (Reshard* r = n.asReshard()) r->from.partial = 0;
              }
            }),
            0);
}

TEST(Oracle, CatchesUnreducedParameterGradients) {
  // As if the axes over which a parameter's gradient is pending were not collected.
  EXPECT_GT(caught([](ShardedProgram& p) {
              for (ShardedClass& b : p.classes)
                for (ParamState& s : b.params.edit()) s.partial = 0;
            }),
            0);
}

TEST(Oracle, CatchesDigitsInTheWrongOrder) {
  // As if the order of axes in a list did not matter: reshards aim at the reversed list.
  EXPECT_GT(caught([](ShardedProgram& p) {
              for (ShardedClass& b : p.classes)
                for (ShardedNode& n : b.forward.edit())
                  for (size_t dim = 0; n.isReshard() && dim < n.reshard().to.shard.size(); ++dim)
                    if (const auto digits = n.reshard().to.shard[dim]; digits.size() == 2)
                      n.reshard().to.shard.set(
                          dim, std::array{Digit{digits[1].axis}, Digit{digits[0].axis, maskOf(digits[1].axis)}});
            }),
            0);
}

// ---- operators with rules of their own ------------------------------------------------------------------------------

/// Executes `count` plans that the laws accept and compares each with the model on one device.
void compareRandomPlans(const Plan& base, int count, unsigned seed, const Draw& draw) {
  Plan single = base;
  single.mesh = mesh({{"a", 1}});
  const auto whole = shard(single);
  ASSERT_TRUE(whole);
  const oracle::Outcome reference = oracle::execute(*whole, 7);
  ASSERT_FALSE(reference.gradients.empty());
  expectSlopes(*whole);
  std::mt19937 random(seed);
  int accepted = 0, refused = 0;
  double worst = 0;
  while (accepted < count && refused < 20 * count) {
    Plan plan = base;
    plan.mesh = randomMesh(random);
    std::vector<std::string> axes;
    for (AxisId a : plan.mesh.order) axes.push_back(plan.mesh.axes[a].name.str());
    std::shuffle(axes.begin(), axes.end(), random);
    draw(plan, axes, random);
    const auto program = shard(plan);
    if (!program) {
      ++refused;
      continue;
    }
    ++accepted;
    double d = 0;
    std::string name;
    ASSERT_NO_THROW(d = oracle::difference(reference, oracle::execute(*program, 7), &name)) << print(*program);
    worst = std::max(worst, d);
    ASSERT_LE(d, 1e-12) << name << " differs in\n" << print(*program);
  }
  std::printf("%d random plans executed, %d refused, worst relative difference %.1e\n", accepted, refused, worst);
  EXPECT_EQ(accepted, count);
}

TEST(Oracle, RoutedExperts) {
  compareRandomPlans(familyPlan("routed_experts"), 300, 11, routedRules);
}
TEST(Oracle, GatheredExperts) {
  compareRandomPlans(familyPlan("gathered_experts"), 200, 12, routedRules);
}

TEST(Oracle, CatchesExpertsThatAreReducedOverTooFewAxes) {
  // As if the gradients of experts were not summed over the copies of an expert, or partial results not at all.
  Plan single = familyPlan("routed_experts");
  single.mesh = mesh({{"a", 1}});
  const auto whole = shard(single);
  ASSERT_TRUE(whole);
  const oracle::Outcome reference = oracle::execute(*whole, 7);
  std::mt19937 random(17);
  int gradients = 0, results = 0;
  for (int accepted = 0; accepted < 40;) {
    Plan plan = familyPlan("routed_experts");
    plan.mesh = randomMesh(random);
    std::vector<std::string> axes;
    for (AxisId a : plan.mesh.order) axes.push_back(plan.mesh.axes[a].name.str());
    routedRules(plan, axes, random);
    const auto wrong = [&](const std::function<void(ShardedProgram&)>& breakRule) {
      const auto program = shard(plan);
      breakRule(*program);
      try {
        return !(oracle::difference(reference, oracle::execute(*program, 7)) <= 1e-9);
      } catch (const std::runtime_error&) {
        return true;
      }
    };
    if (!shard(plan)) continue;
    ++accepted;
    gradients += wrong([](ShardedProgram& p) {
      for (ShardedClass& b : p.classes)
        for (ParamState& s : b.params.edit())
          if (p.model->values[s.param].name == Symbol("w_up")) s.partial = 0;
    });
    results += wrong([](ShardedProgram& p) {
      for (ShardedClass& b : p.classes)
        for (ShardedNode& n : b.forward.edit())
          if (Reshard* r = n.asReshard()) r->from.partial = 0;
    });
  }
  EXPECT_GT(gradients, 0);
  EXPECT_GT(results, 0);
}

TEST(Oracle, LatentAttention) {
  compareRandomPlans(familyPlan("latent_attention"), 200, 13,
                     anywhere({{"", {"batch", "seq"}},
                               {"decoder", {"seq", "hidden", "batch"}},
                               {"decoder.attn", {"heads", "q_rank", "kv_rank", "hidden"}},
                               {"decoder.attn.core", {"heads", "value", "seq"}}}));
}

TEST(Oracle, Tables) {
  compareRandomPlans(familyPlan("tables"), 200, 14,
                     anywhere({{"", {"batch"}},
                               {"bags", {"tables", "rows", "emb_dim", "batch"}},
                               {"dots", {"emb_dim", "pairs"}},
                               {"vector", {"emb_dim", "dense"}}}));
}

TEST(Oracle, Adapters) {
  compareRandomPlans(familyPlan("adapters"), 200, 15,
                     anywhere({{"", {"batch", "seq"}},
                               {"decoder", {"seq", "hidden"}},
                               {"decoder.proj", {"hidden", "ffn", "rank"}},
                               {"head", {"vocab", "hidden"}}}));
  for (const ValueId v : familyPlan("adapters").model->params) {
    const Value& value = familyPlan("adapters").model->values[v];
    EXPECT_EQ(value.trainable, value.name == Symbol("a") || value.name == Symbol("b")) << value.name.str();
  }
}

/// Queries over a sequence of axes; keys around a ring of some of them, heads over others (Ulysses), or both (USP).
TEST(Oracle, RingsAndHeads) {
  compareRandomPlans(basePlan(), 200, 16, [](Plan& plan, std::vector<std::string> axes, std::mt19937& random) {
    std::vector<std::string> ring, heads, rest;
    for (const std::string& a : axes) {
      const auto where = random() % 4;
      (where < 2 ? ring : where == 2 ? heads : rest).push_back(a);
    }
    std::vector<std::string> seq = ring;
    if (random() % 3) seq.insert(seq.end(), heads.begin(), heads.end());
    if (!seq.empty()) plan.placements.push_back(rule("", "seq", seq));
    if (!rest.empty()) plan.placements.push_back(rule("", "batch", rest));
    if (!heads.empty())
      plan.placements.push_back(rule(random() % 2 ? "decoder.attn" : "decoder.attn.core", "heads", heads));
    if (!ring.empty()) {
      PlacementRule rule = test::rule("decoder.attn.core", "kv_seq", ring);
      rule.ring = true;
      plan.placements.push_back(std::move(rule));
    }
    if (random() % 3 == 0) plan.recompute.push_back({{selector("decoder.attn.core")}});
  });
}

} // namespace
} // namespace planc
