// Rows of an estimate folded to the lines of reports: parts of the step, kinds of stages, collectives, layers.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "report/Report.h"
#include "report/tables/Cells.h"

#include <string>
#include <vector>

namespace planc::report {

/// A part of the step with its label in reports. `inside`: it is contained in the part above.
struct StepPart {
  std::string label;
  double seconds = 0;
  bool inside = false;
};
/// Returns the part, or 0 if it is only the rounding error of sums of `whole`.
double withoutResidue(double seconds, double whole);
/// Returns the parts that add up to the step time on the critical stage. Optional parts are left out if they are 0.
std::vector<StepPart> stepParts(const cost::Estimate& estimate);
/// Names of the FLOP rates in reports besides the model's: with masked attention, and executed.
inline constexpr std::string_view kCausalRate = "with attention masked", kExecutedRate = "executed FLOPs",
                                  kRecomputedRate = "with recomputation counted";
/// Returns whether any layer recomputes something in backward because of a `recompute` in the plan.
bool recomputes(const cost::Estimate& estimate);
/// Returns `stage 15, the heaviest: …`: the stage to which the numbers of the step belong, and why; empty with one
/// stage.
std::string criticalText(const cost::Estimate& estimate);

/// A part of a stage's step. The parts add up to the step without optimizer and overhead.
struct StageColumn {
  std::string_view label;
  double cost::StageRow::*seconds;
  std::string_view about;
};
/// Returns the columns of the stages' table.
const std::vector<StageColumn>& stageColumns();

/// Stages that run the same.
struct StageLine {
  std::vector<int64_t> stages;
  std::vector<const cost::StageRow*> rows;
};
/// Returns the stages, one line per kind of equal stages.
std::vector<StageLine> stageLines(const cost::Estimate& estimate);
/// Returns the seconds per step of the stages, one line per kind.
Table stageTable(const std::vector<StageLine>& lines, int64_t critical);

/// Adjacent virtual stages with equal counts of the same layers.
struct CutLine {
  std::string stages; ///< `2-6`
  std::string layers; ///< `embed, decoder x12`
};
/// Returns the virtual stages, one line per run of equal stages.
std::vector<CutLine> cutLines(const ir::Program& program);
/// Returns whether the stages were cut for the least work of the longest device.
bool isBalanced(const ir::Plan& plan);

/// Collectives of one kind on one axis of the critical stage, summed over layers and phases.
struct CollectiveLine {
  std::vector<const cost::CollectiveRow*> rows;
  double count = 0, seconds = 0, onPath = 0, least = 0, most = 0;
  const cost::CollectiveRow& row() const { return *rows.front(); }
  /// Returns its words as the table prints them: `all-gather state dp room`.
  std::string name() const;
};
/// Returns the lines, those that hold up the step longest first.
std::vector<CollectiveLine> collectiveLines(const cost::Estimate& estimate);
/// Returns `all_gather` as `all-gather`.
std::string dashed(std::string_view text);

/// Rows of one layer with equal numbers per instance, on any stages.
struct LayerLine {
  std::vector<const cost::LayerRow*> rows = {};
  const cost::LayerRow* critical = nullptr; ///< row of the critical stage, if it is one of them
  std::vector<std::string> instance = {};   ///< cells of one instance and micro-batch, equal in all rows
  const cost::LayerRow& row() const { return critical ? *critical : *rows.front(); }
  /// Returns the seconds per step: computing, exposed, slowed, waiting for the host.
  double seconds() const;
};
/// Returns the lines of the layers. `all`: one line per row.
std::vector<LayerLine> layerLines(const cost::Estimate& estimate, LayerOrder order, bool all);
/// Returns a table with the seconds per step on the critical stage, then the numbers of one instance and micro-batch.
/// Columns without numbers are left out. `staged`: with a column of the stages.
Table layerTable(const std::vector<LayerLine>& lines, const cost::Totals& totals, bool staged);

} // namespace planc::report
