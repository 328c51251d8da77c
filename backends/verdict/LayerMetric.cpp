// The number of a layer: the rows that match it, and the sum over a repeat's children instance by instance.
// SPDX-License-Identifier: Apache-2.0
#include "backends/verdict/LayerMetric.h"

#include "ir/model/LayerTree.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <map>
#include <set>

namespace planc::verdict {
namespace {

using LayerRow = cost::LayerRow;
using Path = std::vector<Symbol>;

/// Numbers of equal instances may differ by rounding only.
constexpr double kSame = 1e-9;

bool same(double a, double b) {
  return std::abs(a - b) <= kSame * std::max(std::abs(a), std::abs(b));
}

/// The top-level layer of a row, with the instances that it stands for.
const ir::LayerStep& topOf(const LayerRow& row) {
  return row.layer.steps.front();
}

/// The time of a boundary reshard is not part of the adjacent layer.
std::vector<const LayerRow*> matchingRows(const cost::Estimate& estimate, const ir::LayerRef& asked) {
  std::vector<const LayerRow*> rows;
  for (const LayerRow& row : estimate.layers)
    if (!row.layer.boundary && asked.matches(row.layer.names())) rows.push_back(&row);
  return rows;
}

/// Instances of the top-level layer: from the model, or as many as the rows speak of.
int64_t instanceCount(const ir::Model* model, Symbol layer, const std::vector<const LayerRow*>& rows) {
  if (model)
    for (const ir::Layer& l : model->layers)
      if (l.name == layer) return l.repeat ? l.count : 1;
  int64_t count = 1;
  for (const LayerRow* row : rows)
    if (const auto& slice = topOf(*row).slice)
      for (const ir::Range& r : slice->ranges) count = std::max(count, r.end);
  return count;
}

/// The first instance of each class of equal ones that is asked for, ascending: slices of rows are the same or
/// disjoint, and there may be more instances than one can count.
std::set<int64_t> representatives(const std::vector<const LayerRow*>& rows, Symbol layer, const ir::LayerStep& asked,
                                  int64_t count) {
  const ir::RangeSet all{{{0, count, 1}}};
  std::set<int64_t> first;
  for (const LayerRow* row : rows)
    if (topOf(*row).name == layer)
      if (const auto at = topOf(*row).slice.value_or(all).firstCommon(asked.slice.value_or(all))) first.insert(*at);
  return first;
}

void addVariant(std::vector<LayerVariant>& variants, LayerVariant found) {
  for (const LayerVariant& v : variants)
    if (same(v.value, found.value)) return;
  variants.push_back(std::move(found));
}

/// How often the first steps of a row's path run in one instance of the top-level layer.
int64_t timesOf(const ir::Model* model, const Path& path) {
  if (!model) return 1;
  for (uint32_t l = 0; l < model->layers.size(); ++l)
    if (model->layers[ir::LayerId(l)].name == path[0]) return ir::LayerTree(*model).times(ir::LayerId(l), path);
  return 1;
}

/// Adds the numbers of one instance: per matched layer the sum over its children. Rows of one child on several stages
/// must agree, since the row does not say which instances are where.
void addInstance(const ir::Model* model, std::vector<LayerVariant>& variants, const std::vector<const LayerRow*>& rows,
                 size_t depth, double LayerRow::*field) {
  std::map<Path, std::map<Path, std::vector<const LayerRow*>>> layers; // what is asked for, its children
  for (const LayerRow* row : rows) layers[row->layer.prefix(depth).names()][row->layer.names()].push_back(row);
  for (const auto& [matched, children] : layers) {
    double sum = 0;
    ir::LayerRef label;
    for (const auto& [child, sameChild] : children) {
      const LayerRow& first = *sameChild.front();
      // A row of a nested repeat counts as often as it runs in one instance of the named layer.
      sum += first.*field * static_cast<double>(first.times) / static_cast<double>(timesOf(model, matched));
      if (label.steps.empty() || topOf(first).slice) label = first.layer.prefix(depth);
      for (const LayerRow* other : sameChild)
        if (!same(other->*field, first.*field))
          for (const LayerRow* row : {&first, other}) addVariant(variants, {row->layer, row->stage, row->*field});
    }
    addVariant(variants, {label, {}, sum});
  }
}

} // namespace

std::string LayerVariant::str() const {
  return stage ? fmt::format("{} on stage {}", layer.str(), *stage) : layer.str();
}

std::vector<LayerVariant> layerVariants(const ir::Model* model, const cost::Estimate& estimate,
                                        const ir::LayerRef& asked, double cost::LayerRow::*field) {
  const std::vector<const LayerRow*> rows = matchingRows(estimate, asked);
  std::vector<LayerVariant> variants;
  std::set<std::vector<const LayerRow*>> seen;
  std::set<Symbol> layers;
  for (const LayerRow* row : rows) layers.insert(topOf(*row).name);
  for (const Symbol layer : layers) {
    for (int64_t i : representatives(rows, layer, asked.steps[0], instanceCount(model, layer, rows))) {
      std::vector<const LayerRow*> here;
      for (const LayerRow* row : rows)
        if (topOf(*row).name == layer && (!topOf(*row).slice || topOf(*row).slice->contains(i))) here.push_back(row);
      if (!here.empty() && seen.insert(here).second) addInstance(model, variants, here, asked.steps.size(), field);
    }
  }
  return variants;
}

} // namespace planc::verdict
