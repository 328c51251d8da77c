// Changes of a plan as data: the same numbers as its text with the change written down, and as `--set`.
// SPDX-License-Identifier: Apache-2.0
#include "api/PlanFile.h"
#include "api/Texts.h"
#include "tests/unit/frontend/Compile.h"
#include "tests/unit/support/PlanFiles.h"

#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace planc::api {
namespace {

const std::string kExamples = PLANC_SOURCE_DIR "/examples/";

std::string path(const std::string& example) {
  return kExamples + example + ".plan";
}

std::unique_ptr<Compilation> bound(PlanFile& file, const std::string& example, const std::string& plan) {
  std::string error;
  EXPECT_TRUE(file.load(path(example), error)) << error;
  return file.bind(plan);
}

std::vector<std::string> codes(const DiagnosticEngine& diagnostics) {
  std::vector<std::string> out;
  for (const Diagnostic* d : diagnostics.sorted()) out.push_back(d->kind->id());
  return out;
}

ir::Selector selector(const std::string& text) {
  return {*ir::parseLayerRef(text), {}};
}

ir::Recompute recompute(const std::string& text) {
  ir::Recompute made;
  made.selectors = {selector(text)};
  return made;
}

ir::PlacementRule placed(const std::string& where, const std::string& dim, std::vector<Symbol> axes) {
  ir::PlacementRule rule;
  if (!where.empty()) rule.selector = selector(where);
  rule.dim = Symbol(dim);
  rule.targets = std::move(axes);
  return rule;
}

/// Bit for bit; both refused is equal, too.
void expectSame(Compilation& one, Compilation& other, const std::string& what) {
  const bool priced = one.priceAlone(), otherPriced = other.priceAlone();
  ASSERT_EQ(priced, otherPriced) << what;
  if (!priced) return;
  EXPECT_EQ(one.estimate()->totals.stepTime, other.estimate()->totals.stepTime) << what;
  EXPECT_EQ(one.estimate()->totals.mfu, other.estimate()->totals.mfu) << what;
  EXPECT_EQ(one.estimate()->memory.peak, other.estimate()->memory.peak) << what;
}

struct Case {
  std::string example, plan;
  std::function<void(ir::PlanEdit&)> edit;
};

/// One of each kind of change, and some together.
std::vector<Case> cases() {
  static const auto sizes = [](ir::PlanEdit& e) { e.axes = {{Symbol("tp"), 4}, {Symbol("dp"), 2}}; };
  return {
      {"gpt3_175b", "gpt3_175b", sizes},
      {"gpt3_175b", "gpt3_175b", [](ir::PlanEdit& e) { e.microBatch = 2; }},
      {"gpt3_175b", "gpt3_175b", [](ir::PlanEdit& e) { e.globalBatch = 128; }},
      {"gpt3_175b", "gpt3_175b",
       [](ir::PlanEdit& e) {
         e.facts = {{"train.micro_batch", "0.2e1"}, {"train.global_batch", "1.28e2"}};
       }},
      {"gpt3_175b", "gpt3_175b",
       [](ir::PlanEdit& e) {
         e.facts = {{"mesh.tp", ".4e1"}, {"mesh.dp", "2"}};
       }},
      {"gpt3_175b", "gpt3_175b",
       [](ir::PlanEdit& e) {
         e.schedule = {Symbol("one_f_one_b"), {}};
       }},
      {"gpt3_175b", "gpt3_175b",
       [](ir::PlanEdit& e) {
         e.schedule = {Symbol("interleaved_1f1b"), {{Symbol("chunks"), 2, {}}}};
       }},
      {"gpt3_175b", "gpt3_175b", [](ir::PlanEdit& e) { e.recompute = {recompute("decoder")}; }},
      {"gpt3_175b", "gpt3_175b", [](ir::PlanEdit& e) { e.recompute = std::vector<ir::Recompute>{}; }},
      {"gpt3_175b", "gpt3_175b", [](ir::PlanEdit& e) { e.placements = {placed("decoder", "seq", {})}; }},
      {"gpt3_175b", "gpt3_175b_full",
       [](ir::PlanEdit& e) { e.placements = {placed("decoder", "seq", {Symbol("tp")})}; }},
      {"gpt3_175b", "gpt3_175b",
       [](ir::PlanEdit& e) {
         sizes(e);
         e.states = {{{}, ir::StateKind::Params, {Symbol("dp")}, {}}};
       }},
      {"llama3_8b_ways", "base", [](ir::PlanEdit& e) { e.recompute = {recompute("decoder.attn")}; }},
      {"llama3_8b_ways", "base",
       [](ir::PlanEdit& e) {
         e.facts = {{"software.unattributed", "1.5"}, {"cluster.node.bandwidth", "100GB/s"}};
       }},
      {"gpt3_175b", "gpt3_175b",
       [](ir::PlanEdit& e) {
         e.facts = {{"cluster.device.bandwidth", "1TB/s"},
                    {"cluster.device.memory", "40GB"},
                    {"cluster.device.host.bandwidth", "20GB/s"},
                    {"cluster.device.calibration.memory.efficiency", "0.5"}};
       }},
      {"gpt3_175b", "gpt3_175b",
       [](ir::PlanEdit& e) {
         e.facts = {{"cluster.nodes.link.start", "9us"},
                    {"cluster.nodes.bandwidth", "50GB/s"},
                    {"cluster.node.link.send_recv.efficiency", "0.5"},
                    {"cluster.jitter", "3%"}};
       }},
      {"mixtral_ep", "mixtral_8x7b",
       [](ir::PlanEdit& e) {
         e.facts = {{"train.expert_imbalance", "1.2"}};
       }},
      {"gpt3_175b", "gpt3_175b",
       [](ir::PlanEdit& e) {
         sizes(e);
         e.microBatch = 2;
         e.recompute = {recompute("decoder.attn.core")};
         e.states = {{{}, ir::StateKind::Optimizer, {Symbol("dp")}, {}}};
         e.facts = {{"software.jitter", "2%"}};
       }},
  };
}

TEST(PlanEdit, PricesAsThePlanThatSaysIt) {
  int i = 0;
  for (const Case& c : cases()) {
    SCOPED_TRACE(i++);
    PlanFile file;
    const auto plan = bound(file, c.example, c.plan);
    ASSERT_TRUE(plan);
    ir::PlanEdit edit;
    c.edit(edit);
    const auto changed = plan->with(edit);
    EXPECT_TRUE(codes(changed->diagnostics()).empty());
    DiagnosticEngine why;
    const auto text = planText(*plan, edit, "edited", why);
    ASSERT_TRUE(text);
    EXPECT_TRUE(why.empty());
    PlanFile again;
    again.loadText(path(c.example), test::readFile(path(c.example)) + "\n" + *text);
    const auto derived = again.bind("edited");
    ASSERT_TRUE(derived) << *text << (codes(again.diagnostics()).empty() ? "" : codes(again.diagnostics())[0]);
    expectSame(*changed, *derived, *text);
  }
}

const std::string kServed = R"(
import std.blocks
import std.clusters.hgx
import std.stacks.megatron
model m {
  in tokens: [batch, seq] int32 counts seq
  embed = blocks.embedding(tokens, 64, 32)
  decoder * 8 with x = embed { mlp = blocks.swiglu(x, 128); out x + mlp }
  head = blocks.lm_head(decoder, 64)
}
plan served {
  model = m
  cluster = hgx.hgx_h100(nodes = 2)
  software = megatron.megatron_2022
  infer { batch = 64; seq = 16 }
  mesh { tp = 2; dp = 4; pp = 2 }
  place { batch -> dp; decoder.mlp { ffn -> tp } }
  pipeline pp { schedule = one_f_one_b }
}
)";

