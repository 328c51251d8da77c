// The loops over what the search benchmark changes.
// SPDX-License-Identifier: Apache-2.0
#include "bench/Candidates.h"

#include "ir/LayerRef.h"

#include <string>

namespace planc::bench {
using namespace ir;

namespace {

constexpr int64_t kDevices = 512, kLayers = 96, kBatch = 512;

Selector at(const std::string& layer) {
  Selector selector;
  static_cast<LayerRef&>(selector) = layer.empty() ? LayerRef() : *parseLayerRef(layer);
  return selector;
}

/// Sequence parallelism of the residual stream, or none.
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

std::vector<Recompute> recomputed(const std::string& layer) {
  return layer.empty() ? std::vector<Recompute>() : std::vector<Recompute>{{.selectors = {at(layer)}}};
}

StateRule optimizerOver(const std::vector<Symbol>& axes) {
  StateRule rule;
  rule.selector = at("");
  rule.state = StateKind::Optimizer;
  rule.targets = axes;
  return rule;
}

} // namespace

std::vector<PlanEdit> searchEdits() {
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
              if (kLayers / p % v != 0 || (v > 1 && (p == 1 || kBatch / (d * b) % p != 0))) continue;
              for (const bool zero : {false, true}) {
                PlanEdit edit;
                edit.axes = {{Symbol("tp"), t}, {Symbol("dp"), d}, {Symbol("pp"), p}};
                edit.microBatch = b;
                edit.schedule = ScheduleEdit{Symbol("interleaved_1f1b"), {{Symbol("chunks"), v, {}}}};
                edit.recompute = recomputed(layer);
                edit.placements = sequence(sp);
                edit.states = {optimizerOver(zero ? std::vector<Symbol>{Symbol("dp")} : std::vector<Symbol>())};
                edits.push_back(std::move(edit));
              }
            }
          }
    }
  return edits;
}

} // namespace planc::bench
