// Property: however a plan places a model, the points of every operator's iteration space are shared out, none lost and
// none done twice but on ranks that do the same; and what size-work prices is what the devices hold. Counted on random
// plans point by point, on the examples by extents.
// SPDX-License-Identifier: Apache-2.0
#include "OperatorRun.h"
#include "RandomPlans.h"
#include "ir/layout/Routed.h"

#include <algorithm>
#include <filesystem>

namespace planc {
namespace {

using namespace oracle;
using ir::Layer;

double product(const std::vector<int64_t>& extents) {
  double n = 1;
  for (int64_t e : extents) n *= static_cast<double>(e);
  return n;
}

/// Ranks that hold the same points of an operator: of the axes that none of its own dimensions is split over (those of
/// `along` copy key heads).
int64_t idleRanks(const Program& program, const Op& op, const Placement& placement) {
  AxisMask used = 0;
  for (const PlacedDim& p : placement.dims)
    if (!p.ring && std::find(op.dims.begin(), op.dims.end(), p.dim) != op.dims.end()) used |= maskOf(p.axes);
  return program.mesh.devices() / program.mesh.size(used);
}

/// Counts the points that all devices hold of each contraction, and what size-work says of them.
void expectShared(const Program& program) {
  const OperatorRun run(program);
  for (const LayerClass& layerClass : program.classes) {
    if (layerClass.boundaryReshard) continue;
    const Layer& layer = program.model->layers[layerClass.layer];
    for (const Node& node : layerClass.forward) {
      if (!node.isCompute() || !isContraction(program.model->ops[node.op].kind)) continue;
      const Op& op = program.model->ops[node.op];
      const Placement placement = OperatorRun::withoutRing(layerClass.placements[passes::local(layer, node.op)]);
      double points = 0;
      for (int64_t d = 0; d < run.devices.count; ++d) {
        double own = 1;
        for (const auto& indices : run.space(op, placement, d).held) own *= static_cast<double>(indices.size());
        points += own;
      }
      // Slots are run as tokens, of which each expert gets k / experts: compare what both count, whole and sharded.
      EXPECT_EQ(points, product(run.flatExtents(op.dims)) * static_cast<double>(idleRanks(program, op, placement)))
          << program.model->pathOf(node.op);
      EXPECT_EQ(node.compute().work.flops * static_cast<double>(run.devices.count),
                2 * product(program.extents(op.dims)) * ir::overExtents(program.model, op.dims) *
                    static_cast<double>(idleRanks(program, op, placement)))
          << program.model->pathOf(node.op);
    }
  }
}

void expectSharedOnRandomPlans(int count, unsigned seed, const std::function<Plan(std::mt19937&)>& draw) {
  std::mt19937 random(seed);
  for (int accepted = 0, tried = 0; accepted < count; ++tried) {
    ASSERT_LT(tried, 40 * count);
    const Plan plan = draw(random);
    const auto program = oracle::lower(plan);
    if (!program) continue;
    ++accepted;
    expectShared(*program);
    ASSERT_FALSE(::testing::Test::HasFailure()) << print(*program);
  }
}

TEST(Work, IsSharedOutByRandomPlans) {
  expectSharedOnRandomPlans(500, 21, randomPlan);
}

TEST(Work, OfExpertsIsSharedOut) {
  expectSharedOnRandomPlans(200, 22, [](std::mt19937& random) {
    Plan plan = familyPlan("routed_experts");
    plan.mesh = randomMesh(random);
    std::vector<std::string> axes;
    for (AxisId a : plan.mesh.order) axes.push_back(plan.mesh.axes[a].name.str());
    std::shuffle(axes.begin(), axes.end(), random);
    routedRules(plan, axes, random);
    return plan;
  });
}

/// All forward FLOPs of a lowered plan: devices x local, and global x idle ranks, over stages and instances.
std::pair<double, double> forwardFlops(const Program& program) {
  double local = 0, global = 0;
  for (const LayerClass& layerClass : program.classes) {
    if (layerClass.boundaryReshard) continue;
    const Layer& layer = program.model->layers[layerClass.layer];
    const double devices = static_cast<double>(program.mesh.devices() / program.stages);
    const double instances = static_cast<double>(layerClass.instances.count());
    for (const Node& node : layerClass.forward) {
      if (!node.isCompute() || node.compute().role != Role::Forward) continue;
      const Op& op = program.model->ops[node.op];
      const Placement& placement = layerClass.placements[passes::local(layer, node.op)];
      local += devices * node.compute().work.flops / node.compute().work.skew * node.times * instances;
      for (const Term& t : op.flops.terms) {
        AxisMask used = 0;
        double whole = t.coefficient;
        for (const auto& [dim, power] : t.factors) {
          used |= maskOf(placement.axesOf(dim));
          for (int i = 0; i < power; ++i) whole *= ir::sizeOf(program.model, dim);
        }
        global += whole * devices / static_cast<double>(program.mesh.size(used)) * node.times * instances;
      }
    }
  }
  return {local, global};
}

TEST(Work, OfTheExamplesIsSharedOut) {
  int plans = 0;
  for (const auto& file : std::filesystem::directory_iterator(PLANC_SOURCE_DIR "/examples")) {
    if (file.path().extension() != ".plan") continue;
    frontend::Session session;
    std::string error;
    ASSERT_TRUE(session.load(file.path().string(), error)) << error;
    for (const auto& plan : session.plans()) {
      const auto program = oracle::lower(*plan);
      if (!program) continue; // a plan that needs its parameters
      const auto [local, global] = forwardFlops(*program);
      EXPECT_GT(global, 0);
      EXPECT_NEAR(local / global, 1, 1e-12) << file.path() << " " << plan->name.view();
      ++plans;
    }
  }
  EXPECT_GE(plans, 5);
}

} // namespace
} // namespace planc