/// What one replica runs at once is the plan's, what all of them do follows from it.
TEST(PlanEdit, PlansThatServeFollowTheirBatchAndMesh) {
  PlanFile file;
  file.loadText("served.plan", kServed);
  const auto plan = file.bind("served");
  ASSERT_TRUE(plan && plan->priceAlone());
  ir::PlanEdit mesh, batch, fact;
  mesh.axes = {{Symbol("dp"), 2}, {Symbol("pp"), 4}};
  batch.microBatch = 32;
  fact.facts = {{"infer.batch", "32"}};
  for (const ir::PlanEdit& edit : {mesh, batch, fact}) {
    const auto changed = plan->with(edit);
    DiagnosticEngine why;
    const auto text = planText(*plan, edit, "edited", why);
    ASSERT_TRUE(text) << codes(why)[0];
    PlanFile again;
    again.loadText("served.plan", kServed + *text);
    const auto derived = again.bind("edited");
    ASSERT_TRUE(derived) << *text;
    expectSame(*changed, *derived, *text);
    EXPECT_NE(changed->estimate()->memory.peak, plan->estimate()->memory.peak);
  }
  const auto refused = plan->with({.globalBatch = 512});
  EXPECT_EQ(codes(refused->diagnostics()), std::vector<std::string>{"PLAN0930"});
  const auto many = plan->with({.microBatch = int64_t(1) << 52});
  EXPECT_EQ(codes(many->diagnostics()), std::vector<std::string>{"PLAN0934"});
}

