// Properties: writing an example's plan in an equivalent way changes no number: an axis by another name, or an axis as
// a group of two.
// SPDX-License-Identifier: Apache-2.0
#include "RandomPlans.h"

#include <filesystem>
#include <functional>
#include <map>

namespace planc {
namespace {

using namespace oracle;

/// What a program moves and computes: collectives by kind, ranks and phase (operations, bytes), and FLOPs.
using Numbers = std::map<std::string, std::pair<double, double>>;

Numbers numbersOf(const Program& program) {
  Numbers numbers;
  auto add = [&](const std::string& key, double times, double amount) {
    numbers[key].first += times;
    numbers[key].second += times * amount;
  };
  for (const LayerClass& layerClass : program.classes) {
    const double runs = static_cast<double>(layerClass.instances.count());
    for (const auto* list : {&layerClass.forward, &layerClass.backward})
      for (const Node& n : *list) {
        if (const Compute* c = n.asCompute()) add("flops " + std::string(name(c->role)), runs * n.times, c->work.flops);
        if (const Collective* c = n.asCollective())
          add(std::string(name(c->kind)) + " over " + std::to_string(c->group) + " at " + std::to_string(c->level) +
                  " " + std::string(name(n.phase)),
              runs * n.times, c->bytes);
      }
    for (const StateCollective& s : layerClass.states)
      add("state " + std::string(name(s.collective)) + " over " + std::to_string(s.group),
          runs * static_cast<double>(s.times), s.bytes);
    for (const Saved& s : layerClass.saved) add("saved", runs, s.bytes);
    add("working set", runs, layerClass.workingForward + layerClass.workingBackward);
  }
  for (const VirtualStage& s : program.virtualStages)
    for (const Boundary& b : program.kindOf(s.index).sends) add("send", 1, b.bytes);
  return numbers;
}

/// Calls `visit` with every plan of the examples that lowers, and its numbers.
void forExamples(const std::function<void(const Plan&, const Numbers&)>& visit) {
  for (const auto& file : std::filesystem::directory_iterator(PLANC_SOURCE_DIR "/examples")) {
    if (file.path().extension() != ".plan") continue;
    frontend::Session session;
    std::string error;
    ASSERT_TRUE(session.load(file.path().string(), error)) << error;
    for (const auto& plan : session.plans())
      if (const auto program = oracle::lower(*plan)) visit(*plan, numbersOf(*program));
  }
}

void expectSame(const Plan& plan, const Numbers& numbers, const std::string& how) {
  const auto program = oracle::lower(plan);
  ASSERT_TRUE(program) << plan.name.view() << " " << how;
  const Numbers other = numbersOf(*program);
  for (const auto& [key, value] : numbers) {
    const auto it = other.find(key);
    ASSERT_NE(it, other.end()) << plan.name.view() << " " << how << ": no " << key;
    EXPECT_DOUBLE_EQ(it->second.first, value.first) << plan.name.view() << " " << how << ": " << key;
    EXPECT_DOUBLE_EQ(it->second.second, value.second) << plan.name.view() << " " << how << ": " << key;
  }
  EXPECT_EQ(other.size(), numbers.size()) << plan.name.view() << " " << how;
}

TEST(Equivalent, NamesOfAxesMeanNothing) {
  int renamed = 0;
  forExamples([&](const Plan& plan, const Numbers& numbers) {
    for (AxisId a : plan.mesh.order) {
      Plan other = plan;
      const Symbol before = plan.mesh.axes[a].name, after(before.str() + "_by_another_name");
      auto rename = [&](Symbol& s) {
        if (s == before) s = after;
      };
      other.mesh.axes[a].name = other.mesh.axes[a].written = after;
      for (PlacementRule& r : other.placements)
        for (Symbol& t : r.targets) rename(t);
      for (StateRule& r : other.states)
        for (Symbol& t : r.targets) rename(t);
      if (other.pipeline) {
        for (Symbol& t : other.pipeline->axes) rename(t);
        if (other.pipeline->scatter) rename(*other.pipeline->scatter);
      }
      expectSame(other, numbers, "with " + after.str());
      ++renamed;
    }
  });
  EXPECT_GE(renamed, 10);
}

TEST(Equivalent, AnAxisIsAGroupOfTwo) {
  int split = 0;
  forExamples([&](const Plan& plan, const Numbers& numbers) {
    for (AxisId a : plan.mesh.order) {
      const int64_t size = plan.mesh.axes[a].size;
      if (size < 4 || size % 2) continue;
      Plan other = plan;
      other.mesh.refine(a, size / 2);
      other.axisPlaces.clear(); // `within` names the axis that is no more
      expectSame(other, numbers, "with " + plan.mesh.axes[a].name.str() + " in two");
      ++split;
    }
  });
  EXPECT_GE(split, 10);
}

} // namespace
} // namespace planc
