// The rows of per-layer reports: the layers of a model, and the parts of composed layers.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/model/Model.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace planc::ir {

/// Top-level layers and the direct children of repeats have a row. A composed layer has the rows of its own children
/// instead: for example a layer with attention and feed-forward inside of a repeat of several layers. A block is
/// composed if two blocks in it hold products, or if its only such block is composed.
class LayerTree {
public:
  explicit LayerTree(const Model& model);
  /// The path of the row that an operator belongs to: a prefix of the operator's path.
  std::vector<Symbol> rowOf(OpId op) const;
  /// The paths of all rows and of all their prefixes (which stand for the sum of their rows), each once, in model
  /// order.
  std::vector<LayerRef> paths() const;
  /// Returns whether `ref` names one of these paths, with slices within the repeat's count.
  bool names(const LayerRef& ref) const;
  /// How often a row's part runs in one instance of its layer: the product of the counts of nested repeats around it.
  int64_t times(LayerId layer, const std::vector<Symbol>& row) const;

private:
  const Model& model_;
  std::set<std::vector<Symbol>> composed_;
  /// Repeats around operators inside of a layer, by layer and path.
  std::map<std::pair<LayerId, std::vector<Symbol>>, RegionId> regions_;
};

} // namespace planc::ir