std::string bareDevice(const std::string& word) {
  return "import std.devices\nimport std.fabrics\n" + word +
         "device bare extends devices.a100_sxm4_80gb { override memory = 64GB }\n"
         "export cluster ours {\n  device = bare\n  level node * 64 {\n    link = fabrics.nvlink3\n    bandwidth = "
         "300GB/s\n"
         "    latency = 2us\n    topology = switch\n  }\n}\n";
}

/// A record of another file is imported; one that the file keeps to itself is not, which is said.
TEST(PlanEdit, RecordsOfOtherFilesAreDerivedWhereTheyAreExported) {
  const ir::PlanEdit edit{.facts = {{"cluster.device.memory", "40GB"}, {"cluster.node.link.sampled_at", "200GB/s"}}};
  const std::string text =
      "import \"ours.plan\" as ours\n" + test::readFile(path("gpt3_175b")) +
      "\nplan mine extends gpt3_175b {\n  override cluster = ours.ours\n  override mesh = { tp = 8 "
      "within node; dp = 1; pp = 8 }\n}\n";
  for (const std::string word : {"export ", ""}) {
    frontend::Folder folder;
    folder.write("ours.plan", bareDevice(word));
    PlanFile file, again;
    std::string error;
    ASSERT_TRUE(file.load(folder.write("mine.plan", text), error));
    const auto plan = file.bind("mine");
    ASSERT_TRUE(plan) << file.diagnostics().sorted()[0]->message;
    DiagnosticEngine why;
    const auto written = planText(*plan, edit, "edited", why);
    ASSERT_EQ(written.has_value(), !word.empty());
    if (!written) {
      EXPECT_EQ(codes(why), std::vector<std::string>{"PLAN0936"});
      EXPECT_FALSE(why.sorted()[0]->help.empty());
      continue;
    }
    ASSERT_TRUE(again.load(folder.write("again.plan", text + *written), error));
    const auto derived = again.bind("edited");
    ASSERT_TRUE(derived) << *written << again.diagnostics().sorted()[0]->message;
    expectSame(*plan->with(edit), *derived, *written);
  }
}

