// Random plans of the oracle: the models they place, and rules drawn at random that the laws may refuse.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/Frontend.h"
#include "passes/Passes.h"
#include "tests/unit/support/Build.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace planc::oracle {
using namespace ir;
using ir::Layer; // not planc::Layer, the exponents of a quantity
using test::mesh;
using test::rule;
using test::selector;

/// The base plan, elaborated once; each random plan is a copy with another mesh and other rules.
inline const Plan& basePlan() {
  static frontend::Session session;
  static const std::unique_ptr<Plan> plan = [] {
    std::string error;
    if (!session.load(PLANC_SOURCE_DIR "/tests/unit/oracle/oracle.plan", error)) ADD_FAILURE() << error;
    auto plans = session.plans();
    for (const Diagnostic* d : session.diagnostics().sorted()) ADD_FAILURE() << d->kind->id() << ": " << d->message;
    return plans.empty() ? std::make_unique<Plan>() : std::move(plans.front());
  }();
  return *plan;
}

struct Scope {
  const char* selector;
  std::vector<const char*> dims;
};
inline const std::vector<Scope> kScopes = {
    {"", {"batch", "seq"}},
    {"decoder", {"seq", "batch", "hidden"}},
    {"decoder.attn", {"heads", "kv_heads", "hidden", "seq", "head"}},
    {"decoder.attn.core", {"heads", "group", "kv_seq", "batch"}},
    {"decoder.both", {"ffn", "hidden", "seq", "rank"}},
    {"decoder.norm1", {"seq", "hidden"}},
    {"second", {"seq", "hidden", "batch"}},
    {"second.attn", {"heads", "hidden"}},
    {"second.attn.core", {"heads", "seq", "kv_seq"}},
    {"head", {"vocab", "hidden"}},
    {"embed", {"vocab", "hidden"}},
    {"norm", {"seq", "hidden"}},
};

/// A plan drawn at random: a mesh of eight devices, and rules at a few scopes that share out its axes.
inline Plan randomPlan(std::mt19937& random) {
  Plan plan = basePlan();
  const int shape = static_cast<int>(random() % 4);
  plan.mesh = shape == 0   ? mesh({{"a", 2}, {"b", 4}})
              : shape == 1 ? mesh({{"a", 4}, {"b", 2}})
                           : mesh({{"a", 2}, {"b", 2}, {"c", 2}});
  std::vector<std::string> names;
  for (AxisId a : plan.mesh.order) names.push_back(plan.mesh.axes[a].name.str());
  for (const Scope& scope : kScopes) {
    if (random() % 5 < 2) continue;
    std::vector<std::string> axes = names;
    std::vector<const char*> dims = scope.dims;
    std::shuffle(axes.begin(), axes.end(), random);
    std::shuffle(dims.begin(), dims.end(), random);
    const size_t rules = random() % 3;
    for (size_t i = 0; i < std::min(rules, dims.size()) && !axes.empty(); ++i) {
      const size_t take = std::min(axes.size(), size_t(1 + random() % 2));
      plan.placements.push_back(rule(scope.selector, dims[i], {axes.begin(), axes.begin() + static_cast<long>(take)}));
      axes.erase(axes.begin(), axes.begin() + static_cast<long>(take));
    }
  }
  if (random() % 2) plan.recompute.push_back({{selector(random() % 2 ? "decoder" : "decoder.attn.core")}});
  return plan;
}

/// Null if the laws refuse the plan.
inline std::unique_ptr<ShardedProgram> shard(const Plan& plan) {
  DiagnosticEngine diagnostics;
  return passes::shard(plan, diagnostics);
}
inline std::unique_ptr<Program> lower(const Plan& plan) {
  DiagnosticEngine diagnostics;
  return passes::lower(plan, diagnostics);
}

inline const Plan& familyPlan(const std::string& name) {
  static frontend::Session session;
  static const auto plans = [] {
    std::string error;
    if (!session.load(PLANC_SOURCE_DIR "/tests/unit/oracle/families.plan", error)) ADD_FAILURE() << error;
    auto all = session.plans();
    for (const Diagnostic* d : session.diagnostics().sorted()) ADD_FAILURE() << d->kind->id() << ": " << d->message;
    return all;
  }();
  for (const auto& plan : plans)
    if (plan->name == Symbol(name)) return *plan;
  ADD_FAILURE() << "no plan " << name;
  return *plans.front();
}

/// Draws the rules of one plan; `axes` in random order.
using Draw = std::function<void(Plan&, std::vector<std::string> axes, std::mt19937&)>;

inline Mesh randomMesh(std::mt19937& random) {
  const int shape = static_cast<int>(random() % 4);
  return shape == 0   ? mesh({{"a", 2}, {"b", 4}})
         : shape == 1 ? mesh({{"a", 4}, {"b", 2}})
                      : mesh({{"a", 2}, {"b", 2}, {"c", 2}});
}

/// Rules of random scopes over random dims, as for the large model.
inline Draw anywhere(std::vector<Scope> scopes) {
  return [scopes = std::move(scopes)](Plan& plan, std::vector<std::string> names, std::mt19937& random) {
    for (const Scope& scope : scopes) {
      if (random() % 4 == 0) continue;
      std::vector<std::string> axes = names;
      std::vector<const char*> dims = scope.dims;
      std::shuffle(axes.begin(), axes.end(), random);
      std::shuffle(dims.begin(), dims.end(), random);
      for (size_t i = 0, rules = random() % 3; i < std::min(rules, dims.size()) && !axes.empty(); ++i) {
        const size_t take = std::min(axes.size(), size_t(1 + random() % 2));
        plan.placements.push_back(
            rule(scope.selector, dims[i], {axes.begin(), axes.begin() + static_cast<long>(take)}));
        axes.erase(axes.begin(), axes.begin() + static_cast<long>(take));
      }
    }
    if (random() % 2) plan.recompute.push_back({{selector("decoder")}});
  };
}

/// Tokens over some axes, experts and their ffn over any: inside of what the tokens hold, beside it, or folded over
/// both.
inline void routedRules(Plan& plan, std::vector<std::string> axes, std::mt19937& random) {
  const size_t forBatch = random() % (axes.size() + 1), forSeq = random() % (axes.size() - forBatch + 1);
  const std::vector<std::string> batch(axes.begin(), axes.begin() + static_cast<long>(forBatch));
  const std::vector<std::string> seq(axes.begin() + static_cast<long>(forBatch),
                                     axes.begin() + static_cast<long>(forBatch + forSeq));
  if (!batch.empty()) plan.placements.push_back(rule("", "batch", batch));
  if (!seq.empty()) plan.placements.push_back(rule(random() % 2 ? "" : "decoder", "seq", seq));
  std::shuffle(axes.begin(), axes.end(), random);
  const size_t forExperts = random() % 3, forFfn = random() % 2;
  auto take = [&](size_t n) {
    n = std::min(n, axes.size());
    std::vector<std::string> taken(axes.end() - static_cast<long>(n), axes.end());
    axes.resize(axes.size() - n);
    return taken;
  };
  if (const auto experts = take(forExperts); !experts.empty())
    plan.placements.push_back(rule("decoder.moe", "experts", experts));
  if (const auto ffn = take(forFfn); !ffn.empty()) plan.placements.push_back(rule("decoder.moe", "ffn", ffn));
  if (random() % 2) plan.placements.push_back(rule("decoder.always", "ffn", {axes.empty() ? "a" : axes.back()}));
  if (random() % 3 == 0) plan.recompute.push_back({{selector("decoder")}});
}

} // namespace planc::oracle
