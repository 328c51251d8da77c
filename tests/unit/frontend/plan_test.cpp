// Plans: what is inherited and overridden, rules with their selectors, mesh, precision, workload, conditions, the
// choice of a plan.
// SPDX-License-Identifier: Apache-2.0
#include "Compile.h"

#include <map>

namespace planc::frontend {
namespace {

using Reports = std::vector<std::string>;
using namespace ir;

const std::string kModel = R"(let house(nodes: int) = dgx_a100.superpod(nodes = nodes)
import std.ops
import std.blocks
import std.optimizers
import std.clusters.dgx_a100
model m(layers: int = 8, hidden: int = 16, ffn: int = 32, vocab: int = 10) {
  in tokens: [batch, seq] int32 counts seq
  embed = blocks.embedding(tokens, vocab, hidden)
  decoder * layers with x = embed {
    norm = blocks.rms_norm(x)
    mlp  = blocks.swiglu(norm, ffn)
    out x + mlp
  }
  head = blocks.tied_head(decoder, table = embed.table)
  loss = ops.cross_entropy(head, tokens)
}
)";
const std::string kTrain = " train { seq = 8; global_batch = 16; micro_batch = 1; optimizer = optimizers.adam }\n";
const std::string kBase = kModel + "plan base {\n model = m\n" + kTrain + R"( mesh { tp = 4; dp = 2 }
  place { batch -> dp; decoder { seq -> tp; mlp { ffn -> tp } } }
  recompute decoder.mlp
  assert step_time < 1s : "budget"
  measured step_time = 1s within 5% : "nowhere"
}
)";

std::vector<std::string> rules(const Plan& p) {
  std::vector<std::string> found;
  for (const PlacementRule& r : p.placements) {
    std::string text = r.selector.str() + "{" + r.dim.str() + " ->";
    for (Symbol t : r.targets) text += " " + t.str();
    found.push_back(text + "}");
  }
  return found;
}

TEST(Plans, NestedScopesBecomeRulesWithWholeSelectors) {
  const auto plans = plansOf(kBase);
  ASSERT_EQ(plans.size(), 1u);
  EXPECT_EQ(rules(*plans[0]),
            (std::vector<std::string>{"{batch -> dp}", "decoder{seq -> tp}", "decoder.mlp{ffn -> tp}"}));
  EXPECT_EQ(plans[0]->mesh.devices(), 8);
  EXPECT_EQ(plans[0]->mesh.axes[plans[0]->mesh.order[1]].stride, 4);
}

TEST(Plans, AnOverrideReplacesWhatItNamesAndNothingElse) {
  const auto plans = plansOf(kBase + R"(
plan derived extends base {
  override place decoder { seq -> replicate }
  override mesh { tp = 2; dp = 4 }
  override recompute decoder[0:8:2]
  override train { micro_batch = 2 }
  assert memory.fits
}
)");
  ASSERT_EQ(plans.size(), 2u);
  const Plan& p = *plans[1];
  EXPECT_EQ(rules(p), (std::vector<std::string>{"{batch -> dp}", "decoder{seq ->}", "decoder.mlp{ffn -> tp}"}));
  EXPECT_EQ(p.mesh.axes[p.mesh.order[0]].size, 2);
  ASSERT_EQ(p.recompute.size(), 1u);
  EXPECT_EQ(p.recompute[0].str(), "decoder[0:8:2]");
  EXPECT_EQ(p.workload.microBatch, 2);
  EXPECT_EQ(p.workload.globalBatch, 16);
  EXPECT_EQ(p.assertions.size(), 2u) << "asserts are inherited";
  EXPECT_EQ(p.measured.size(), 0u) << "measured lines never are";
  EXPECT_EQ(plans[0]->measured.size(), 1u);
}

std::string axesOf(const Plan& p) {
  std::string text;
  for (AxisId id : p.mesh.order) text += p.mesh.axes[id].name.str() + std::to_string(p.mesh.axes[id].size) + " ";
  return text;
}

