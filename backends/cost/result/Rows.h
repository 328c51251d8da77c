// The rows of the report: layers, collectives and stages, folded over equal instances.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"
#include "backends/cost/simulate/Simulation.h"
#include "ir/model/LayerTree.h"

#include <vector>

namespace planc::cost {

/// The rows of one class: ir::LayerTree's, with the instances that the class stands for.
class ClassLayers {
public:
  /// The tree, of the program's model, must outlive it.
  ClassLayers(const ir::Program& program, const ir::LayerTree& tree, ir::LayerClassId layerClass);
  /// Index of the row that an operator's numbers belong to; rows appear in the order in which they are asked for.
  size_t rowOf(ir::OpId op);
  const std::vector<ir::LayerRef>& rows() const { return rows_; }
  /// Of a row: instances in one instance of the layer.
  int64_t times(size_t row) const;

private:
  const ir::Program& program_;
  const ir::LayerClass& layerClass_;
  const ir::LayerTree& tree_;
  std::vector<ir::LayerRef> rows_;
};

std::vector<LayerRow> layerRows(const Simulation& sim);
std::vector<CollectiveRow> collectiveRows(const Simulation& sim, const CostModel& model);
std::vector<StageRow> stageRows(const Simulation& sim);

} // namespace planc::cost
