// The table of metrics, the numbers of a result: their names in plans, reports and JSON, how they are read from an
// estimate, and their properties. All code that lists numbers reads this table.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"
#include "ir/vocabulary/Vocabulary.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planc::verdict {

/// How a number changes when the step takes longer, or the memory is fuller, and everything else stays.
enum class Follows { None, Rises, Falls };

/// Which rows explain the size of a metric (Contributors.cpp).
enum class Breakdown { None, Step, Compute, Slowed, Launches, Exposed, Communication, Params, Memory, Run };

/// The whole that a metric is a part of: another metric, or a whole that has only a name.
struct Whole {
  std::string_view name = {}; ///< name of a metric, or a phrase if `inWords`
  double most = 1;            ///< the largest share of it that a plan can reach
  bool inWords = false;       ///< the metric itself is a share of a whole such as `the peak` or `the run`
};

/// The two ends of the interval of a metric are metrics, too.
enum class End { Middle, Low, High };

/// The row of a word of `ir::metricWords()`.
struct Metric {
  const ir::Word* word = nullptr;
  const Unit& unit;
  std::string_view jsonField; ///< `totals.step_time_s`
  /// Reads the value in units of `scale`; returns nullopt if it has no meaning for the workload.
  std::optional<double> (*ofStep)(const cost::Estimate&) = nullptr;
  /// Reads the value off a plan's `run`, in base units.
  std::optional<double> (*ofRun)(const cost::RunAmounts&) = nullptr;
  /// Only for metrics `layer.…`: the field of a layer row that holds the value.
  double cost::LayerRow::*row = nullptr;
  double scale = 1; ///< base units in one unit of `ofStep`
  bool isBool = false;
  std::string_view label = {}; ///< in text reports and as a topic of `planc explain`; empty if no line shows it
  std::string_view needs = {}; ///< example of the `run` fact that the value requires
  /// Parts of an estimate that the metric is read from, in addition to times, rates and memory.
  cost::Wanted wanted = {false, false};
  Follows follows = Follows::None;
  /// The metric is proportional to this power of the step time: 1 for times and costs, -1 for rates, 0 for other
  /// metrics.
  int power = 0;
  Whole whole = {};
  Breakdown breakdown = Breakdown::None;
  bool interval = false; ///< `NAME.low` and `NAME.high` are metrics, too
  End end = End::Middle;
  const Metric* middle = nullptr; ///< for an end: the metric itself

  std::string_view name() const { return word->name; }
  bool ofLayer() const { return row != nullptr; }
  /// Returns the value in base units, or nullopt if it has no meaning for the workload. Not for metrics of layers.
  std::optional<double> read(const cost::Estimate& estimate) const;
};

/// Every metric of the language, in the order of the JSON report.
ir::Implementations<Metric>& metrics();
/// Returns the row of that name, or null.
const Metric* findMetric(std::string_view name);
/// Returns at most three metrics whose words fit those of an unknown name best: `run.days` for `run.time`.
std::vector<std::string> relatedMetrics(std::string_view asked);
/// Returns the metrics that are parts of `whole`, or of one of its parts, in the order of the table.
std::vector<const Metric*> partsOf(std::string_view whole);

} // namespace planc::verdict
