// Records the parts of a plan that each pass reads and compares them with its row. One statement of the plan changes
// right before the pass; if the result of the pass changes, the pass read the part of the plan with that statement.
// SPDX-License-Identifier: Apache-2.0
#include "ir/facts/StackFacts.h"
#include "passes/Passes.h"
#include "tests/unit/passes/Changes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace planc::test {
namespace {
using passes::DependsOn;
using passes::Pass;
using passes::PlanPart;

using Parts = std::set<PlanPart>;

void changeSoftware(Plan& plan, Random& random) {
  Stack stack;
  Number keeps;
  keeps.value = static_cast<double>(random() % 3);
  for (const Op& op : plan.model->ops) stack.set(StackFact::Keeps, op.name, keeps);
  plan.stack = std::make_shared<const Stack>(std::move(stack));
}
void changeRecipes(Plan& plan, Random& random) {
  Cluster cluster = *plan.cluster;
  cluster.device.recipes = {random() % 2 ? DType::mxfp8 : DType::fp8_block};
  plan.cluster = std::make_shared<const Cluster>(std::move(cluster));
  if (random() % 2) plan.precision.compute = DType::mxfp8;
}
void changeDevice(Plan& plan, Random&) {
  Cluster cluster = *plan.cluster;
  cluster.device.recipes = {DType::fp8_block};
  plan.cluster = std::make_shared<const Cluster>(std::move(cluster));
}
void changeOverlap(Plan& plan, Random& random) {
  Number share;
  share.value = random() % 2 ? 1 : 0.5;
  plan.overlap.bucket = plan.overlap.blockingShare[CollectiveClass::Activation] = share;
}
void changeStages(Plan& plan, Random& random) {
  plan.pipeline->stages.clear(), plan.pipeline->cut.reset();
  const int drawn = static_cast<int>(random() % 4);
  if (drawn == 1)
    plan.pipeline->stages = {
        {0, {selector("embed"), selector("decoder[0:4]"), selector("decoder[4].norm")}, {}},
        {1, {selector("decoder[4].mlp"), selector("decoder[5:8]"), selector("second"), selector("head")}, {}}};
  if (drawn > 1) plan.pipeline->cut.emplace().cut = StageCut::Counts;
  if (drawn > 1)
    plan.pipeline->cut->counts = drawn == 2 ? std::vector<int64_t>{1, 5, 3, 3} : std::vector<int64_t>{5, 1, 3, 3};
}
void changeSlices(Plan& plan, Random& random) {
  std::erase_if(plan.placements, [](const PlacementRule& r) { return r.selector.steps.size() > 1; });
  if (random() % 2) plan.placements.push_back(rule("decoder[0:4].mlp", "ffn", {"tp"}));
  if (random() % 2) plan.placements.push_back(rule("second.moe", "heads", {"dp", "tp"}));
}
void changeExperts(Plan& plan, Random& random) {
  std::erase_if(plan.placements, [](const PlacementRule& r) { return r.dim == Symbol("experts"); });
  if (random() % 2) plan.placements.push_back(rule("second.moe", "experts", {"dp"}));
}
void changeFirst(Plan& plan, Random&) {
  plan.recompute = {{{selector("decoder")}}};
  plan.recompute.back().first = 1;
}
void changeSlicedKeeps(Plan& plan, Random& random) {
  plan.keeps = {{selector(random() % 2 ? "decoder[0:2]" : "decoder[0:3]"), true, true}};
}
void changeWireTypes(Plan& plan, Random& random) {
  plan.precision.onWire.clear();
  if (random() % 2) plan.precision.onWire[Symbol("dispatch")].result = WireTypes::Said{DType::fp8, {}};
}
void changeImbalance(Plan& plan, Random& random) {
  plan.workload.expertImbalance = random() % 2 ? 1 : 7;
  plan.workload.imbalanceRange = plan.range;
}
void changePhase(Plan& plan, Random& random) {
  for (WorkloadPhase& phase : plan.workload.phases) phase.backward = random() % 2;
}

/// All changes; many plans that they make are refused.
std::vector<Change> allChanges() {
  std::vector<Change> all = kChanges;
  all.insert(all.end(), {{"software", changeSoftware},
                         {"recipes", changeRecipes},
                         {"device", changeDevice},
                         {"overlap", changeOverlap},
                         {"stages", changeStages},
                         {"slices", changeSlices},
                         {"keeps", changeSlicedKeeps},
                         {"experts", changeExperts},
                         {"first", changeFirst},
                         {"wire types", changeWireTypes},
                         {"imbalance", changeImbalance},
                         {"phase", changePhase}});
  return all;
}

Parts partsThat(auto holds) {
  Parts parts;
  for (int p = 0; p < passes::kPlanParts; ++p)
    if (holds(static_cast<PlanPart>(p))) parts.insert(static_cast<PlanPart>(p));
  return parts;
}
Parts declaredBy(const Pass& pass) {
  return partsThat([&](PlanPart part) { return pass.reads.holds(part); });
}

/// The program after a pass as text, or whether the pass refused the plan. The model has what is bound.
template <class P> std::string textOf(const P& program) {
  std::string text = print(program) + print(*program.model);
  for (const Precision& p : program.precisions) text += fmt::format("{}\n", static_cast<int>(p.compute));
  for (const ClassHead& c : program.heads()) text += fmt::format("{} {}\n", c.workingForward, c.workingBackward);
  return text;
}
template <class P> std::string after(const Pass& pass, P program, DiagnosticEngine&& diagnostics = {}) {
  diagnostics.ignoreWarnings();
  bool ok = true;
  if (const auto* run = std::get_if<Pass::OnHead>(&pass.run))
    ok = (*run)(program, diagnostics);
  else if (const auto* onLevel = std::get_if<bool (*)(P&, DiagnosticEngine&)>(&pass.run))
    ok = (*onLevel)(program, diagnostics);
  else if constexpr (std::is_same_v<P, ShardedProgram>)
    return textOf(*std::get<Pass::ToComm>(pass.run)(std::move(program)));
  return ok ? textOf(program) : "refused";
}

/// Records the parts that passes read.
class Recorder {
public:
  /// Changes the plan of a program in every way before the pass. Its model and mesh are those of the program.
  template <class P> void watch(const Pass& pass, const P& program, Random& random) {
    if (pass.on == DependsOn::Plan && pass.reads.empty()) return;
    const Plan& plan = *program.plan;
    const std::string expected = after(pass, program);
    static const std::vector<Change> changes = allChanges();
    for (const Change& change : changes) {
      Plan other = plan;
      change.apply(other, random);
      if (other.mesh != plan.mesh) continue;
      P changed = program;
      changed.plan = &other;
      changed.firstLayers.resize(std::max(changed.firstLayers.size(), other.recompute.size()));
      const std::string found = after(pass, changed);
      // A pass of the whole plan refuses for itself.
      if (found == expected || (pass.on == DependsOn::Plan && (found == "refused" || expected == "refused"))) continue;
      note(pass, change, partsThat([&](PlanPart part) { return !agree(part, plan, other); }));
    }
  }
  /// Runs the passes over a plan, and watches each of them.
  void watchAll(const Plan& plan, Random& random) {
    DiagnosticEngine diagnostics;
    diagnostics.ignoreWarnings();
    auto sharded = passes::programOf(plan);
    std::unique_ptr<Program> comm;
    for (const Pass& pass : passes::pipeline()) {
      if (std::holds_alternative<Pass::ToTasks>(pass.run)) return;
      comm ? watch(pass, *comm, random) : watch(pass, *sharded, random);
      bool ok = true;
      if (const auto* make = std::get_if<Pass::ToComm>(&pass.run))
        comm = (*make)(std::move(*sharded));
      else if (const auto* onComm = std::get_if<Pass::OnComm>(&pass.run))
        ok = (*onComm)(*comm, diagnostics);
      else if (const auto* onSharded = std::get_if<Pass::OnSharded>(&pass.run))
        ok = (*onSharded)(*sharded, diagnostics);
      else
        ok = std::get<Pass::OnHead>(pass.run)(*sharded, diagnostics);
      if (!ok) return;
    }
  }
  /// Parts that alone changed the result of a pass.
  const Parts& readBy(std::string_view pass) { return read_[pass]; }

private:
  void note(const Pass& pass, const Change& change, const Parts& changed) {
    if (changed.size() == 1) read_[pass.name].insert(*changed.begin());
    EXPECT_TRUE(std::any_of(changed.begin(), changed.end(), [&](PlanPart part) { return pass.reads.holds(part); }))
        << "another `" << change.name << "` changes what " << pass.name << " does, whose row does not declare it";
  }
  std::map<std::string_view, Parts> read_;
};

TEST(PassReads, EveryPassReadsThePartsOfThePlanThatItsRowDeclares) {
  Recorder recorder;
  Random random(7);
  for (const std::string& text : {kText, with("moe = blocks.gqa(y, 16, 4, head = 8)"), served()}) {
    const Plan begin = base(text);
    for (int round = 0; round < 60; ++round) {
      Plan plan = begin;
      for (int i = 0; i < 3; ++i) any(random, allChanges()).apply(plan, random);
      recorder.watchAll(plan, random);
    }
  }
  for (const Pass& pass : passes::pipeline())
    for (const PlanPart part : declaredBy(pass))
      EXPECT_TRUE(part == PlanPart::Model || part == PlanPart::Mesh || recorder.readBy(pass.name).contains(part))
          << pass.name << " declares part " << static_cast<int>(part) << ", but no change of it has an effect";
}

} // namespace
} // namespace planc::test