TEST(PlanEdit, WhatNoPlanCanSayHasAReason) {
  PlanFile file;
  std::string error;
  ASSERT_TRUE(file.load(path("llama3_8b_ways"), error));
  const auto comparisons = file.comparisons("ways");
  ASSERT_EQ(comparisons.size(), 1u);
  DiagnosticEngine why, wrong;
  EXPECT_FALSE(planText(*comparisons[0].plans[0], {.microBatch = 2}, "edited", why));
  EXPECT_EQ(codes(why), std::vector<std::string>{"PLAN0936"});
  EXPECT_FALSE(planText(*file.bind("base"), {.facts = {{"mesh.tp", "much"}}}, "edited", wrong));
  EXPECT_EQ(codes(wrong), std::vector<std::string>{"PLAN0934"});
  const auto base = file.bind("base");
  const auto changed = base->with({.microBatch = 2});
  for (const auto& [plan, name] : {std::pair{changed.get(), "edited"}, {base.get(), "base"}, {base.get(), "then"}}) {
    DiagnosticEngine refused;
    EXPECT_FALSE(planText(*plan, {.globalBatch = 128}, name, refused)) << name;
    EXPECT_EQ(codes(refused), std::vector<std::string>{"PLAN0936"}) << name;
  }
}

TEST(PlanEdit, TheScheduleThatThePlanHasIsNotSaidAgain) {
  PlanFile file;
  const auto plan = bound(file, "gpt3_175b", "gpt3_175b");
  const ir::Pipeline& pipeline = *plan->plan().pipeline;
  DiagnosticEngine why;
  const auto text = planText(
      *plan, {.microBatch = 2, .schedule = ir::ScheduleEdit{pipeline.schedule, pipeline.arguments}}, "edited", why);
  ASSERT_TRUE(text);
  EXPECT_EQ(text->find("pipeline"), std::string::npos) << *text;
}

TEST(PlanEdit, ACutIsSaidWithTheWholePipeline) {
  PlanFile file;
  const auto plan = bound(file, "gpt3_175b", "gpt3_175b");
  const ir::Pipeline& pipeline = *plan->plan().pipeline;
  DiagnosticEngine why;
  const auto text = planText(*plan, {.cut = ir::Stages{ir::StageCut::Balanced, {}, {}, {}, {}}}, "edited", why);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("schedule = " + pipeline.schedule.str()), std::string::npos) << *text;
  EXPECT_NE(text->find("stages = balanced"), std::string::npos) << *text;
}

TEST(PlanEdit, ChangesSomething) {
  for (const Case& c : cases()) {
    PlanFile file;
    const auto plan = bound(file, c.example, c.plan);
    ir::PlanEdit edit;
    c.edit(edit);
    const auto changed = plan->with(edit);
    if (!plan->priceAlone() || !changed->priceAlone()) continue;
    EXPECT_TRUE(plan->estimate()->totals.stepTime != changed->estimate()->totals.stepTime ||
                plan->estimate()->memory.peak != changed->estimate()->memory.peak)
        << c.plan;
  }
}

/// Facts by path: with the frontend and without it.
TEST(PlanEdit, FactsAreWhatSetMakesOfThem) {
  const std::vector<std::vector<ir::FactEdit>> facts{
      {{"train.micro_batch", "2"}},
      {{"mesh.tp", "4"}, {"mesh.dp", "2"}},
      {{"cluster.device.memory", "40GB"}},
      {{"cluster.device.bandwidth", "1TB/s"}},
      {{"cluster.node.bandwidth", "450GB/s"}},
      {{"software.unattributed", "1.2"}},
      {{"software.slowdown", "10%"}},
      {{"software.launch", "5us"}, {"software.inline.gradient", "1"}},
      {{"cluster.nodes.link.start", "90us"}},
  };
  for (const auto& edits : facts) {
    PlanFile plain, set;
    const auto plan = bound(plain, "gpt3_175b", "gpt3_175b");
    ir::PlanEdit edit;
    edit.facts = edits;
    std::string error;
    ASSERT_TRUE(set.load(path("gpt3_175b"), error));
    ASSERT_TRUE(set.set(edit.facts));
    const auto read = set.bind("gpt3_175b");
    ASSERT_TRUE(read) << edits[0].path;
    const auto changed = plan->with(edit);
    expectSame(*changed, *read, edits[0].path);
    if (!changed->estimate() || !read->estimate()) continue;
    EXPECT_EQ(changed->estimate()->totals.confidence.low, read->estimate()->totals.confidence.low) << edits[0].path;
    EXPECT_EQ(changed->estimate()->totals.confidence.high, read->estimate()->totals.confidence.high) << edits[0].path;
  }
}

