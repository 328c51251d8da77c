// Spaces of searches: their choices, lists and order, and candidates against the same facts set outside of the file.
// SPDX-License-Identifier: Apache-2.0
#include "api/PlanFile.h"
#include "frontend/Frontend.h"
#include "ir/facts/DeviceFacts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace planc::frontend {
namespace {

/// A dense model on two nodes, with these lines of a `search` block.
std::string spacePlan(const std::string& lines, const std::string& more = "") {
  return R"(import std.models.llama
import std.clusters.hgx
import std.optimizers
import std.stacks.te

plan p(nodes: int = 2) {
  model    = llama.llama3_8b(layers = 8)
  cluster  = hgx.hgx_h100(nodes = nodes)
  software = te.te
  train { seq = 2048; global_batch = 64; micro_batch = 1; optimizer = optimizers.adam }
  precision { params = bf16; compute = bf16 }
  mesh  { tp = 2; pp = 2; dp = 4 }
  place { batch -> dp }
  place decoder { seq -> tp }
  place decoder.mlp { ffn -> tp uneven }
  pipeline pp { schedule = one_f_one_b }
  states { params -> dp { regather = false }; optimizer -> dp }
)" + more +
         "  search {\n" + lines + "\n  }\n}\n";
}

struct Found {
  Session session;
  SearchedPlan searched;
  explicit Found(const std::string& text, const ir::SearchWords& words = {}) {
    session.loadText("space.plan", text);
    searched = session.searched({}, words);
  }
  const ir::Space& space() const { return *searched.space; }
  std::string reports() {
    std::string all;
    for (const Diagnostic* d : session.diagnostics().sorted()) all += fmt::format("PLAN{:04} ", d->kind->code);
    return all;
  }
};

std::vector<std::string> textsOf(const ir::Choice& choice) {
  std::vector<std::string> texts;
  for (uint32_t v = 0; v < choice.values.size(); ++v) texts.push_back(choice.str(v));
  return texts;
}

/// What an estimate says, bit for bit.
std::string pricedPlan(ir::Plan plan) {
  api::Compilation compilation(std::move(plan));
  if (!compilation.priceAlone() || !compilation.estimate()) return "none";
  const cost::Estimate& e = *compilation.estimate();
  return fmt::format("{} {} {}", e.totals.stepTime, e.memory.peak, e.totals.compute);
}

using Texts = std::vector<std::string>;

TEST(SearchSpace, CountsAndOrdersItsChoices) {
  Found found(
      spacePlan("    vary mesh.tp in [1, 2, 4], mesh.pp in divisors(4)\n    vary precision.compute in [bf16, fp8]\n"
                "    vary nodes in [1, 2]\n    fill mesh.dp\n    top = 3"));
  ASSERT_TRUE(found.searched.space) << found.reports();
  const ir::Space& space = found.space();
  EXPECT_EQ(space.size(), 36);
  EXPECT_EQ(space.top, 3);
  EXPECT_EQ(space.fill, Symbol("dp"));
  ASSERT_EQ(space.choices.size(), 4U);
  EXPECT_EQ(space.outerCount(), 2U);
  EXPECT_EQ(space.str(0), "precision.compute = bf16, nodes = 1, mesh.tp = 1, mesh.pp = 1");
  EXPECT_EQ(space.choices[2].values[2].edit.axes.front().size, 4);
}

TEST(SearchSpace, SpreadsListsOfSchedules) {
  Found found(spacePlan("    vary pipeline.schedule in [one_f_one_b, interleaved_1f1b(chunks = [2, 4])]"));
  ASSERT_TRUE(found.searched.space) << found.reports();
  const ir::Choice& choice = found.space().choices.front();
  EXPECT_EQ(textsOf(choice),
            (Texts{"pipeline.schedule = one_f_one_b", "pipeline.schedule = interleaved_1f1b(chunks = 2)",
                   "pipeline.schedule = interleaved_1f1b(chunks = 4)"}));
  EXPECT_EQ(choice.values[2].edit.schedule->arguments.front().value, 4);
}

TEST(SearchSpace, BindsListsByPlace) {
  Found found(spacePlan("    vary decoder.seq -> in [tp, replicate] with decoder.mlp.ffn -> in [replicate, tp]"));
  ASSERT_TRUE(found.searched.space) << found.reports();
  EXPECT_EQ(textsOf(found.space().choices.front()), (Texts{"decoder.seq -> tp with decoder.mlp.ffn -> replicate",
                                                           "decoder.seq -> replicate with decoder.mlp.ffn -> tp"}));
  const auto& rules = found.space().choices.front().values[1].edit.placements;
  ASSERT_EQ(rules.size(), 2U);
  EXPECT_TRUE(rules[0].targets.empty());
  EXPECT_TRUE(rules[1].uneven); // as the plan says of the rule that it replaces
}

TEST(SearchSpace, MakesListsForWhatTheyDependOn) {
  Found found(spacePlan("    vary mesh.pp in [1, 2, 4]\n    vary mesh.tp in if mesh.pp > 1 then [1, ranks] else [8]",
                        "  let ranks = 2 * mesh.pp\n"));
  ASSERT_TRUE(found.searched.space) << found.reports();
  const ir::Space& space = found.space();
  EXPECT_EQ(space.size(), 5);
  EXPECT_EQ(space.outerCount(), 0U);
  const ir::Choice& tp = space.choices[1];
  EXPECT_EQ(tp.depends, std::vector<uint32_t>{0});
  EXPECT_EQ(tp.lists, (std::vector<std::vector<uint32_t>>{{0}, {1, 2}, {1, 0}}));
}

TEST(SearchSpace, WhatTheTextReadsIsSetInTheText) {
  Found found(spacePlan("    vary mesh.tp in [1, 2]\n    vary mesh.pp in [1, 2]\n    where wide < 4",
                        "  let wide = mesh.tp * 2\n"));
  ASSERT_TRUE(found.searched.space) << found.reports();
  EXPECT_FALSE(found.space().choices[0].inner); // mesh.tp, by the condition
  EXPECT_TRUE(found.space().choices[1].inner);
}

TEST(SearchSpace, ConditionsKeepWhatChangesOpen) {
  Found found(
      spacePlan("    vary mesh.tp in [1, 2]\n    where mesh.tp * mesh.pp <= nodes * 8 : \"small\"\n    maximize mfu"));
  ASSERT_TRUE(found.searched.space) << found.reports();
  const ir::SearchTerms& terms = *found.searched.plan->search;
  ASSERT_EQ(terms.conditions.size(), 1U);
  EXPECT_TRUE(terms.conditions[0].ofChoices());
  EXPECT_EQ(terms.conditions[0].reason, "small");
  const auto values = ir::evaluate(terms.conditions[0].tree, [](const ir::ExprNode& n) {
    return std::optional(ir::ExprValue{false, false, {n.metric == "mesh.tp" ? 9.0 : 2.0, {}}});
  });
  EXPECT_FALSE(values[terms.conditions[0].tree.root.index]->truth);
  EXPECT_TRUE(terms.goals.at(0).maximize);
}

/// The first condition of a space in its first plan and with these values.
bool holdsIn(Found& found, const std::vector<uint32_t>& digits) {
  const auto plan = found.session.candidate(digits);
  const ir::ExprTree& tree = plan->search->conditions.at(0).tree;
  const auto values = ir::evaluate(tree, [&](const ir::ExprNode& n) { return ir::factAt(*plan, n.metric); });
  return values[tree.root.index]->truth;
}

TEST(SearchSpace, ConditionsReadPathsAsSetTakesThem) {
  // lines, and in which values the condition holds
  const std::tuple<std::string, bool, bool> cases[] = {
      {"vary cluster.nodes in [2, 4]\nwhere cluster.nodes >= 4", false, true},
      {"vary nodes in [2, 4]\nwhere 8 * cluster.nodes < 32 and cluster.nodes == nodes", true, false},
      {"vary model.layers in [8, 16]\nwhere model.layers != 8", false, true},
      {"vary cluster.device.memory in [80GB, 96GB]\nwhere cluster.device.memory > 90GB", false, true},
      {"vary train.seq in [2048, 4096]\nwhere train.seq < 4000", true, false},
      {"vary recompute in [none, decoder]\nwhere recompute == none", true, false},
      {"vary recompute in [none, decoder(first = 2)]\nwhere recompute == decoder(first = 2)", false, true},
      {"vary recompute in [decoder, decoder(first = 2)]\nwhere recompute != decoder", false, true},
      {"vary pipeline.schedule in [one_f_one_b, zb_h1]\nwhere pipeline.schedule == zb_h1", false, true},
      {"vary pipeline.schedule in [one_f_one_b, interleaved_1f1b(chunks = 2)]\n"
       "where pipeline.schedule == interleaved_1f1b and mesh.tp < 4",
       false, true},
      {"vary pipeline.schedule in [interleaved_1f1b(chunks = [2, 4])]\n"
       "where not (pipeline.schedule == interleaved_1f1b(chunks = 2))",
       false, true},
      {"vary precision.compute in [bf16, fp8]\nwhere precision.compute == fp8", false, true},
  };
  for (const auto& [lines, first, second] : cases) {
    Found found(spacePlan(lines));
    ASSERT_TRUE(found.searched.space) << lines << ": " << found.reports();
    EXPECT_TRUE(found.searched.plan->search->conditions.at(0).ofChoices()) << lines;
    EXPECT_EQ(holdsIn(found, {0}), first) << lines;
    EXPECT_EQ(holdsIn(found, {1}), second) << lines;
  }
  Found goal(spacePlan("vary cluster.nodes in [2, 4]\nminimize cluster.nodes"));
  ASSERT_TRUE(goal.searched.space) << goal.reports();
  EXPECT_EQ(goal.session.candidate(std::vector<uint32_t>{1})->search->goals.at(0).tree.nodes.size(), 1U);
}

TEST(SearchSpace, ListsThatFailForSomeAreCandidatesThatFail) {
  Found found(spacePlan("    vary mesh.tp in [1, 2, 4]\n    vary mesh.pp in divisors(0 * mesh.tp)"));
  EXPECT_FALSE(found.searched.space); // for all
  EXPECT_EQ(found.reports(), "PLAN0331 ");
  Found some(spacePlan("    vary mesh.tp in [1, 2, 4]\n    vary mesh.pp in divisors(3 - mesh.tp)"));
  ASSERT_TRUE(some.searched.space) << some.reports();
  const ir::Space& space = some.space();
  EXPECT_EQ(space.size(), 4); // 1 and 2, 1, and the one that fails
  EXPECT_EQ(space.choices[1].values.back().texts, Texts{"divisors(3 - mesh.tp)"});
  EXPECT_EQ(space.outerCount(), 2U);
  EXPECT_FALSE(some.session.candidate(std::vector<uint32_t>{2, 2}));
  EXPECT_NE(some.reports().find("PLAN0331"), std::string::npos) << some.reports();
}

TEST(SearchSpace, BoundPathsWithOneValueStandTogether) {
  Found found(spacePlan("    vary mesh.tp in [1, 2] with mesh.pp in [1, 2] with train.micro_batch in [1, 1]\n"
                        "    vary decoder.seq -> in [tp, replicate] with decoder.mlp.ffn -> in [tp, tp]"));
  ASSERT_TRUE(found.searched.space) << found.reports();
  EXPECT_EQ(found.space().choices[0].str(0), "mesh.tp, mesh.pp, train.micro_batch = 1");
  EXPECT_EQ(found.space().choices[0].str(1), "mesh.tp, mesh.pp = 2 with train.micro_batch = 1");
  EXPECT_EQ(found.space().choices[1].str(0), "decoder.seq, decoder.mlp.ffn -> tp");
  EXPECT_EQ(found.space().choices[1].str(1), "decoder.seq -> replicate with decoder.mlp.ffn -> tp");
}

TEST(SearchSpace, StepsHaveNoNoise) {
  Found found(spacePlan("    vary cluster.device.bandwidth in steps(100GB/s, 800GB/s, 7)"));
  ASSERT_TRUE(found.searched.space) << found.reports();
  Texts texts;
  for (const ir::ChoiceValue& value : found.space().choices[0].values) texts.push_back(value.texts[0]);
  EXPECT_EQ(texts, (Texts{"100GB/s", "141.421GB/s", "200GB/s", "282.843GB/s", "400GB/s", "565.685GB/s", "800GB/s"}));
  Found near(spacePlan("    vary cluster.device.bandwidth in steps(1TB/s, 1.000001TB/s, 9)"));
  ASSERT_TRUE(near.searched.space) << near.reports(); // no two are one
}

TEST(SearchSpace, WordsStandInThePlaceOfLines) {
  Found found(spacePlan("    vary mesh.tp in [1, 2]\n    vary mesh.pp in [1, 2]\n    minimize step_time\n    top = 3"),
              {.vary = {"mesh.tp in [4, 8, 16]", "train.micro_batch in [1, 2]"},
               .where = {"mesh.tp > 1"},
               .goals = {"minimize cost"},
               .top = 7});
  ASSERT_TRUE(found.searched.space) << found.reports();
  EXPECT_EQ(found.space().size(), 12);
  EXPECT_EQ(found.space().choices[0].str(1), "mesh.tp = 8");
  EXPECT_EQ(found.space().top, 7);
  EXPECT_EQ(found.searched.plan->search->goals.at(0).tree.text, "cost");
  EXPECT_EQ(found.searched.plan->search->conditions.size(), 1U);
}

TEST(SearchSpace, StepsReadBackToTheSameNumbers) {
  Found found(spacePlan("    vary cluster.device.memory in steps(80GB, 320GB, 3)"));
  ASSERT_TRUE(found.searched.space) << found.reports();
  ASSERT_EQ(found.space().choices[0].values.size(), 3U);
  EXPECT_EQ(found.space().choices[0].values[2].texts[0], "320GB");
  const std::vector<uint32_t> digits{2};
  EXPECT_EQ(found.session.candidate(digits)->cluster->device.value(ir::DeviceFact::Memory, 0), 320e9);
}

TEST(SearchSpace, MistakesAreReported) {
  const std::pair<std::string, std::string> cases[] = {
      {"vary mesh.tp in [1, 2]; vary mesh.tp in [4]", "PLAN0685"},
      {"vary mesh.tp in [1, 2] with mesh.pp in [1]", "PLAN0686"},
      {"vary mesh.tp in [mesh.pp]; vary mesh.pp in [1]", "PLAN0687"},
      {"vary mesh.tp in [2 * mesh.dp]; fill mesh.dp", "PLAN0687"},
      {"vary mesh.tp in [1, 2, 1]", "PLAN0688"},
      {"fill mesh.ddp", "PLAN0689"},
      {"vary mesh.tp in [b for b in []]", "PLAN0691"},
      {"top = 0", "PLAN0693"},
      {"top = 10001", "PLAN0693"},
      {"top = 99999999999", "PLAN0693"},
      {"vary recompute in [decoder, 3]", "PLAN0797"},
      {"vary decoder.seq -> in [2]", "PLAN0798"},
      {"vary decoder.seq -> in [tq]", "PLAN0650"},
      {"vary recompute in [decodr]", "PLAN0655"},
      {"vary states.optimiser -> in [dp]", "PLAN0660"},
      {"vary train.micro in [1]", "PLAN0676"},
      {"vary mesh.tp in [1, 2]; where mesh.tp == none", "PLAN0335"},
      {"vary mesh.tp in [1, 2]; where none == recompute", "PLAN0335"},
      {"vary mesh.tp in [1, 2]; where pipeline.stages == 2", "PLAN0335"},
      {"vary mesh.tp in [1, 2]; where recompute == decodr", "PLAN0655"},
      {"vary mesh.tp in [1, 2]; where pipeline.schedule == zb_h7", "PLAN0696"},
      {"vary mesh.tp in [1, 2]; where cluster.node > 2", "PLAN0335"},
      {"vary mesh.tp in [1, 2]; where cluster.nodse > 2", "PLAN0517"},
  };
  for (const auto& [line, code] : cases) {
    Found found(spacePlan(line));
    EXPECT_FALSE(found.searched.space) << line;
    EXPECT_NE(found.reports().find(code), std::string::npos) << line << ": " << found.reports();
  }
}

TEST(SearchSpace, OnlyPlanWithASearchIsMeant) {
  Session session;
  session.loadText("a.plan",
                   spacePlan("    vary mesh.tp in [1, 2]") + "plan q extends p { override train.micro_batch = 2 }\n");
  EXPECT_TRUE(session.searched({}, {}).space);
  EXPECT_EQ(session.searched({"q"}, {}).space->size(), 2); // inherited
  const std::string second = "plan q extends p { override search { vary mesh.tp in [4] } }\n";
  Found two(spacePlan("    vary mesh.tp in [1, 2]") + second);
  EXPECT_FALSE(two.searched.space);
  EXPECT_EQ(two.reports(), "PLAN0694 ");
}

TEST(SearchSpace, WordsAreLinesOfASearch) {
  Found found(spacePlan("    vary mesh.tp in [1, 2]"), {.goals = {"top = 3"}});
  EXPECT_FALSE(found.searched.space);
  EXPECT_EQ(found.reports(), "PLAN0695 ");
  for (const char* smuggled : {"mesh.pp in [1]\ntop = 3", "mesh.pp in [1]; top = 3",
                               "mesh.pp in [1] } } plan q { search {", "mesh.pp in [1]\r\nvary mesh.cp in [1]", ""}) {
    Found more(spacePlan("    vary mesh.tp in [1, 2]"), {.vary = {smuggled}});
    EXPECT_FALSE(more.searched.space) << smuggled;
    EXPECT_FALSE(more.reports().empty()) << smuggled;
  }
}

TEST(SearchSpace, ValuesInOtherWordsAreTheSame) {
  for (const char* twice : {"vary cluster.device.memory in [80GB, 80e9B]", "vary states.optimizer -> in [dp, [dp]]",
                            "vary recompute in [decoder, [ decoder ]]", "vary train.seq in [2048, 2_048]"}) {
    Found found(spacePlan(std::string("    ") + twice));
    EXPECT_EQ(found.reports(), "PLAN0688 ") << twice;
  }
  Found other(spacePlan("    vary recompute in [[decoder.attn, decoder.mlp], [decoder.mlp]]"));
  EXPECT_TRUE(other.searched.space) << other.reports();
}

/// What other values may set right is no mistake of the text.
TEST(SearchSpace, LawsAreNoMistakes) {
  Found laws(
      spacePlan("    vary nodes in [1, 2, 64], mesh.tp in [1, 2]\n    vary precision.compute in [fp8_row, mxfp8]"));
  EXPECT_TRUE(laws.searched.space) << laws.reports();
  EXPECT_EQ(laws.reports(), "");
}

TEST(SearchSpace, CandidatesShareWhatIsTheSame) {
  Found found(spacePlan(
      "    vary nodes in [1, 2]\n    vary precision.compute in [bf16, fp8]\n    vary model.layers in [4, 8]"));
  ASSERT_TRUE(found.searched.space) << found.reports();
  const auto at = [&](uint32_t nodes, uint32_t compute, uint32_t layers) {
    return found.session.candidate(std::vector<uint32_t>{nodes, compute, layers});
  };
  const auto a = at(0, 0, 0), b = at(0, 1, 0), c = at(0, 0, 1), d = at(1, 0, 0);
  EXPECT_EQ(a->model, b->model);
  EXPECT_EQ(a->cluster, b->cluster);
  EXPECT_NE(a->model, c->model);
  EXPECT_EQ(a->cluster, c->cluster);
  EXPECT_NE(a->cluster, d->cluster);
  EXPECT_NE(a->precision.compute, b->precision.compute);
}

/// Every value of every choice: the candidate is the plan with it set, and an inner value's edit makes the same plan.
TEST(SearchSpace, CandidatesAreThePlansWithTheseFactsSet) {
  const std::string text = spacePlan(
      "    vary nodes in [1, 2]\n    vary mesh.tp in [1, 2, 4]\n    vary train.micro_batch in [1, 2]\n"
      "    vary train.global_batch in [64, 128]\n"
      "    vary pipeline.schedule in [one_f_one_b, gpipe, interleaved_1f1b(chunks = [2, 4])]\n"
      "    vary pipeline.stages in [even, balanced, [3, 5]]\n"
      "    vary states.optimizer -> in [dp, replicate, [dp, host]]\n"
      "    vary states.params -> in [dp, dp(regather = true), replicate]\n"
      "    vary decoder.seq -> in [tp, replicate] with decoder.mlp.ffn -> in [tp, replicate]\n"
      "    vary recompute in [none, decoder.attn.core, decoder[0:4], decoder(save = [attn.core], first = 2)]\n"
      "    vary precision.compute in [bf16, fp8]\n    vary cluster.device.memory in [40GB, 80GB]");
  api::PlanFile file;
  file.loadText("space.plan", text);
  const api::Searched searched = file.searched("");
  ASSERT_TRUE(searched.space);
  const ir::Space& space = *searched.space;
  size_t inner = 0, priceable = 0;
  for (size_t c = 0; c < space.choices.size(); ++c)
    for (uint32_t v = 0; v < space.choices[c].values.size(); ++v) {
      std::vector<uint32_t> digits(space.choices.size(), 0);
      for (size_t k = 0; k < digits.size(); ++k) // as the plan stands
        if (space.choices[k].paths[0] == "nodes" || space.choices[k].paths[0] == "mesh.tp") digits[k] = 1;
      digits[c] = v;
      auto candidate = file.candidate(digits);
      ASSERT_TRUE(candidate) << space.choices[c].str(v);
      const std::string whole = pricedPlan(std::move(*candidate));
      priceable += whole != "none";
      api::PlanFile beside;
      beside.loadText("space.plan", text);
      std::vector<ir::FactEdit> set;
      for (size_t k = 0; k < digits.size(); ++k)
        for (size_t i = 0; i < space.choices[k].paths.size(); ++i)
          set.push_back({space.choices[k].paths[i], space.choices[k].values[digits[k]].texts[i]});
      ASSERT_TRUE(beside.set(set));
      auto bound = beside.bind("p");
      ASSERT_TRUE(bound) << space.choices[c].str(v);
      EXPECT_EQ(pricedPlan(bound->plan()), whole) << space.choices[c].str(v);
      if (!space.choices[c].inner) continue;
      ++inner;
      auto edited = file.candidate(std::span(digits).first(space.outerCount()));
      DiagnosticEngine diagnostics;
      for (size_t k = space.outerCount(); k < digits.size(); ++k)
        ASSERT_TRUE(ir::apply(space.choices[k].values[digits[k]].edit, *edited, diagnostics));
      EXPECT_EQ(pricedPlan(std::move(*edited)), whole) << space.choices[c].str(v);
    }
  EXPECT_GT(inner, 20U);
  EXPECT_GT(priceable, 20U);
}

} // namespace
} // namespace planc::frontend
