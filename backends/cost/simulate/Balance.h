// The time that every layer adds to its stage, and the cuts of the layers into stages for which the longest one
// has the least work.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/price/CostModel.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace planc::cost {

/// An instance of a repeat, or a plain layer.
struct LayerLoad {
  double pass = 0;    ///< seconds of one micro-batch, forward and backward
  double step = 0;    ///< seconds once per step: its update, and what of its states is inline
  double states = 0;  ///< bytes for the run
  double saved = 0;   ///< bytes of one micro-batch from its forward to its backward
  double working = 0; ///< bytes while it runs; layers of a stage take turns with them
};

/// Layers in the order of the model, and what a stage pays whatever it holds.
struct StageLoads {
  std::vector<LayerLoad> layers;
  double passes = 1;             ///< micro-batches of a step through a virtual stage
  std::vector<double> transfers; ///< by virtual stage: seconds of one micro-batch that transfers hold it
  std::vector<double> inFlight;  ///< by virtual stage: micro-batches whose activations it holds at most
  double room = 0;               ///< bytes that a device has for its layers
};

/// Prices the layers of a schedule that may be cut anywhere; null if facts lack (reported).
std::unique_ptr<StageLoads> stageLoads(const ir::Schedule& schedule, DiagnosticEngine& diagnostics);

/// How many layers each virtual stage holds, and the seconds of the one with the most work.
struct RankedCut {
  std::vector<int64_t> held;
  double longest = 0;
};

/// The cuts whose longest stage has the least work, those with the least first, `most` of them; with `fits` only cuts
/// for which every stage has room. None has more than eight times the least (`kLongest`). Every virtual stage is taken
/// for a device's.
std::vector<RankedCut> shortestCuts(const StageLoads& loads, bool fits, size_t most);

} // namespace planc::cost
