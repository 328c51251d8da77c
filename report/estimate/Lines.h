// Rows of an estimate folded to the lines that people read: parts of the step, kinds of stages, collectives, layers.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "report/Report.h"
#include "report/tables/Cells.h"

#include <string>
#include <vector>

namespace planc::report {

/// A part of the step as the report calls it; `inside`: of the part above.
struct StepPart {
  std::string label;
  double seconds = 0;
  bool inside = false;
};
/// A part of `whole`, or 0 where it is no more than the rounding of sums.
double withoutResidue(double seconds, double whole);
/// What adds up to the step time, on the critical stage; parts that are optional are left out where they are nothing.
std::vector<StepPart> stepParts(const cost::Estimate& estimate);
/// Names in the report of the two rates of FLOPs beside the model's: the one with masked attention, and the executed
/// one.
inline constexpr std::string_view kCausalRate = "with attention masked", kExecutedRate = "executed FLOPs",
                                  kRecomputedRate = "with recomputation counted";
/// Returns whether any layer computes something again in backward because the plan says `recompute`.
bool recomputes(const cost::Estimate& estimate);
/// `stage 15, the heaviest: …`: which stage the numbers of the step are of, and why; empty where there is one stage.
std::string criticalText(const cost::Estimate& estimate);

/// What a stage does with a step; they add up to it without optimizer and overhead.
struct StageColumn {
  std::string_view label;
  double cost::StageRow::*seconds;
  std::string_view about;
};
const std::vector<StageColumn>& stageColumns();

/// Stages that run the same.
struct StageLine {
  std::vector<int64_t> stages;
  std::vector<const cost::StageRow*> rows;
};
std::vector<StageLine> stageLines(const cost::Estimate& estimate);
/// Seconds of a step of the lines' stages: a line per kind.
Table stageTable(const std::vector<StageLine>& lines, int64_t critical);

/// Neighbouring virtual stages that hold equally many of the same layers.
struct CutLine {
  std::string stages; ///< `2-6`
  std::string layers; ///< `embed, decoder x12`
};
std::vector<CutLine> cutLines(const ir::Program& program);
/// Were the stages cut for the least work of the longest device?
bool isBalanced(const ir::Plan& plan);

/// Collectives of one kind on one axis of the critical stage, added up over layers and phases.
struct CollectiveLine {
  std::vector<const cost::CollectiveRow*> rows;
  double count = 0, seconds = 0, onPath = 0, least = 0, most = 0;
  const cost::CollectiveRow& row() const { return *rows.front(); }
  /// `all-gather state dp room`: its words as the table prints them.
  std::string name() const;
};
/// Those that hold the step longest first.
std::vector<CollectiveLine> collectiveLines(const cost::Estimate& estimate);
/// `all_gather` as `all-gather`.
std::string dashed(std::string_view text);

/// Rows of one layer whose numbers of one instance agree, on whatever stages.
struct LayerLine {
  std::vector<const cost::LayerRow*> rows;
  const cost::LayerRow* critical = nullptr; ///< the row of the critical stage, if it is among them
  const cost::LayerRow& row() const { return critical ? *critical : *rows.front(); }
  /// Seconds of the step: computing, exposed, slowed, waiting for the host.
  double seconds() const;
};
/// `all`: a line per row.
std::vector<LayerLine> layerLines(const cost::Estimate& estimate, LayerOrder order, bool all);
/// Seconds of a step on the critical stage, then what one instance takes for one micro-batch. Columns without a number
/// are left out; `staged`: with the column of the stages.
Table layerTable(const std::vector<LayerLine>& lines, const cost::Totals& totals, bool staged);

} // namespace planc::report