TEST(PlanEdit, SaysWhatDoesNotFit) {
  const std::vector<std::tuple<std::string, std::string, std::string>> wrong{
      {"mesh.tq", "4", "PLAN0930"},
      {"mesh.tp", "2.5", "PLAN0934"},
      {"mesh.tp", "0", "PLAN0934"},
      {"cluster.nod.bandwidth", "1GB/s", "PLAN0930"},
      {"cluster.node.bandwidth", "1", "PLAN0934"},
      {"cluster.device.memory", "fast", "PLAN0934"},
      {"software.jitter", "200", "PLAN0934"},
      {"train.seq", "4096", "PLAN0935"},
      {"model.layers", "4", "PLAN0935"},
      {"software.platform", "cuda", "PLAN0935"},
  };
  PlanFile file;
  const auto plan = bound(file, "gpt3_175b", "gpt3_175b");
  for (const auto& [path, value, code] : wrong) {
    ir::PlanEdit edit;
    edit.facts = {{path, value}};
    const auto changed = plan->with(edit);
    EXPECT_EQ(codes(changed->diagnostics()), std::vector<std::string>{code}) << path;
    EXPECT_FALSE(changed->priceAlone()) << path;
  }
  ir::PlanEdit edit;
  edit.axes = {{Symbol("nothing"), 2}};
  EXPECT_EQ(codes(plan->with(edit)->diagnostics()), std::vector<std::string>{"PLAN0930"});
}

TEST(PlanEdit, NamesWhatIsThere) {
  ir::Recompute saved = recompute("decoder"), none = recompute("decoder"), far = recompute("decoder[0:1000]");
  saved.saves = {selector("attn.x")};
  none.first = -1;
  ir::Recompute backwards = recompute("decoder[2:5]");
  backwards.selectors[0].steps[0].slice->ranges[0].step = 0;
  const auto states = [](const std::string& where, const char* axis) {
    return ir::PlanEdit{.states = {{selector(where), ir::StateKind::Optimizer, {Symbol(axis)}, {}}}};
  };
  const auto chunks = [](const char* schedule, int64_t n) {
    return ir::PlanEdit{.schedule = ir::ScheduleEdit{Symbol(schedule), {{Symbol("chunks"), n, {}}}}};
  };
  const std::vector<std::pair<ir::PlanEdit, std::string>> wrong{
      {{.recompute = {{recompute("decoder.atn.core")}}}, "PLAN0930"},
      {{.recompute = {{recompute("encoder")}}}, "PLAN0930"},
      {{.recompute = {{saved}}}, "PLAN0930"},
      {{.recompute = {{none}}}, "PLAN0934"},
      {{.recompute = {{far}}}, "PLAN0934"},
      {{.recompute = {{ir::Recompute{}}}}, "PLAN0934"},
      {{.recompute = {{backwards}}}, "PLAN0934"},
      {{.placements = {placed("decoder", "seq", {Symbol("tq")})}}, "PLAN0930"},
      {{.placements = {placed("decodr", "seq", {Symbol("tp")})}}, "PLAN0930"},
      {states("decoder", "zz"), "PLAN0930"},
      {states("decodr", "dp"), "PLAN0930"},
      {{.keeps = {{selector("decoder.nrm1"), false, false}}}, "PLAN0930"},
      {{.axes = {{Symbol("tp"), 4}, {Symbol("dp"), 2}, {Symbol("tp"), 2}}}, "PLAN0934"},
      {chunks("interleaved_1f1b", 0), "PLAN0934"},
      {chunks("interleaved_1f1b", -1), "PLAN0934"},
      {chunks("breadth_first", 0), "PLAN0934"},
      {{.schedule =
            ir::ScheduleEdit{Symbol("interleaved_1f1b"), {{Symbol("chunks"), 2, {}}, {Symbol("chunks"), 3, {}}}}},
       "PLAN0934"},
      {{.schedule = ir::ScheduleEdit{Symbol("zero_bubble"), {{Symbol("in_flight"), -3, {}}}}}, "PLAN0934"},
  };
  PlanFile file;
  const auto plan = bound(file, "gpt3_175b", "gpt3_175b");
  for (size_t i = 0; i < wrong.size(); ++i) {
    const auto changed = plan->with(wrong[i].first);
    EXPECT_EQ(codes(changed->diagnostics()), std::vector<std::string>{wrong[i].second}) << i;
    EXPECT_FALSE(changed->priceAlone()) << i;
  }
  const auto meant = plan->with(wrong[0].first);
  ASSERT_FALSE(meant->diagnostics().sorted()[0]->help.empty());
  EXPECT_NE(meant->diagnostics().sorted()[0]->help[0].find("decoder.attn.core"), std::string::npos);
}

