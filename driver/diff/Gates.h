// Gates: how much a metric may change before a comparison fails.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/verdict/Verdict.h"
#include "project/Config.h"

#include <optional>
#include <string>
#include <vector>

namespace planc::driver {

/// A gate: `step_time = "+3%"`, or for a boolean such as `memory.fits`, that it stays true.
struct Gate {
  const verdict::Metric* metric = nullptr;
  bool relative = false; ///< the bound is a share of the value before
  bool falling = false;  ///< the bound is written with `-`
  double bound = 0;      ///< in base units, or a fraction if relative; negative if falling
  std::string text;      ///< as written: `+3%`
  SourceRange range;     ///< in planc.toml; invalid for an option

  /// Returns whether the change exceeds the bound: a rise by more than a bound with `+`, a fall by more than one with
  /// `-`. A change that equals the bound passes.
  bool fails(double before, double after) const;
  /// Returns the value that a new plan's metric is compared with: true for a boolean, nothing for a number.
  std::optional<double> beforeNew() const { return metric->isBool ? std::optional(1.0) : std::nullopt; }
  /// Returns the condition under which it fails: `step_time > +3%`, `not memory.fits`.
  std::string str() const;
};

/// An error in a gate of the command line.
struct GateMistake {
  std::string problem, help;
};

/// Parses a value of `--fail-if`: `step_time > +3%`, `tokens_per_second < -5%`, `not memory.fits`. Returns nothing and
/// sets `mistake` if it is wrong.
std::optional<Gate> gateOfWord(const std::string& word, GateMistake& mistake);
/// Returns the gates of `[gates]` in planc.toml; reports wrong ones.
std::vector<Gate> gatesOf(const project::Config& config, DiagnosticEngine& diagnostics);
/// Returns the gates of the command line, and those of planc.toml for metrics that the command line does not name.
std::vector<Gate> merged(std::vector<Gate> words, const std::vector<Gate>& config);

} // namespace planc::driver
