// The time that every layer adds to its stage, and the cuts of the layers into stages that minimise the work of the
// longest stage.
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
  double step = 0;    ///< seconds once per step: its update, and the inline part of its state communication
  double states = 0;  ///< bytes for the run
  double saved = 0;   ///< bytes of one micro-batch from its forward to its backward
  double working = 0; ///< bytes while it runs; the layers of a stage use them one after the other
};

/// The loads of all layers, in the order of the model, and the loads of a stage that do not depend on its layers.
struct StageLoads {
  std::vector<LayerLoad> layers;
  double passes = 1;             ///< micro-batches of a step through a virtual stage
  std::vector<double> transfers; ///< by virtual stage: seconds for which the transfers of one micro-batch occupy it
  std::vector<double> inFlight;  ///< by virtual stage: largest number of micro-batches whose activations it holds
  double room = 0;               ///< bytes that a device has for its layers
};

/// Prices the layers of a schedule for cuts between any two layers. Reports missing facts and then returns null.
std::unique_ptr<StageLoads> stageLoads(const ir::Schedule& schedule, DiagnosticEngine& diagnostics);

/// The number of layers of each virtual stage, and the seconds of the stage with the most work.
struct RankedCut {
  std::vector<int64_t> held;
  double longest = 0;
};

/// Returns at most `most` cuts, sorted by the work of their longest stage, least first. If `fits` is true, every stage
/// of a cut has room. The longest stage of a cut has at most `kLongest` times the work of the best cut's
/// longest stage. Each virtual stage counts as a device of its own.
std::vector<RankedCut> shortestCuts(const StageLoads& loads, bool fits, size_t most);

} // namespace planc::cost
