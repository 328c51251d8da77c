// Gates: by how much a metric may change before a comparison of two versions fails.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/verdict/Verdict.h"
#include "project/Config.h"

#include <optional>
#include <string>
#include <vector>

namespace planc::driver {

/// `step_time = "+3%"`; of what is true or false, as `memory.fits`, that it goes on to hold.
struct Gate {
  const verdict::Metric* metric = nullptr;
  bool relative = false; ///< to the value before
  bool falling = false;  ///< of a bound with `-`
  double bound = 0;      ///< in base units, or a fraction; below zero where it falls
  std::string text;      ///< as it is written: `+3%`
  SourceRange range;     ///< in planc.toml; nowhere for an option

  /// Does what becomes of the metric go beyond it? With `+` where it rises by more than that, with `-` where it falls
  /// by more than that; by exactly as much is still within.
  bool fails(double before, double after) const;
  /// What the metric of a plan that is new counts as before: what must hold, held. Nothing of numbers.
  std::optional<double> beforeNew() const { return metric->isBool ? std::optional(1.0) : std::nullopt; }
  /// `step_time > +3%`, `not memory.fits`: when it fails.
  std::string str() const;
};

/// What is wrong with a word of the command line.
struct GateMistake {
  std::string problem, help;
};

/// The gate that a word of `--fail-if` means: `step_time > +3%`, `tokens_per_second < -5%`, `not memory.fits`. Nothing
/// after a mistake.
std::optional<Gate> gateOfWord(const std::string& word, GateMistake& mistake);
/// Those of `[gates]`; what is wrong with one is reported.
std::vector<Gate> gatesOf(const project::Config& config, DiagnosticEngine& diagnostics);
/// All that hold: those of the command line, and those of planc.toml for metrics that it does not name.
std::vector<Gate> merged(std::vector<Gate> words, const std::vector<Gate>& config);

} // namespace planc::driver
