// Makes the candidates of the search benchmarks.
// SPDX-License-Identifier: Apache-2.0
#include "bench/Candidates.h"

#include "ir/model/LayerRef.h"

#include <string>

namespace planc::bench {
using namespace ir;

namespace {

Selector at(const std::string& layer) {
  Selector selector;
  static_cast<LayerRef&>(selector) = layer.empty() ? LayerRef() : *parseLayerRef(layer);
  return selector;
}

/// Returns rules that shard the residual stream over the sequence, or that replicate it.
std::vector<PlacementRule> sequence(bool parallel) {
  std::vector<PlacementRule> rules;
  for (const char* layer : {"decoder", "position", "norm"}) {
    PlacementRule rule;
    rule.selector = at(layer);
    rule.dim = Symbol("seq");
    if (parallel) rule.targets = {Symbol("tp")};
    rules.push_back(std::move(rule));
  }
  return rules;
}

std::vector<Recompute> recomputed(const std::vector<std::string>& layers, bool outputs = false) {
  if (layers.empty()) return {};
  Recompute statement;
  for (const std::string& layer : layers) statement.selectors.push_back(at(layer));
  statement.outputs = outputs;
  return {std::move(statement)};
}

StateRule stateOver(StateKind state, const std::vector<Symbol>& axes) {
  StateRule rule;
  rule.selector = at("");
  rule.state = state;
  rule.targets = axes;
  return rule;
}

ScheduleEdit interleaved(int64_t chunks) {
  return {Symbol("interleaved_1f1b"), {{Symbol("chunks"), chunks, {}}}};
}

/// Returns whether a stage with this many layers can have this many chunks, and the schedule this many micro-batches.
bool divides(int64_t chunks, int64_t layersOfStage, int64_t stages, int64_t microBatches) {
  return layersOfStage % chunks == 0 && (chunks == 1 || (stages > 1 && microBatches % stages == 0));
}

} // namespace

std::vector<PlanEdit> searchEdits() {
  constexpr int64_t kDevices = 512, kLayers = 96, kBatch = 512;
  std::vector<PlanEdit> edits;
  for (int64_t t = 1; t <= 8; t *= 2)
    for (int64_t p = 1; p <= kLayers; ++p) {
      if (kLayers % p != 0 || kDevices % (t * p) != 0) continue;
      const int64_t d = kDevices / t / p;
      for (int64_t b = 1; b <= 16 && kBatch % (d * b) == 0; b *= 2)
        for (const char* layer : {"", "decoder.attn.core", "decoder"})
          for (const bool sp : {false, true}) {
            if (sp && t == 1) continue;
            for (int64_t v = 1; v <= 6; ++v) {
              if (!divides(v, kLayers / p, p, kBatch / (d * b))) continue;
              for (const bool zero : {false, true}) {
                PlanEdit edit;
                edit.axes = {{Symbol("tp"), t}, {Symbol("dp"), d}, {Symbol("pp"), p}};
                edit.microBatch = b;
                edit.schedule = interleaved(v);
                edit.recompute = recomputed(*layer ? std::vector<std::string>{layer} : std::vector<std::string>());
                edit.placements = sequence(sp);
                edit.states = {
                    stateOver(StateKind::Optimizer, zero ? std::vector<Symbol>{Symbol("dp")} : std::vector<Symbol>())};
                edits.push_back(std::move(edit));
              }
            }
          }
    }
  return edits;
}

namespace {

/// Returns the state rules of ZeRO-0, ZeRO-1 and ZeRO-3 over the replicas.
std::vector<std::vector<StateRule>> shardings() {
  const std::vector<Symbol> none, all{Symbol("dp")};
  std::vector<std::vector<StateRule>> found;
  for (const auto& [params, optimizer] : {std::pair{none, none}, {none, all}, {all, all}})
    found.push_back({stateOver(StateKind::Params, params), stateOver(StateKind::Grads, params),
                     stateOver(StateKind::Optimizer, optimizer)});
  return found;
}

} // namespace

std::vector<PlanEdit> expertEdits() {
  constexpr int64_t kDevices = 2048, kLayers = 64, kBatch = 16384;
  const std::vector<std::vector<Recompute>> statements = {
      {}, recomputed({"*.norm1", "*.norm2"}, true), recomputed({"dense", "decoder", "mtp"})};
  const std::vector<std::vector<StateRule>> states = shardings();
  std::vector<PlanEdit> edits;
  for (int64_t t = 1; t <= 8; t *= 2)
    for (int64_t p = 4; p <= 32; p *= 2)
      for (int64_t e = 8; e <= 256 && e <= kDevices / (t * p); e *= 2)
        for (int64_t b = 1; b <= 4; b *= 2)
          for (const std::vector<Recompute>& recompute : statements)
            for (int64_t v = 1; v <= 4; v *= 2) {
              const int64_t d = kDevices / (t * p);
              if (!divides(v, kLayers / p, p, kBatch / (d * b))) continue;
              for (const std::vector<StateRule>& sharded : states) {
                PlanEdit edit;
                edit.axes = {{Symbol("tp"), t}, {Symbol("ep"), e}, {Symbol("edp"), d / e}, {Symbol("pp"), p}};
                edit.microBatch = b;
                edit.schedule = interleaved(v);
                edit.recompute = recompute;
                edit.states = sharded;
                edits.push_back(std::move(edit));
              }
            }
  return edits;
}

} // namespace planc::bench
