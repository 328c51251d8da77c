// A walk decides every candidate as its plan by itself would be, whatever the threads, and keeps the best.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/Estimator.h"
#include "bench/Loaded.h"
#include "passes/Passes.h"
#include "search/Walk.h"

#include <gtest/gtest.h>

namespace planc::search {
namespace {

/// One plan, whatever the outer choices say.
class Fixed : public PlanSource {
public:
  explicit Fixed(const ir::Plan& plan) : plan_(plan) {}
  std::unique_ptr<ir::Plan> plan(std::span<const uint32_t>, std::optional<int64_t>, DiagnosticEngine&) override {
    return std::make_unique<ir::Plan>(plan_);
  }

private:
  const ir::Plan& plan_;
};

ir::Choice inner(std::string path, const std::vector<std::pair<std::string, ir::PlanEdit>>& values) {
  ir::Choice made;
  made.paths = {std::move(path)};
  made.inner = true;
  made.lists.emplace_back();
  for (const auto& [text, edit] : values) {
    made.lists[0].push_back(static_cast<uint32_t>(made.values.size()));
    made.values.push_back({{text}, edit});
  }
  return made;
}

ir::Choice axis(const std::string& name, const std::vector<int64_t>& sizes) {
  std::vector<std::pair<std::string, ir::PlanEdit>> values;
  for (const int64_t size : sizes) {
    ir::PlanEdit edit;
    edit.axes = {{Symbol(name), size}};
    values.emplace_back(std::to_string(size), edit);
  }
  return inner("mesh." + name, values);
}

ir::Choice microBatch(const std::vector<int64_t>& sizes) {
  std::vector<std::pair<std::string, ir::PlanEdit>> values;
  for (const int64_t size : sizes) {
    ir::PlanEdit edit;
    edit.microBatch = size;
    values.emplace_back(std::to_string(size), edit);
  }
  return inner("train.micro_batch", values);
}

ir::ExprId leaf(ir::ExprTree& tree, ir::ExprOp op, std::string metric, double constant = 0, Unit unit = {}) {
  ir::ExprNode node;
  node.op = op;
  node.metric = std::move(metric);
  node.constant.quantity = {constant, unit};
  return tree.nodes.add(std::move(node));
}

/// `path < limit`
ir::Condition below(ir::ExprOp op, const std::string& path, double limit, Unit unit = {}) {
  ir::Condition made;
  ir::ExprNode node;
  node.op = ir::ExprOp::Lt;
  const ir::ExprId left = leaf(made.tree, op, path);
  node.kids = {left, leaf(made.tree, ir::ExprOp::Constant, "", limit, unit)};
  made.tree.root = made.tree.nodes.add(std::move(node));
  return made;
}

ir::Goal least(const std::string& metric) {
  ir::Goal made;
  made.tree.root = leaf(made.tree, ir::ExprOp::Metric, metric);
  return made;
}

/// GPT-3 on 512 A100: 4 * 6 * 4 candidates, of which some have no whole rest, some break a law, some do not fit.
class Walks : public testing::Test {
protected:
  Walks() : loaded(PLANC_SOURCE_DIR "/bench/search.plan", "gpt3_512"), plan(*loaded.plans[0]) {
    space.choices = {axis("tp", {1, 2, 4, 8}), axis("pp", {1, 5, 8, 16, 32, 96}), microBatch({1, 2, 4, 1024})};
    space.fill = Symbol("dp");
  }
  Answer answer(unsigned threads = 1, size_t conditions = 0, size_t top = 5, bool bounds = false) {
    return walk(space, conditions, [&] { return std::make_unique<Fixed>(plan); }, {threads, top, bounds, nullptr});
  }

  /// Eight schedules, parameters sharded or not.
  void addSchedules() {
    std::vector<std::pair<std::string, ir::PlanEdit>> schedules, states;
    for (const char* name :
         {"one_f_one_b", "gpipe", "interleaved_1f1b", "paired_1f1b", "zb_h1", "zb_v", "dualpipe", "dualpipe_v"}) {
      ir::PlanEdit edit;
      edit.schedule = ir::ScheduleEdit{Symbol(name), {}};
      schedules.emplace_back(name, edit);
    }
    for (const bool sharded : {true, false}) {
      ir::StateRule rule;
      rule.state = ir::StateKind::Params;
      if (sharded) rule.targets = {Symbol("dp")};
      ir::PlanEdit edit;
      edit.states = {rule};
      states.emplace_back(sharded ? "dp" : "replicate", edit);
    }
    space.choices.push_back(inner("pipeline.schedule", schedules));
    space.choices.push_back(inner("states.params ->", states));
  }

