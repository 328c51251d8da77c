// The rows of the report: layers, collectives and stages, folded over equal instances.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"
#include "backends/cost/simulate/Simulation.h"
#include "ir/LayerTree.h"

#include <string>
#include <vector>

namespace planc::cost {

/// The paths of the rows of one class: ir::LayerTree's, with the instances that the class stands for.
class RowPaths {
public:
  RowPaths(const ir::Program& program, ir::LayerClassId layerClass);
  /// Index of the row that an operator's numbers belong to; rows appear in the order in which they are asked for.
  size_t rowOf(ir::OpId op);
  const std::vector<std::string>& paths() const { return paths_; }
  /// Of a row: instances in one instance of the layer.
  int64_t times(size_t row) const;
  /// `decoder`, or `decoder[0:20]` where slices split the repeat into classes: the layer of its fused state
  /// collectives.
  const std::string& layerPath() const { return layerPath_; }

private:
  const ir::Program& program_;
  const ir::LayerClass& layerClass_;
  ir::LayerTree tree_;
  std::string layerPath_;
  std::vector<std::vector<Symbol>> rows_; ///< steps below the layer
  std::vector<std::string> paths_;
};

std::vector<LayerRow> layerRows(const Simulation& sim);
std::vector<CollectiveRow> collectiveRows(const Simulation& sim, const CostModel& model);
std::vector<StageRow> stageRows(const Simulation& sim);

} // namespace planc::cost