TEST(Plans, BlocksAreReplacedWhole) {
  const auto plans = plansOf(kBase + R"(
plan derived extends base {
  place { vocab -> tp }
  override mesh  = { tp = 2; rep = 2; dp = [rep, shard]; shard = 2 }
  override place = { batch -> [rep, shard] }
  states { optimizer -> dp; decoder { params -> dp } }
}
plan last extends derived { override states = { params -> rep }; override mesh { tp = 4 } }
)");
  ASSERT_EQ(plans.size(), 3u);
  EXPECT_EQ(rules(*plans[1]), (std::vector<std::string>{"{batch -> rep shard}", "{vocab -> tp}"}))
      << "the order of the statements of a plan means nothing";
  EXPECT_EQ(axesOf(*plans[1]), "tp2 rep2 shard2 ");
  EXPECT_EQ(plans[1]->states.size(), 2u);
  ASSERT_EQ(plans[2]->states.size(), 1u);
  EXPECT_EQ(plans[2]->states[0].targets, std::vector<Symbol>{Symbol("rep")});
  EXPECT_EQ(axesOf(*plans[2]), "tp4 rep2 shard2 ");
}

TEST(Plans, AnAxisLiesBesideTheOneItNames) {
  const auto plans = plansOf(kBase + R"(
plan a extends base { mesh { cp = 2 inside dp; pp = 2 outside tp; ep = 3 inside tp } }
plan b extends a { override mesh { tp = 8; ep = 2 outside dp } }
plan c extends base { mesh { q = 2 } }
plan d extends base { override mesh = { dp = 2; tp = 4; cp = 2 inside tp } }
)");
  ASSERT_EQ(plans.size(), 5u);
  EXPECT_EQ(axesOf(*plans[1]), "ep3 tp4 pp2 cp2 dp2 ");
  EXPECT_EQ(axesOf(*plans[2]), "tp8 pp2 cp2 dp2 ep2 ") << "an axis that is overridden without a word keeps its place";
  EXPECT_EQ(axesOf(*plans[3]), "tp4 dp2 q2 ");
  EXPECT_EQ(axesOf(*plans[4]), "dp2 cp2 tp4 ");
  EXPECT_TRUE(plans[1]->addedAxes.empty());
  EXPECT_EQ(plans[3]->addedAxes.size(), 1u) << "outermost, without a word";
}

TEST(Plans, StagesAreCutAsParametersSay) {
  const std::string text =
      kModel + "plan p(pp: int = 2, how: int = 0) {\n model = m\n" + kTrain + R"( mesh { dp = 2; pp = pp }
  pipeline pp {
    schedule = one_f_one_b
    stages = if how == 0 then even(embed = pp, head = 1) else if how == 1 then [8 / pp, 8 - 8 / pp] else balanced
  }
}
)";
  const auto cut = [&](const std::string& choice) {
    const auto plans = plansOf(text, PlanChoice{choice});
    return plans.size() == 1 ? plans[0]->pipeline->cut.value() : Stages{};
  };
  const Stages even = cut("p(pp = 4)");
  EXPECT_EQ(even.cut, StageCut::Even);
  ASSERT_EQ(even.counted.size(), 2u);
  EXPECT_EQ(even.counted[0].count, 4);
  EXPECT_EQ(cut("p(how = 1, pp = 4)").counts, (std::vector<int64_t>{2, 6}));
  EXPECT_EQ(cut("p(how = 2)").cut, StageCut::Balanced);
}

TEST(Plans, OverrideMustHitAndChange) {
  auto of = [&](const std::string& body) { return check(kBase + "plan d extends base {\n" + body + "\n}\n"); };
  EXPECT_NE(of("train { micro_batch = 2 }").at(0).find("PLAN0504"), std::string::npos) << "adding may not replace";
  EXPECT_NE(of("override train { micro_batch = 1 }").at(0).find("PLAN0505"), std::string::npos) << "nothing changed";
  EXPECT_NE(of("override cluster = dgx_a100.superpod(nodes = 1)").at(0).find("PLAN0503"), std::string::npos)
      << "nothing inherited";
  EXPECT_NE(of("override mesh { pp = 2 }").at(0).find("PLAN0503"), std::string::npos);
  EXPECT_NE(of("override place decoder { ffn -> tp }").at(0).find("PLAN0503"), std::string::npos);
  EXPECT_NE(of("place decoder { seq -> dp }").at(0).find("PLAN0504"), std::string::npos);
  EXPECT_NE(of("override place decoder { seq -> tp }").at(0).find("PLAN0505"), std::string::npos);
  EXPECT_NE(of("override measured step_time = 2s").at(0).find("PLAN0525"), std::string::npos);
  EXPECT_EQ(of("place head { vocab -> tp }"), Reports{});
}

