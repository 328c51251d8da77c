// A program whose layers other plans share is the program that lowering from scratch makes, whatever was changed.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Lowerings.h"
#include "tests/unit/frontend/Compile.h"
#include "tests/unit/support/Build.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace planc::test {
namespace {
using namespace ir;

/// Two repeats, tied embeddings, experts; a mesh of sixteen devices.
const std::string kText = R"(
import std.ops
import std.blocks
import std.optimizers
import std.clusters.hgx
model m {
  in tokens: [batch, seq] int32 counts seq
  embed = blocks.embedding(tokens, 64, 32)
  decoder * 8 with x = embed {
    norm = blocks.rms_norm(x)
    mlp  = blocks.swiglu(norm, 128)
    out x + mlp
  }
  second * 4 with y = decoder { moe = blocks.moe(y, 8, 2, 64); out y + moe }
  head = blocks.tied_head(second, table = embed.table)
  loss = ops.cross_entropy(head, tokens)
}
plan p {
  model = m
  cluster = hgx.hgx_h100(nodes = 2)
  train { seq = 16; global_batch = 64; micro_batch = 1; optimizer = optimizers.adam }
  mesh { tp = 2; ep = 1; dp = 4; pp = 2 }
  place { batch -> dp; decoder.mlp { ffn -> tp }; head, loss { vocab -> tp }; embed { vocab -> tp } }
  pipeline pp { schedule = interleaved_1f1b(chunks = 2) }
}
)";

/// The same with other layers in place of the experts.
std::string with(const std::string& layers) {
  std::string text = kText;
  const std::string experts = "moe = blocks.moe(y, 8, 2, 64)";
  return text.replace(text.find(experts), experts.size(), layers);
}
std::string dense() {
  return with("moe = blocks.swiglu(y, 64)");
}
/// What serves runs a batch of its own on each replica.
std::string served() {
  std::string text = kText;
  const std::string train = "train { seq = 16; global_batch = 64; micro_batch = 1; optimizer = optimizers.adam }";
  return text.replace(text.find(train), train.size(), "infer { seq = 16; batch = 4 }");
}
/// An expert gets 16 · 3 / 10 slots of a sample.
std::string partsOfSlots() {
  return with("moe = blocks.moe(y, 10, 3, 64)");
}

Plan base(const std::string& text = kText) {
  frontend::Folder folder;
  frontend::Session session;
  std::string error;
  if (!session.load(folder.write("p.plan", text), error)) throw std::runtime_error(error);
  auto plans = session.plans();
  std::string reports;
  for (const std::string& r : frontend::reports(session)) reports += r + "\n";
  if (plans.size() != 1) throw std::runtime_error(reports);
  return *plans.front();
}

using Random = std::mt19937;
template <class T> const T& any(Random& random, const std::vector<T>& of) {
  return of[random() % of.size()];
}

