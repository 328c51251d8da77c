// What the forms of `recompute` keep and do again, against closed forms: Megatron's discarded outputs (arXiv 2205.05198
// for what a layer keeps), torchtitan's list of operators, layers per virtual stage.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Passes.h"
#include "tests/unit/frontend/Compile.h"

#include <cmath>
#include <fmt/format.h>

namespace planc {
namespace {

struct Lowered {
  std::unique_ptr<ir::Plan> plan;
  std::unique_ptr<ir::Program> program;

  Lowered(std::string_view model, std::string_view rest) {
    auto plans = frontend::plansOf(fmt::format("import std.models.llama\nimport std.models.gpt\nimport std.optimizers\n"
                                               "plan p {{\n  model = {}\n{}\n}}\n",
                                               model, rest));
    if (plans.size() != 1) return;
    plan = std::move(plans[0]);
    DiagnosticEngine diagnostics;
    program = passes::lower(*plan, diagnostics);
    for (const Diagnostic* d : diagnostics.sorted()) reports.push_back(d->kind->id());
  }
  std::vector<std::string> reports;

  /// The classes of a repeat.
  std::vector<const ir::LayerClass*> classes(const char* layer) const {
    std::vector<const ir::LayerClass*> found;
    for (const ir::LayerClass& b : program->classes)
      if (!b.boundaryReshard && program->model->layers[b.layer].name == Symbol(layer)) found.push_back(&b);
    return found;
  }
  /// Bytes that one layer keeps.
  double kept() const {
    double bytes = 0;
    for (const ir::Saved& s : classes("decoder").at(0)->saved) bytes += s.bytes;
    return bytes;
  }
  /// Operators that backward of one layer runs again, and what they compute.
  std::vector<std::string> again(double* flops = nullptr) const {
    std::vector<std::string> paths;
    for (const ir::Node& n : classes("decoder").at(0)->backward) {
      if (n.phase != ir::Phase::Recompute || !n.isCompute()) continue;
      paths.push_back(program->model->pathOf(n.op).substr(8));
      if (flops) *flops += n.compute().work.flops * n.times;
    }
    return paths;
  }
};

const char* const kLlama = "  train { seq = 8192; global_batch = 8; micro_batch = 1; optimizer = optimizers.adam }\n"
                           "  mesh { dp = 8 }\n  place { batch -> dp }\n";
constexpr double s = 8192, h = 4096, kv = 1024, f = 14336;

/// torchtitan's selective checkpointing by operator keeps every second matrix product and attention: wq, wv, w1 and w2
/// of a Llama layer, and its input (torchtitan, distributed/activation_checkpoint.py, `_get_custom_policy`).
TEST(Recompute, TorchtitansListOnLlama8B) {
  const Lowered l("llama.llama3_8b",
                  std::string(kLlama) + "  recompute decoder { save = [attn.q, attn.v, attn.core, mlp.gate, mlp] }");
  ASSERT_TRUE(l.program);
  // Flash attention also keeps 4 bytes per head and token: 0.2 % of the sum.
  const double published = 2 * s * (h + h + kv + h + f + h) + 4 * s * 32;
  EXPECT_NEAR(l.kept() / published, 1, .02);
  EXPECT_DOUBLE_EQ(l.kept(), 2 * s * (h + h + kv + h + f + h));
  double flops = 0;
  EXPECT_EQ(l.again(&flops), (std::vector<std::string>{"norm1.out", "attn.k", "attn.qr", "attn.kr", "attn.out", "mid",
                                                       "norm2.out", "mlp.up", "mlp.act", "out"}));
  const double products = 2 * s * (h * kv + h * h + h * f), norms = 2 * 4 * s * h, rotary = 3 * s * (h + kv);
  EXPECT_DOUBLE_EQ(flops, products + norms + rotary + 5 * s * f + 2 * s * h);
}

TEST(Recompute, WithoutNamesALayerIsReplayedWhole) {
  const Lowered l("llama.llama3_8b", std::string(kLlama) + "  recompute decoder");
  ASSERT_TRUE(l.program);
  EXPECT_DOUBLE_EQ(l.kept(), 2 * s * h);
  double again = 0, forward = 0;
  l.again(&again);
  for (const ir::Node& n : l.classes("decoder").at(0)->forward)
    if (n.isCompute()) forward += n.compute().work.flops * n.times;
  EXPECT_DOUBLE_EQ(again, forward);
}

/// A layer of GPT keeps 34 sbh without its scores (arXiv 2205.05198, section 4.1): 11 of attention, 19 of the
/// feed-forward part, 4 of the norms' inputs. Megatron's `--recompute-modules layernorm mlp` with discarded outputs
/// (`CheckpointWithoutOutput`) keeps neither what a norm hands on, 2 sbh each, nor what the activation does, 8 sbh.
TEST(Recompute, MegatronsDiscardedOutputs) {
  const std::string rest = "  train { seq = 2048; global_batch = 1; micro_batch = 1; optimizer = optimizers.adam }\n"
                           "  precision { compute = fp16 }\n";
  const double sbh = 2048.0 * 12288;
  const auto kept = [&](const std::string& statement) {
    const Lowered l("gpt.gpt3_175b(layers = 1)", rest + statement);
    EXPECT_TRUE(l.program);
    EXPECT_EQ(l.reports, std::vector<std::string>{}) << statement;
    return l.kept() / sbh;
  };
  EXPECT_NEAR(kept(""), 34, .02 * 34);
  EXPECT_DOUBLE_EQ(kept("") - kept("  recompute decoder.norm1 { outputs = true }"), 2);
  EXPECT_DOUBLE_EQ(kept("") - kept("  recompute decoder.norm1, decoder.norm2 { outputs = true }"), 4);
  EXPECT_DOUBLE_EQ(kept("") - kept("  recompute decoder.mlp.act { outputs = true }"), 8);
  EXPECT_DOUBLE_EQ(kept("") - kept("  recompute decoder.norm1, decoder.norm2, decoder.mlp.act { outputs = true }"), 12);
}

TEST(Recompute, ADiscardedOutputIsMadeOnceBeforeItsFirstReader) {
  const Lowered l("llama.llama3_8b",
                  std::string(kLlama) + "  recompute decoder.norm1, decoder.norm2, decoder.mlp.act { outputs = true }");
  ASSERT_TRUE(l.program);
  double flops = 0;
  EXPECT_EQ(l.again(&flops), (std::vector<std::string>{"mlp.act", "norm2.out", "norm1.out"}));
  EXPECT_DOUBLE_EQ(flops, 5 * s * f + 2 * 4 * s * h);
  // Every reader waits for it.
  const auto& backward = l.classes("decoder").at(0)->backward;
  for (const ir::Node& n : backward) {
    if (!n.isCompute() || n.compute().role != ir::Role::WGrad || l.program->model->pathOf(n.op) != "decoder.mlp.out")
      continue;
    EXPECT_TRUE(std::any_of(n.deps.begin(), n.deps.end(),
                            [&](ir::NodeIndex d) { return backward[d].phase == ir::Phase::Recompute; }));
  }
}

/// Layers whose results one layer after the other discards are made again in that order.
TEST(Recompute, DiscardedOutputsOfNeighbours) {
  const Lowered l("llama.llama3_8b",
                  std::string(kLlama) + "  recompute decoder.attn.q, decoder.attn.qr { outputs = true }");
  ASSERT_TRUE(l.program);
  EXPECT_EQ(l.again(), (std::vector<std::string>{"attn.q", "attn.qr"}));
  const Lowered all("llama.llama3_8b", kLlama);
  EXPECT_DOUBLE_EQ(all.kept() - l.kept(), 2 * s * h);
}

/// Megatron's `--recompute-method block --recompute-num-layers n` counts in each virtual stage.
TEST(Recompute, FirstCountsPerVirtualStage) {
  const auto instances = [](const std::string& pipeline) {
    const Lowered l("llama.llama3_8b(layers = 16)",
                    "  train { seq = 1024; global_batch = 8; micro_batch = 1; optimizer = optimizers.adam }\n" +
                        pipeline + "\n  recompute decoder { first = 2 }");
    EXPECT_TRUE(l.program);
    std::string text;
    for (const ir::LayerClass* b : l.classes("decoder")) {
      const bool replays = std::any_of(b->backward.begin(), b->backward.end(),
                                       [](const ir::Node& n) { return n.phase == ir::Phase::Recompute; });
      text += b->instances.str() + (replays ? " again " : " kept ");
    }
    return text;
  };
  EXPECT_EQ(instances(""), "[0:2] again [2:16] kept ");
  EXPECT_EQ(instances("  mesh { pp = 2 }\n  pipeline pp { schedule = one_f_one_b }"),
            "[0:2, 8:10] again [2:8, 10:16] kept ");
  EXPECT_EQ(instances("  mesh { pp = 2 }\n  pipeline pp { schedule = interleaved_1f1b(chunks = 2) }"),
            "[0:2, 4:6, 8:10, 12:14] again [2:4, 6:8, 10:12, 14:16] kept ");
}

TEST(Recompute, NoneReplacesWhatIsInherited) {
  auto plans = frontend::plansOf(
      "import std.models.llama\nimport std.optimizers\nplan a {\n  model = llama.llama3_8b\n  train { seq = 1024; "
      "global_batch = 8; micro_batch = 1; optimizer = optimizers.adam }\n  recompute decoder\n}\nplan b extends a {\n  "
      "override recompute none\n}\nplan c extends b {\n  override recompute decoder.mlp { save = [gate] }\n}\n");
  ASSERT_EQ(plans.size(), 3u);
  EXPECT_EQ(plans[0]->recompute.size(), 1u);
  EXPECT_TRUE(plans[1]->recompute.empty());
  ASSERT_EQ(plans[2]->recompute.size(), 1u);
  EXPECT_EQ(plans[2]->recompute[0].str(), "decoder.mlp { save = [gate] }");
}

} // namespace
} // namespace planc