  bench::Loaded loaded;
  ir::Plan plan;
  ir::Space space;
};

std::string shown(const Answer& answer, const ir::Space& space) {
  std::string text;
  for (const auto* list : {&answer.best(), &answer.front()})
    for (const Outcome& o : *list) text += std::to_string(o.id) + " " + std::to_string(o.goals[0]) + "\n";
  for (size_t c = 0; c < space.choices.size(); ++c)
    for (uint32_t v = 0; v < space.choices[c].values.size(); ++v)
      text += answer.bestOf(c, v) ? std::to_string(answer.bestOf(c, v)->id) + " " : "- ";
  for (int f = 0; f < kFates; ++f) text += std::to_string(answer.of(static_cast<Fate>(f)).count) + " ";
  return text;
}

TEST_F(Walks, DecideAsEachPlanByItself) {
  Candidates candidates(space, std::make_unique<Fixed>(plan));
  Answer byHand(space, 0, 5);
  int fates[kFates] = {};
  for (ir::CandidateId id = 0; id < *space.end(); ++id) {
    const Outcome found = candidates.price(id);
    ++fates[static_cast<int>(found.fate)];
    byHand.add(found);
    DiagnosticEngine why;
    const auto made = candidates.plan(id, why);
    const auto program = made ? passes::lower(*made, why) : nullptr;
    const auto whole = program ? cost::estimate(*passes::schedule(*program), why) : nullptr;
    ASSERT_EQ(found.priced(), whole != nullptr) << space.str(id);
    if (!whole) continue;
    EXPECT_EQ(found.stepTime, whole->totals.stepTime) << space.str(id);
    EXPECT_EQ(found.peak, whole->memory.peak) << space.str(id);
    EXPECT_EQ(found.fate == Fate::Met, whole->memory.fits) << space.str(id);
  }
  EXPECT_EQ(fates[static_cast<int>(Fate::Rest)], 32) << "neither 5 nor 96 stages divide 512 devices";
  EXPECT_GT(fates[static_cast<int>(Fate::Unlawful)], 0);
  EXPECT_GT(fates[static_cast<int>(Fate::Unfit)], 0);
  EXPECT_GT(fates[static_cast<int>(Fate::Met)], 0);
  EXPECT_EQ(shown(byHand, space), shown(answer(), space));
}

TEST_F(Walks, ThreadsChangeNothing) {
  const std::string one = shown(answer(1), space);
  EXPECT_EQ(one, shown(answer(2), space));
  EXPECT_EQ(one, shown(answer(7), space));
}

TEST_F(Walks, TheBestComeFirstAndEachValueHasItsBest) {
  const Answer found = answer();
  ASSERT_EQ(found.best().size(), 5u);
  for (size_t i = 1; i < found.best().size(); ++i) EXPECT_TRUE(before(found.best()[i - 1], found.best()[i]));
  EXPECT_EQ(found.front().size(), 1u);
  EXPECT_EQ(found.front()[0].id, found.best()[0].id);
  const std::vector<uint32_t> digits = space.digits(found.best()[0].id);
  for (size_t i = 0; i < digits.size(); ++i) EXPECT_EQ(found.bestOf(i, digits[i])->id, found.best()[0].id);
  EXPECT_EQ(found.bestOf(1, 1), nullptr) << "nothing has five stages";
}

TEST_F(Walks, ConditionsOnChoicesCutBeforeAnythingIsPriced) {
  auto terms = std::make_shared<ir::SearchTerms>();
  terms->conditions.push_back(below(ir::ExprOp::Fact, "mesh.dp", 9));
  plan.search = terms;
  const Answer found = answer(1, 1);
  EXPECT_GT(found.of(Fate::Cut).count, 0u);
  EXPECT_EQ(found.unmet()[0].count, found.of(Fate::Cut).count);
  Candidates candidates(space, std::make_unique<Fixed>(plan));
  for (const Outcome& o : found.best()) {
    DiagnosticEngine why;
    EXPECT_LT(ir::replicas(*candidates.plan(o.id, why)), 9);
  }
}

/// What is kept is the same with bounds, whatever the threads; and bounds spare something.
TEST_F(Walks, BoundsChangeNothingThatIsKept) {
  const auto kept = [&](const Answer& answer) {
    std::string text;
    for (const Outcome& o : answer.best()) text += std::to_string(o.id) + " ";
    return text;
  };
  space.choices[2] = microBatch({1, 4});
  addSchedules();
  const Answer all = answer(1, 0, 1, false);
  for (const unsigned threads : {1u, 2u, 7u}) EXPECT_EQ(kept(all), kept(answer(threads, 0, 1, true)));
  const Answer bounded = answer(1, 0, 1, true);
  EXPECT_LT(bounded.priced(), all.priced());
  EXPECT_EQ(bounded.candidates(), all.candidates());
}

/// No floor is above the estimate, whichever plan of its group it was found from.
TEST_F(Walks, FloorsAreNeverAboveTheEstimate) {
  space.choices[2] = microBatch({1, 4, 32});
  addSchedules();
  Candidates candidates(space, std::make_unique<Fixed>(plan));
  int bounded = 0, tight = 0, closer = 0, held = 0;
  for (ir::CandidateId id = 0; id < *space.end(); ++id) {
    DiagnosticEngine why;
    const auto made = candidates.plan(id, why);
    Engine& engine = candidates.engine();
    const double floor = made ? engine.stepFloor(*made) : 0;
    const Outcome found = candidates.price(id);
    if (!found.priced() || floor == 0) continue;
    const double products = engine.productFloor(*made);
    EXPECT_GT(products, 0) << space.str(id);
    EXPECT_LE(products, floor) << space.str(id);
    EXPECT_LE(floor, found.stepTime) << space.str(id);
    const auto program = engine.lower(*made, why);
    const auto schedule = engine.schedule(*program);
    EXPECT_LE(engine.stepFloor(*schedule), found.stepTime) << space.str(id);
    closer += engine.stepFloor(*schedule) > floor;
    const auto memory = engine.memory(*schedule);
    held += memory.has_value();
    EXPECT_EQ(memory ? memory->peak : found.peak, found.peak) << space.str(id);
    tight += floor > 0.6 * found.stepTime; // else stages idle most of the time
    ++bounded;
  }
  EXPECT_GT(bounded, 300);
  EXPECT_GT(tight, bounded / 5);
  EXPECT_GT(closer, bounded / 2);
  EXPECT_GT(held, bounded / 2);
}

/// What is said of the rest of a walk that was stopped holds for all of it.
TEST_F(Walks, ARestIsNoBetterThanItsLeast) {
  addSchedules();
  const Answer all = answer(1, 0, 3, false);
  Progress progress;
  progress.stop = true;
  walk(space, 0, [&] { return std::make_unique<Fixed>(plan); }, {1, 3, true, &progress});
  EXPECT_EQ(progress.blocks, 0u);
  EXPECT_GT(progress.least, 0.2 * all.best()[0].stepTime);
  EXPECT_LE(progress.least, all.best()[0].stepTime);
}

/// What a condition costs: the best of all candidates is the best of those that miss it alone.
TEST_F(Walks, AConditionOnMetricsSaysWhatItCosts) {
  const Outcome best = answer().best()[0];
  auto terms = std::make_shared<ir::SearchTerms>();
  terms->conditions.push_back(below(ir::ExprOp::Metric, "memory.peak", best.peak, units::bytes));
  plan.search = terms;
  const Answer found = answer(1, 1);
  ASSERT_TRUE(found.bestWithout(0));
  EXPECT_EQ(found.bestWithout(0)->id, best.id);
  EXPECT_GT(found.best()[0].stepTime, best.stepTime);
  EXPECT_LT(found.best()[0].peak, best.peak);
}

TEST_F(Walks, TwoGoalsHaveAFront) {
  auto terms = std::make_shared<ir::SearchTerms>();
  terms->goals = {least("step_time"), least("memory.peak")};
  plan.search = terms;
  const Answer found = answer();
  ASSERT_GT(found.front().size(), 1u);
  for (size_t i = 1; i < found.front().size(); ++i) {
    EXPECT_GT(found.front()[i].stepTime, found.front()[i - 1].stepTime);
    EXPECT_LT(found.front()[i].peak, found.front()[i - 1].peak);
  }
}

/// Answers about parts add up in any order, also where a part has nothing.
TEST_F(Walks, AnswersAddUp) {
  Candidates candidates(space, std::make_unique<Fixed>(plan));
  std::vector<Answer> parts(4, Answer(space, 0, 5));
  for (ir::CandidateId id = 0; id < *space.end(); ++id) parts[id % 3].add(candidates.price(id));
  Answer forward(space, 0, 5), backward(space, 0, 5);
  for (size_t i = 0; i < parts.size(); ++i) forward.add(parts[i]), backward.add(parts[parts.size() - 1 - i]);
  EXPECT_EQ(shown(forward, space), shown(answer(), space));
  EXPECT_EQ(shown(backward, space), shown(answer(), space));
}

} // namespace
} // namespace planc::search
