// Which parts of a model are listed: the layers, and the parts of those that are made of several.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/model/Model.h"

#include <set>
#include <vector>

namespace planc::ir {

/// Top-level layers and the direct children of repeats are listed. One that is itself composed of blocks is listed by
/// its own children: a layer with its attention and feed-forward part inside of a repeat of several layers. Composed is
/// what has two blocks with products inside, or one that is composed.
class LayerTree {
public:
  explicit LayerTree(const Model& model);
  /// The path of the row that an operator belongs to: a prefix of its own.
  std::vector<Symbol> rowOf(OpId op) const;
  /// The paths of all rows, and what they begin with, which stands for the sum of what it holds; each once, in order of
  /// the model.
  std::vector<LayerRef> paths() const;
  /// Whether the path names one of them, with slices inside of the repeat's count.
  bool names(const LayerRef& ref) const;
  /// How often a row's part runs in one instance of its layer: the counts of nested repeats around it.
  int64_t times(LayerId layer, const std::vector<Symbol>& row) const;

private:
  const Model& model_;
  std::set<std::vector<Symbol>> composed_;
};

} // namespace planc::ir