TEST(Plans, ArgumentsAreBoundAlongTheChain) {
  const auto plans = plansOf(kModel + "plan base(n: int) {\n model = m(layers = n)\n let twice = 2 * n\n" + kTrain +
                             R"( mesh { dp = twice }
}
plan small extends base(n = 2) { assert mesh.dp == 4 and twice == 4 and train.seq == 8 and model.layers == 2 }
)");
  ASSERT_EQ(plans.size(), 1u) << "the base has a parameter without a default";
  EXPECT_EQ(plans[0]->mesh.devices(), 4);
  const auto chosen =
      plansOf(kModel + "plan base(n: int) {\n model = m(layers = n)\n" + kTrain + "}\n", PlanChoice{"base(n = 5)"});
  ASSERT_EQ(chosen.size(), 1u);
  EXPECT_EQ(chosen[0]->model->layers[LayerId(1)].count, 5);
}

TEST(Plans, AChoiceThatDoesNotExistIsReported) {
  Folder folder;
  for (const auto& [choice, code] : std::map<std::string, std::string>{{"bsae", "PLAN0212"},
                                                                       {"base(n = 3)", "PLAN0204"},
                                                                       {"base(", "PLAN00"},
                                                                       {"1 + 1", "PLAN0213"},
                                                                       {"m", "PLAN0212"}}) {
    Session session;
    std::string error;
    ASSERT_TRUE(session.load(folder.write("t.plan", kBase), error));
    EXPECT_TRUE(session.plans(PlanChoice{choice}).empty());
    const auto found = reports(session);
    ASSERT_GE(found.size(), 1u) << choice;
    EXPECT_NE(found[0].find(code), std::string::npos) << found[0];
  }
}

TEST(Plans, ChainsThatEndInThemselvesAreReported) {
  const auto found = check("plan a extends b { }\nplan b extends c { }\nplan c extends b { }\n");
  ASSERT_GE(found.size(), 1u);
  EXPECT_NE(found[0].find("PLAN0524"), std::string::npos);
  EXPECT_NE(found[0].find("b -> c -> b"), std::string::npos) << found[0];
}

TEST(Plans, PrecisionHasItsDefaults) { // docs/language.md, section 9
  auto of = [&](const std::string& text) {
    auto plans = plansOf(kModel + "plan p {\n model = m\n" + kTrain + " precision { " + text + " }\n}\n");
    return plans.empty() ? Precision{} : plans[0]->precision;
  };
  const Precision fp8 = of("compute = fp8; matmul = fp8");
  EXPECT_EQ(fp8.activations, DType::bf16);
  EXPECT_EQ(fp8.params, DType::bf16);
  EXPECT_EQ(fp8.grads, DType::fp32);
  EXPECT_EQ(fp8.reduce, DType::fp32);
  EXPECT_EQ(fp8.onWire.at(Symbol("matmul")).result->type, DType::fp8);
  const Precision fp16 = of("compute = fp16; grads = fp16");
  EXPECT_EQ(fp16.activations, DType::fp16);
  EXPECT_EQ(fp16.reduce, DType::fp16);
  EXPECT_EQ(of("compute = bf16; params = fp32").params, DType::fp32);
}

TEST(Plans, PrecisionMayStandInsideTrain) {
  const auto plans = plansOf(kModel + R"(plan p {
  model = m
  train { seq = 8; global_batch = 4; micro_batch = 1; optimizer = optimizers.sgd; precision { compute = fp16 } }
})");
  ASSERT_EQ(plans.size(), 1u);
  EXPECT_EQ(plans[0]->precision.compute, DType::fp16);
  EXPECT_EQ(plans[0]->workload.optimizer->name, Symbol("sgd"));
  EXPECT_EQ(plans[0]->workload.optimizer->states, 0);
}

