// Determines the rows of per-layer reports: the layers, and the parts of composed layers.
// SPDX-License-Identifier: Apache-2.0
#include "ir/model/LayerTree.h"

#include <algorithm>
#include <map>

namespace planc::ir {

namespace {

using Path = std::vector<Symbol>;

/// For the path of each block: its child blocks that hold products.
std::map<Path, std::set<Symbol>> blocksOf(const Model& model) {
  std::map<Path, std::set<Symbol>> blocks;
  for (const Op& op : model.ops)
    for (size_t depth = 1; isProduct(op.kind) && depth + 1 < op.path.size(); ++depth)
      blocks[Path(op.path.begin(), op.path.begin() + static_cast<std::ptrdiff_t>(depth))].insert(op.path[depth]);
  return blocks;
}

} // namespace

LayerTree::LayerTree(const Model& model) : model_(model) {
  const std::map<Path, std::set<Symbol>> blocks = blocksOf(model);
  std::vector<const std::pair<const Path, std::set<Symbol>>*> deepestFirst;
  for (const auto& entry : blocks) deepestFirst.push_back(&entry);
  std::stable_sort(deepestFirst.begin(), deepestFirst.end(),
                   [](const auto* a, const auto* b) { return a->first.size() > b->first.size(); });
  for (const auto* entry : deepestFirst) {
    Path only = entry->first;
    only.push_back(*entry->second.begin());
    if (entry->second.size() > 1 || composed_.count(only)) composed_.insert(entry->first);
  }
  for (const Op& op : model.ops)
    for (RegionId r = op.region; r.valid() && r != model.layers[op.layer].region; r = model.regions[r].parent)
      if (!regions_.emplace(std::pair(op.layer, model.regions[r].path), r).second) break;
}

std::vector<Symbol> LayerTree::rowOf(OpId id) const {
  const Op& op = model_.ops[id];
  const size_t least = model_.layers[op.layer].repeated() ? 2 : 1;
  Path row(op.path.begin(), op.path.begin() + static_cast<std::ptrdiff_t>(std::min(least, op.path.size())));
  while (row.size() < op.path.size() && composed_.count(row)) row.push_back(op.path[row.size()]);
  return row;
}

std::vector<LayerRef> LayerTree::paths() const {
  std::vector<LayerRef> paths;
  std::set<Path> seen;
  for (uint32_t i = 0; i < model_.ops.size(); ++i) {
    if (model_.ops[OpId(i)].kind == OpKind::Carry) continue;
    Path path;
    for (Symbol step : rowOf(OpId(i))) {
      path.push_back(step);
      if (seen.insert(path).second) paths.push_back(LayerRef::of(path));
    }
  }
  return paths;
}

bool LayerTree::names(const LayerRef& ref) const {
  if (ref.steps.empty() || ref.boundary) return false;
  for (const Layer& layer : model_.layers) {
    if (!ref.prefix(1).matches(layer.path()) || !layer.has(ref.steps[0])) continue;
    if (ref.steps.size() == 1) return true;
    for (uint32_t i = layer.first.index; i < layer.end.index; ++i)
      if (model_.ops[OpId(i)].kind != OpKind::Carry && ref.matches(rowOf(OpId(i)))) return true;
  }
  return false;
}

int64_t LayerTree::times(LayerId id, const std::vector<Symbol>& row) const {
  const Layer& layer = model_.layers[id];
  RegionId deepest = layer.region;
  const size_t least = deepest.valid() ? model_.regions[deepest].path.size() : 0;
  for (size_t length = row.size(); length > least; --length)
    if (const auto found = regions_.find({id, Path(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(length))});
        found != regions_.end()) {
      deepest = found->second;
      break;
    }
  return deepest.valid() ? model_.times(deepest) / std::max<int64_t>(1, model_.times(layer.region)) : 1;
}

} // namespace planc::ir
