// The layers of the last groups of plans, and the rest of the pipeline over them.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Lowerings.h"

#include <algorithm>

namespace planc::passes {
using namespace ir;

namespace {

/// All that the passes over layers read.
PlanParts readByLayers() {
  PlanParts parts;
  for (const Pass& pass : pipeline()) parts |= pass.reads;
  return parts;
}

const Pass& lastOfLayers() {
  static const Pass& last =
      *std::find_if(pipeline().rbegin(), pipeline().rend(), [](const Pass& pass) { return !pass.reads.empty(); });
  return last;
}

} // namespace

Lowerings::Layers* Lowerings::find(const Plan& plan) {
  static const PlanParts parts = readByLayers();
  for (auto layers = kept_.begin(); layers != kept_.end(); ++layers)
    if (agree(parts, *layers->plan, plan)) {
      kept_.splice(kept_.begin(), kept_, layers);
      return &kept_.front();
    }
  return nullptr;
}

std::unique_ptr<Program> Lowerings::lower(const Plan& plan, DiagnosticEngine& diagnostics) {
  if (const Layers* layers = find(plan)) {
    ++shared_;
    auto program = std::make_unique<Program>(layers->program);
    program->plan = &plan;
    return lowerAgain(*program, diagnostics) ? std::move(program) : nullptr;
  }
  ++lowered_;
  // The layers point at rules: at those of a copy that lives as long as they do.
  auto copy = std::make_shared<const Plan>(plan);
  Program layers;
  auto program = passes::lower(*copy, Level::Comm, diagnostics, [&](const Passed& passed) {
    if (&passed.pass == &lastOfLayers()) layers = passed.program;
  });
  if (!program) return nullptr;
  program->plan = &plan;
  program->rulesOf = layers.rulesOf = copy;
  kept_.push_front({std::move(copy), std::move(layers)});
  if (kept_.size() > most_) kept_.pop_back();
  return program;
}

} // namespace planc::passes