/// What is offered to a plan that does not fit is priced as data and printed as lines.
TEST(PlanEdit, ChangesThatMayMakeAPlanFitAreTheirLines) {
  int compared = 0;
  for (const auto& [example, name] : {std::pair{"gpt3_175b", "gpt3_175b"}, {"llama3_8b_ways", "base"}}) {
    PlanFile file;
    const auto plan = bound(file, example, name);
    ASSERT_TRUE(plan && plan->priceAlone());
    for (const lint::Candidate& c : lint::memoryCandidates(plan->plan(), *plan->program(), *plan->estimate())) {
      PlanFile again;
      again.loadText(path(example), test::readFile(path(example)) + "\n" + lint::fixText("fit", name, c.lines));
      const auto derived = again.bind("fit");
      if (!derived) continue; // changes nothing
      expectSame(*plan->with(c.edit), *derived, c.lines[0]);
      ++compared;
    }
  }
  EXPECT_GE(compared, 8);
}

/// A plan that computes from its own sizes says so: a change as data leaves what was computed.
TEST(PlanEdit, PlansThatComputeAreKnown) {
  const std::string text = test::readFile(path("gpt3_175b"));
  PlanFile plain, computing;
  EXPECT_TRUE(bound(plain, "gpt3_175b", "gpt3_175b")->plan().reads.empty());
  computing.loadText(path("gpt3_175b"),
                     text + "\nplan c extends gpt3_175b { override train { global_batch = 128 * mesh.dp } }\n");
  const auto plan = computing.bind("c");
  ASSERT_TRUE(plan);
  EXPECT_FALSE(plan->plan().reads.empty());
}

/// A law of passes is a law of changed plans: what breaks it is refused with its own code.
TEST(PlanEdit, LawsHoldForChanges) {
  PlanFile file;
  const auto plan = bound(file, "gpt3_175b", "gpt3_175b");
  ir::PlanEdit edit;
  edit.axes = {{Symbol("tp"), 4}};
  const auto changed = plan->with(edit);
  EXPECT_FALSE(changed->priceAlone());
  EXPECT_EQ(codes(changed->diagnostics()).at(0), "PLAN0620");
}

/// Random changes of one plan, one after the other from the same base: the base stays what it was.
TEST(PlanEdit, LeavesThePlanAlone) {
  PlanFile file;
  const auto plan = bound(file, "gpt3_175b", "gpt3_175b");
  ASSERT_TRUE(plan->priceAlone());
  const double before = plan->estimate()->totals.stepTime;
  std::mt19937 random(3);
  for (int i = 0; i < 20; ++i) {
    ir::PlanEdit edit;
    edit.microBatch = int64_t(1) << random() % 4;
    if (random() % 2) edit.recompute = {recompute("decoder")};
    plan->with(edit)->priceAlone();
  }
  ASSERT_TRUE(plan->priceAlone());
  EXPECT_EQ(plan->estimate()->totals.stepTime, before);
}

} // namespace
} // namespace planc::api
