// Random changes of a plan, each of one statement, for tests of what passes read and of layers that plans share.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tests/unit/frontend/Compile.h"
#include "tests/unit/support/Build.h"

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace planc::test {
using namespace ir;

/// Two repeats, tied embeddings, experts; a mesh of sixteen devices.
inline const std::string kText = R"(
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

/// Returns `kText` with other layers in place of the experts.
inline std::string with(const std::string& layers) {
  std::string text = kText;
  const std::string experts = "moe = blocks.moe(y, 8, 2, 64)";
  return text.replace(text.find(experts), experts.size(), layers);
}
inline std::string dense() {
  return with("moe = blocks.swiglu(y, 64)");
}
/// Returns `kText` as a plan that serves: each replica runs a batch of its own.
inline std::string served() {
  std::string text = kText;
  const std::string train = "train { seq = 16; global_batch = 64; micro_batch = 1; optimizer = optimizers.adam }";
  return text.replace(text.find(train), train.size(), "infer { seq = 16; batch = 4 }");
}
/// An expert gets 16 · 3 / 10 slots of a sample.
inline std::string partsOfSlots() {
  return with("moe = blocks.moe(y, 10, 3, 64)");
}

inline Plan base(const std::string& text = kText) {
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

inline void changeMesh(Plan& plan, Random& random) {
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
inline void changeBatches(Plan& plan, Random& random) {
  plan.workload.microBatch = any<int64_t>(random, {1, 2, 4, 3});
  plan.workload.globalBatch = any<int64_t>(random, {64, 128});
}
inline void changeSchedule(Plan& plan, Random& random) {
  plan.pipeline->schedule =
      Symbol(any<std::string>(random, {"interleaved_1f1b", "one_f_one_b", "gpipe", "zb_h1", "zb_v"}));
  plan.pipeline->arguments.clear();
  if (plan.pipeline->schedule == Symbol("interleaved_1f1b"))
    plan.pipeline->arguments = {{Symbol("chunks"), any<int64_t>(random, {1, 2, 3, 5}), {}}};
}
inline void changeRecompute(Plan& plan, Random& random) {
  plan.recompute.clear();
  const int drawn = static_cast<int>(random() % 4);
  if (drawn == 0) return;
  plan.recompute.push_back({{selector(drawn == 1 ? "decoder" : "decoder.mlp")}});
  if (drawn == 3) plan.recompute.back().first = 1 + static_cast<int64_t>(random() % 2);
}
inline void changeStates(Plan& plan, Random& random) {
  plan.states.clear();
  const int level = static_cast<int>(random() % 4);
  const Selector at = selector(random() % 4 == 0 ? "decoder[0:3]" : "");
  if (level > 0) plan.states.push_back({at, StateKind::Optimizer, {Symbol("dp")}, {}});
  if (level > 1) plan.states.push_back({at, StateKind::Grads, {Symbol("dp")}, {}});
  if (level > 2) plan.states.push_back({at, StateKind::Params, {Symbol("dp")}, {}});
}
inline void changePlacement(Plan& plan, Random& random) {
  std::erase_if(plan.placements,
                [](const PlacementRule& r) { return r.dim == Symbol("seq") || r.dim == Symbol("experts"); });
  if (random() % 2) plan.placements.push_back(rule("decoder", "seq", {"tp"}));
  const bool experts = std::any_of(plan.model->dims.begin(), plan.model->dims.end(),
                                   [](const Dim& d) { return d.name == Symbol("experts"); });
  if (random() % 2 && experts) plan.placements.push_back(rule("second.moe", "experts", {random() % 4 ? "ep" : "dp"}));
  if (random() % 8 == 0) plan.placements.push_back(rule("decoder", "seq", {"pp"})); // a law forbids it
}
/// The samples over one axis or two, with exceptions.
inline void changeSamples(Plan& plan, Random& random) {
  std::erase_if(plan.placements, [](const PlacementRule& r) { return r.dim == Symbol("batch"); });
  using Targets = std::vector<std::string>;
  const auto drawn = any<Targets>(random, {{"dp"}, {"dp"}, {"dp", "ep"}, {"dp", "ep"}, {"ep", "dp"}, {"dp", "tp"}, {}});
  plan.placements.push_back(rule("", "batch", drawn));
  if (random() % 8 == 0) plan.placements.push_back(rule("decoder", "batch", any<Targets>(random, {{}, {"dp"}})));
}
inline void changeKeeps(Plan& plan, Random& random) {
  plan.keeps.clear();
  if (random() % 2) plan.keeps.push_back({selector("decoder"), random() % 2 == 0, random() % 2 == 0});
}
inline void changeFrozen(Plan& plan, Random& random) {
  plan.workload.freeze.clear();
  if (random() % 3 == 0) plan.workload.freeze.push_back(selector(random() % 2 ? "embed" : "decoder[0:2]"));
}
inline void changePrecision(Plan& plan, Random& random) {
  plan.precision.compute = any<DType>(random, {DType::bf16, DType::fp16});
  plan.precision.grads = any<DType>(random, {DType::bf16, DType::fp32});
}

struct Change {
  const char* name;
  void (*apply)(Plan& plan, Random& random);
};
inline const std::vector<Change> kChanges = {
    {"mesh", changeMesh},           {"batches", changeBatches}, {"schedule", changeSchedule},
    {"recompute", changeRecompute}, {"states", changeStates},   {"states", changeStates},
    {"placement", changePlacement}, {"keeps", changeKeeps},     {"frozen", changeFrozen},
    {"precision", changePrecision}, {"samples", changeSamples}};

} // namespace planc::test
