// A measured step beside the predicted one: operator by operator, collective by collective, and what the device did in
// between.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"
#include "backends/cost/simulate/Simulation.h"
#include "calibrate/compare/TraceSteps.h"
#include "calibrate/compare/WorkKey.h"

#include <string>
#include <vector>

namespace planc::calibrate {

/// Which sides a row has.
enum class Sides : uint8_t { Both, Plan, Trace };
std::string_view name(Sides sides); ///< `both`, `plan`, `trace`

/// Work that both sides know as the same, or work of one side. Seconds and runs are of one device and step.
struct ComparedRow {
  std::vector<std::string> of; ///< paths of operators, or the name of an operator of PyTorch, or of a collective
  std::string size;            ///< `8192 x 2048 x 5632`
  WorkPass pass = WorkPass::Either;
  Sides sides = Sides::Both;
  std::string record; ///< the calibrated record that a calibration would move; empty: none
  double planRuns = 0, runs = 0;
  double predicted = 0, measured = 0;
  double gap() const { return measured - predicted; }
};

/// A part of the step's time on both sides. The parts of each side add up to its step.
struct ComparedPart {
  std::string_view name, about;
  double predicted = 0, measured = 0;
};

struct TraceComparison {
  int64_t stage = 0;
  size_t steps = 0;                     ///< measured steps that count
  double median = 0, low = 0, high = 0; ///< seconds of the measured steps
  double predicted = 0, measured = 0;   ///< seconds of a step; measured: the mean, which the parts add up to
  std::vector<ComparedPart> parts;
  std::vector<ComparedRow> operators;   ///< largest gap first; each side adds up to its part `operators`
  std::vector<ComparedRow> collectives; ///< seconds in which they run, hidden or not; largest gap first
  /// Share of the operators' time of each side that has a counterpart.
  double planMatched = 0, traceMatched = 0;
};

/// What is compared. The schedule is that of the simulation.
struct Predicted {
  const cost::Simulation* simulation = nullptr;
  const cost::Estimate* estimate = nullptr;
  int64_t stage = 0; ///< pipeline stage of the traced rank
};

/// Compares the steps of one GPU with a stage of a plan. `steps` must not be empty.
TraceComparison compare(const Predicted& plan, const Trace& trace, const TraceWorks& works,
                        const std::vector<TraceStep>& steps);

/// Returns, by kernel, whether it moves data between devices.
std::vector<bool> movesOf(const Trace& trace, const TraceWorks& works);

} // namespace planc::calibrate