void changeMesh(Plan& plan, Random& random) {
  using Sizes = std::vector<std::pair<std::string, int64_t>>;
  plan.mesh = mesh(any<Sizes>(random, {{{"tp", 2}, {"ep", 1}, {"dp", 4}, {"pp", 2}},
                                       {{"tp", 4}, {"ep", 1}, {"dp", 2}, {"pp", 2}},
                                       {{"tp", 1}, {"ep", 1}, {"dp", 16}, {"pp", 1}},
                                       {{"tp", 2}, {"ep", 1}, {"dp", 2}, {"pp", 4}},
                                       {{"dp", 4}, {"tp", 2}, {"ep", 1}, {"pp", 2}},
                                       {{"tp", 2}, {"ep", 1}, {"pp", 4}, {"dp", 2}},
                                       {{"tp", 2}, {"ep", 1}, {"dp", 3}, {"pp", 2}}, // twelve devices: refused
                                       {{"tp", 2}, {"ep", 1}, {"dp", 8}, {"pp", 1}},
                                       {{"dp", 2}, {"tp", 2}, {"ep", 1}, {"pp", 4}},
                                       {{"tp", 1}, {"ep", 2}, {"dp", 4}, {"pp", 2}},
                                       {{"tp", 1}, {"ep", 2}, {"dp", 2}, {"pp", 4}},
                                       {{"tp", 1}, {"ep", 2}, {"dp", 8}, {"pp", 1}},
                                       {{"tp", 2}, {"ep", 2}, {"dp", 2}, {"pp", 2}},
                                       {{"tp", 2}, {"ep", 2}, {"dp", 4}, {"pp", 1}},
                                       {{"dp", 2}, {"ep", 2}, {"tp", 1}, {"pp", 4}}}),
                   {{"node", 8}, {"nodes", 16}});
}
void changeBatches(Plan& plan, Random& random) {
  plan.workload.microBatch = any<int64_t>(random, {1, 2, 4, 3});
  plan.workload.globalBatch = any<int64_t>(random, {64, 128});
}
void changeSchedule(Plan& plan, Random& random) {
  plan.pipeline->schedule =
      Symbol(any<std::string>(random, {"interleaved_1f1b", "one_f_one_b", "gpipe", "zb_h1", "zb_v"}));
  plan.pipeline->arguments.clear();
  if (plan.pipeline->schedule == Symbol("interleaved_1f1b"))
    plan.pipeline->arguments = {{Symbol("chunks"), any<int64_t>(random, {1, 2, 3, 5}), {}}};
}
void changeRecompute(Plan& plan, Random& random) {
  plan.recompute.clear();
  const int drawn = static_cast<int>(random() % 4);
  if (drawn == 0) return;
  plan.recompute.push_back({{selector(drawn == 1 ? "decoder" : "decoder.mlp")}});
  if (drawn == 3) plan.recompute.back().first = 1 + static_cast<int64_t>(random() % 2);
}
void changeStates(Plan& plan, Random& random) {
  plan.states.clear();
  const int level = static_cast<int>(random() % 4);
  const Selector at = selector(random() % 4 == 0 ? "decoder[0:3]" : "");
  if (level > 0) plan.states.push_back({at, StateKind::Optimizer, {Symbol("dp")}, {}});
  if (level > 1) plan.states.push_back({at, StateKind::Grads, {Symbol("dp")}, {}});
  if (level > 2) plan.states.push_back({at, StateKind::Params, {Symbol("dp")}, {}});
}
void changePlacement(Plan& plan, Random& random) {
  std::erase_if(plan.placements,
                [](const PlacementRule& r) { return r.dim == Symbol("seq") || r.dim == Symbol("experts"); });
  if (random() % 2) plan.placements.push_back(rule("decoder", "seq", {"tp"}));
  const bool experts = std::any_of(plan.model->dims.begin(), plan.model->dims.end(),
                                   [](const Dim& d) { return d.name == Symbol("experts"); });
  if (random() % 2 && experts) plan.placements.push_back(rule("second.moe", "experts", {random() % 4 ? "ep" : "dp"}));
  if (random() % 8 == 0) plan.placements.push_back(rule("decoder", "seq", {"pp"})); // a law forbids it
}
/// The samples over one axis or two, with exceptions.
void changeSamples(Plan& plan, Random& random) {
  std::erase_if(plan.placements, [](const PlacementRule& r) { return r.dim == Symbol("batch"); });
  using Targets = std::vector<std::string>;
  const auto drawn = any<Targets>(random, {{"dp"}, {"dp"}, {"dp", "ep"}, {"dp", "ep"}, {"ep", "dp"}, {"dp", "tp"}, {}});
  plan.placements.push_back(rule("", "batch", drawn));
  if (random() % 8 == 0) plan.placements.push_back(rule("decoder", "batch", any<Targets>(random, {{}, {"dp"}})));
}
void changeKeeps(Plan& plan, Random& random) {
  plan.keeps.clear();
  if (random() % 2) plan.keeps.push_back({selector("decoder"), random() % 2 == 0, random() % 2 == 0});
}
void changeFrozen(Plan& plan, Random& random) {
  plan.workload.freeze.clear();
  if (random() % 3 == 0) plan.workload.freeze.push_back(selector(random() % 2 ? "embed" : "decoder[0:2]"));
}
void changePrecision(Plan& plan, Random& random) {
  plan.precision.compute = any<DType>(random, {DType::bf16, DType::fp16});
  plan.precision.grads = any<DType>(random, {DType::bf16, DType::fp32});
}

const std::vector<std::function<void(Plan&, Random&)>> kChanges = {
    changeMesh,      changeBatches, changeSchedule, changeRecompute, changeStates, changeStates,
    changePlacement, changeKeeps,   changeFrozen,   changePrecision, changeSamples};

/// The program as a text, or what was reported.
std::string textOf(const std::unique_ptr<Program>& program, const DiagnosticEngine& diagnostics) {
  std::string text = program ? print(*program) : std::string();
  for (const Diagnostic* d : diagnostics.sorted()) text += d->kind->id() + " " + d->message + "\n";
  return text;
}

/// Changes one thing after the other.
void expectEqualAfterChanges(const std::string& text) {
  const char* more = std::getenv("PLANC_CHANGES");
  const int changes = more ? std::atoi(more) : 5000;
  Random random(12);
  Plan plan = base(text);
  passes::Lowerings lowerings(8);
  int refused = 0;
  for (int i = 0; i < changes; ++i) {
    any(random, kChanges)(plan, random);
    DiagnosticEngine whole, again;
    whole.ignoreWarnings(), again.ignoreWarnings();
    const auto scratch = passes::lower(plan, whole);
    const auto shared = lowerings.lower(plan, again);
    const std::string expected = textOf(scratch, whole);
    ASSERT_EQ(textOf(shared, again), expected) << "change " << i;
    refused += !scratch;
  }
  EXPECT_GT(lowerings.shared(), static_cast<size_t>(changes) / 10);
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, changes * 2 / 3);
}