TEST(Plans, GroupsListAxesMajorFirst) {
  const auto plans = plansOf(kModel + "plan p {\n model = m\n" + kTrain + R"( cluster = dgx_a100.superpod(nodes = 4)
  mesh { tp = 2 within node; ep = 4; edp = 4 across nodes; dp = [edp, ep]; all = [dp, tp] }
  place { batch -> dp }
})");
  ASSERT_EQ(plans.size(), 1u);
  const Mesh& mesh = plans[0]->mesh;
  EXPECT_EQ(mesh.str(*mesh.resolve("all")), "edp*ep*tp");
  EXPECT_EQ(mesh.levelSizes, (std::vector<int64_t>{8, 32}));
  ASSERT_EQ(plans[0]->axisPlaces.size(), 2u);
  EXPECT_EQ(plans[0]->axisPlaces[1].level, Symbol("nodes"));
}

TEST(Plans, StatesPipelineKeepAndOverlap) {
  const auto plans = plansOf(kModel + "plan p {\n model = m\n" + kTrain + R"( mesh { dp = 2; pp = 2 }
  states { params -> replicate; optimizer, grads -> dp }
  states decoder { params -> dp }
  pipeline pp {
    schedule = interleaved_1f1b(chunks = 2)
    scatter  = dp
    stage 0  = embed, decoder[0:2]
    stage 1  = decoder[2:8], head, loss
  }
  keep decoder.norm = gathered
  overlap { gradient = 20%; prefetch = 2; slowdown = 0.1 }
})");
  ASSERT_EQ(plans.size(), 1u);
  const Plan& p = *plans[0];
  ASSERT_EQ(p.states.size(), 4u);
  EXPECT_EQ(p.states[0].targets.size(), 0u);
  EXPECT_EQ(p.states[3].selector.str(), "decoder");
  EXPECT_EQ(p.pipeline->schedule, Symbol("interleaved_1f1b"));
  ASSERT_EQ(p.pipeline->arguments.size(), 1u);
  EXPECT_EQ(p.pipeline->arguments[0].name, Symbol("chunks"));
  EXPECT_EQ(p.pipeline->arguments[0].value, 2);
  EXPECT_EQ(*p.pipeline->scatter, Symbol("dp"));
  ASSERT_EQ(p.pipeline->stages.size(), 2u);
  EXPECT_EQ(p.pipeline->stages[0].selectors[1].str(), "decoder[0:2]");
  EXPECT_TRUE(p.keeps.at(0).gathered);
  EXPECT_EQ(p.overlap.blockingShare.at(CollectiveClass::Gradient).value, 0.2);
  EXPECT_EQ(p.overlap.prefetch->value, 2);
}

TEST(Plans, PathsOfThePlanAreConstantsAndOtherNamesMetrics) {
  const auto plans =
      plansOf(kModel + "plan p {\n model = m\n cluster = dgx_a100.superpod(nodes = 1)\n" + kTrain + R"( mesh { tp = 8 }
  let budget = 2s
  assert step_time < budget and memory.peak < 0.5 * cluster.device.memory
  assert layer("decoder[0:2].mlp").forward / mesh.tp < 1ms
})");
  ASSERT_EQ(plans.size(), 1u);
  std::vector<std::string> metrics;
  std::vector<double> constants;
  for (const Assertion& a : plans[0]->assertions)
    for (const ExprNode& n : a.condition.nodes) {
      if (n.op == ExprOp::Metric) metrics.push_back(n.metric + (n.layer.steps.empty() ? "" : " " + n.layer.str()));
      if (n.op == ExprOp::Constant && !n.literal) constants.push_back(n.constant.quantity.value);
    }
  EXPECT_EQ(metrics, (std::vector<std::string>{"step_time", "memory.peak", "layer.forward decoder[0:2].mlp"}));
  EXPECT_EQ(constants, (std::vector<double>{2, 84.99e9, 8}));
}

TEST(Plans, SelectorsMustMatchTheModel) {
  auto of = [&](const std::string& body) {
    return check(kModel + "plan p {\n model = m\n" + kTrain + " mesh { tp = 2 }\n" + body + "\n}\n");
  };
  EXPECT_NE(of("place decodr { seq -> tp }").at(0).find("PLAN0655"), std::string::npos);
  EXPECT_EQ(of("place decodr { seq -> tp; mlp { ffn -> tp } }").size(), 1u) << "one wrong name is one report";
  EXPECT_NE(of("recompute decoder[0:9]").at(0).find("PLAN0656"), std::string::npos);
  EXPECT_NE(of("recompute head[0]").at(0).find("PLAN0657"), std::string::npos);
  EXPECT_NE(of("recompute decoder[3:3]").at(0).find("PLAN0659"), std::string::npos);
  EXPECT_NE(of("recompute decoder, decoder.mlp").at(0).find("PLAN0750"), std::string::npos);
  EXPECT_EQ(of("recompute decoder[0:4], decoder[4:8].mlp"), Reports{}) << "disjoint slices do not meet";
  EXPECT_EQ(of("place *.mlp { ffn -> tp }"), Reports{});
  EXPECT_NE(of("assert layer(\"decoder.mpl\").forward < 1s").at(0).find("PLAN0655"), std::string::npos);
}

