// The rows of the report: layers, collectives and stages, folded over equal instances.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"
#include "backends/cost/simulate/Simulation.h"
#include "ir/model/LayerTree.h"

#include <map>
#include <vector>

namespace planc::cost {

/// Maps the operators of one class to rows: the rows of ir::LayerTree, with the instances that the class stands for.
class ClassLayers {
public:
  /// `tree` belongs to the program's model and must outlive this object.
  ClassLayers(const ir::Program& program, const ir::LayerTree& tree, ir::LayerClassId layerClass);
  /// Returns the index of an operator's row. A row is created the first time it is requested.
  size_t rowOf(ir::OpId op);
  const std::vector<ir::LayerRef>& rows() const { return rows_; }
  /// Returns how many instances of a row's layer lie in one instance of the top-level layer.
  int64_t times(size_t row) const;

private:
  const ir::Program& program_;
  const ir::LayerClass& layerClass_;
  const ir::LayerTree& tree_;
  std::vector<ir::LayerRef> rows_;
  std::map<ir::LayerRef, size_t> places_;    ///< index of each row in `rows_`
  std::map<ir::OpId, size_t> rowOfOperator_; ///< row of each operator that was requested
};

/// Returns the rows of all stages, stage by stage.
std::vector<LayerRow> layerRows(const Simulation& sim);
std::vector<CollectiveRow> collectiveRows(const Simulation& sim, const CostModel& model);
std::vector<StageRow> stageRows(const Simulation& sim);

} // namespace planc::cost