TEST(Lowerings, AnyChangeGivesWhatLoweringFromScratchGives) {
  expectEqualAfterChanges(kText);
}
TEST(Lowerings, AnyChangeOfAModelWithoutExpertsDoesToo) {
  expectEqualAfterChanges(dense());
}
TEST(Lowerings, AnyChangeOfExpertsWithPartsOfSlotsDoesToo) {
  expectEqualAfterChanges(partsOfSlots());
}

TEST(Lowerings, AnyChangeOfAPlanThatServesDoesToo) {
  expectEqualAfterChanges(served());
}

TEST(Lowerings, MeshesThatDifferInTheSizesOfUnseenAxesShareLayers) {
  using Axes = std::vector<std::pair<std::string, int64_t>>;
  const auto sharesFrom = [](const Plan& from, const Axes& before, const Axes& axes) {
    Plan plan = from, other = from;
    plan.mesh = mesh(before, {{"node", 8}, {"nodes", 16}});
    other.mesh = mesh(axes, {{"node", 8}, {"nodes", 16}});
    passes::Lowerings lowerings;
    DiagnosticEngine diagnostics;
    diagnostics.ignoreWarnings();
    plan.pipeline->arguments[0].value = other.pipeline->arguments[0].value = 1;
    EXPECT_TRUE(lowerings.lower(plan, diagnostics)) << textOf({}, diagnostics);
    EXPECT_TRUE(lowerings.lower(other, diagnostics)) << textOf({}, diagnostics);
    return lowerings.shared() == 1;
  };
  const auto shares = [&](const std::string& text, const Axes& axes) {
    return sharesFrom(base(text), {{"tp", 2}, {"dp", 4}, {"pp", 2}}, axes);
  };
  EXPECT_TRUE(shares(dense(), {{"tp", 2}, {"dp", 2}, {"pp", 4}}));  // samples and stages alone
  EXPECT_FALSE(shares(dense(), {{"tp", 4}, {"dp", 2}, {"pp", 2}})); // feed-forward is split over it
  EXPECT_FALSE(shares(dense(), {{"dp", 4}, {"tp", 2}, {"pp", 2}})); // where it lies decides what its sums take
  EXPECT_TRUE(shares(dense(), {{"tp", 2}, {"dp", 8}, {"pp", 1}}));
  EXPECT_TRUE(shares(kText, {{"tp", 2}, {"dp", 2}, {"pp", 4}}));
  EXPECT_FALSE(shares(partsOfSlots(), {{"tp", 2}, {"dp", 2}, {"pp", 4}})); // what a rank holds may be rounded

  // Experts over the minor one of the axes that split the samples.
  Plan plan = base(kText);
  plan.placements = {rule("second.moe", "experts", {"ep"}), rule("", "batch", {"dp", "ep"})};
  EXPECT_TRUE(sharesFrom(plan, {{"ep", 2}, {"dp", 4}, {"pp", 2}}, {{"ep", 2}, {"dp", 2}, {"pp", 4}}));
  EXPECT_FALSE(sharesFrom(plan, {{"ep", 2}, {"dp", 4}, {"pp", 2}}, {{"ep", 4}, {"dp", 2}, {"pp", 2}}));
  const Axes without = {{"ep", 2}, {"dp", 1}, {"pp", 4}, {"tp", 2}}; // no digit
  EXPECT_FALSE(sharesFrom(plan, {{"ep", 2}, {"dp", 2}, {"pp", 4}, {"tp", 1}}, without));
  plan.placements.back() = rule("", "batch", {"ep", "dp"});
  EXPECT_FALSE(sharesFrom(plan, {{"ep", 2}, {"dp", 4}, {"pp", 2}}, {{"ep", 2}, {"dp", 2}, {"pp", 4}}));
}

TEST(Lowerings, PlansThatDifferInWhatIsNoLayersShareThem) {
  Plan plan = base();
  passes::Lowerings lowerings;
  DiagnosticEngine diagnostics;
  diagnostics.ignoreWarnings();
  const auto first = lowerings.lower(plan, diagnostics);
  Plan other = plan;
  other.states.push_back({selector(""), StateKind::Optimizer, {Symbol("dp")}, {}});
  other.pipeline->arguments[0].value = 3;
  const auto second = lowerings.lower(other, diagnostics);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(lowerings.lowered(), 1u);
  EXPECT_EQ(lowerings.shared(), 1u);
  EXPECT_TRUE(first->classes[LayerClassId(1)].forward.sharedWith(second->classes[LayerClassId(1)].forward));
  EXPECT_NE(first->virtualStages.size(), second->virtualStages.size());
}

TEST(Lowerings, OnlyTheLastGroupsAreKept) {
  Plan plan = base();
  passes::Lowerings lowerings(2);
  DiagnosticEngine diagnostics;
  diagnostics.ignoreWarnings();
  for (int64_t micro : {1, 2, 4, 1}) {
    plan.workload.microBatch = micro;
    ASSERT_TRUE(lowerings.lower(plan, diagnostics));
  }
  EXPECT_EQ(lowerings.lowered(), 4u);
}

} // namespace
} // namespace planc::test