TEST(Plans, TheWorkloadBindsDimensionsOfTheModel) {
  auto of = [&](const std::string& train) {
    return check(kModel + "plan p {\n model = m\n train { optimizer = none; " + train + " }\n}\n");
  };
  EXPECT_NE(of("global_batch = 2; micro_batch = 1").at(0).find("PLAN0671"), std::string::npos) << "seq has no extent";
  EXPECT_NE(of("seq = 8; sequnce = 3; global_batch = 2; micro_batch = 1").at(0).find("PLAN0501"), std::string::npos);
  EXPECT_NE(of("seq = 8; micro_batch = 1").at(0).find("PLAN0671"), std::string::npos);
  EXPECT_NE(of("seq = 8; global_batch = 0; micro_batch = 1").at(0).find("PLAN0670"), std::string::npos);
  EXPECT_EQ(check(kModel + "plan p {\n model = m\n}\nlet known = optimizers.adam\n"), Reports{})
      << "without a workload shapes are still checked";
}

TEST(Plans, AWorkloadHasAPhase) {
  const auto of = [](const std::string& workload) {
    const auto plans = plansOf(kModel + "plan p {\n model = m\n " + workload + "\n}\n");
    return plans.empty() ? ir::Workload() : plans[0]->workload;
  };
  const ir::Workload train = of("train { seq = 8; global_batch = 2; micro_batch = 1; optimizer = optimizers.adam }");
  ASSERT_EQ(train.phases.size(), 1u);
  EXPECT_EQ(train.phases[0].name, Symbol("train"));
  EXPECT_TRUE(train.hasBackward());
  EXPECT_TRUE(train.updatesParameters());
  const ir::Workload infer = of("infer { seq = 8; batch = 2 }");
  ASSERT_EQ(infer.phases.size(), 1u);
  EXPECT_EQ(infer.phases[0].name, Symbol("forward"));
  EXPECT_EQ(infer.section, Symbol("infer"));
  EXPECT_FALSE(infer.hasBackward());
  EXPECT_FALSE(infer.updatesParameters());
  EXPECT_EQ(infer.extents(), (std::vector<std::pair<Symbol, int64_t>>{{Symbol("seq"), 8}}));
  EXPECT_TRUE(of("").phases.empty());
  ir::Workload several; // as of prefill and decode, whose extents differ
  several.phases = {{.name = Symbol("a"), .extents = {{Symbol("seq"), 8}}},
                    {.name = Symbol("b"), .backward = true, .extents = {{Symbol("seq"), 1}}}};
  EXPECT_TRUE(several.hasBackward());
  EXPECT_FALSE(several.updatesParameters());
  EXPECT_EQ(several.extents().size(), 2u);
}

TEST(Plans, TrainNeedsALoss) {
  EXPECT_NE(check("import std.ops\nmodel m() {\n in x: [batch, seq]\n y = ops.gelu(x)\n}\nplan p {\n model = m\n" +
                  std::string(" train { seq = 8; global_batch = 16; micro_batch = 1; optimizer = none }\n}"))
                .at(0)
                .find("PLAN0419"),
            std::string::npos);
}

TEST(Plans, AnErrorInABaseVoidsWhatExtendsIt) {
  Folder folder;
  Session session;
  std::string error;
  ASSERT_TRUE(session.load(
      folder.write("t.plan", kModel + "plan a {\n model = m(layers = 0)\n}\nplan b extends a { }\n"), error));
  session.check();
  EXPECT_TRUE(session.plans().empty());
  EXPECT_EQ(reports(session).size(), 1u) << "and it is reported once";
}

} // namespace
} // namespace planc::frontend
