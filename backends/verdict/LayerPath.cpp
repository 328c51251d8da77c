// Paths of report rows: the parser, the match against the model, and the sum over a repeat's children instance by
// instance.
// SPDX-License-Identifier: Apache-2.0
#include "backends/verdict/LayerPath.h"

#include "ir/LayerTree.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/core.h>
#include <map>
#include <set>

namespace planc::verdict {
namespace {

/// Numbers of equal instances may differ by rounding only.
constexpr double kSame = 1e-9;

bool same(double a, double b) {
  return std::abs(a - b) <= kSame * std::max(std::abs(a), std::abs(b));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  size_t from = 0;
  int depth = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '[') ++depth;
    if (i < text.size() && text[i] == ']') --depth;
    if (i == text.size() || (text[i] == separator && depth == 0)) {
      parts.push_back(text.substr(from, i - from));
      from = i + 1;
    }
  }
  return parts;
}

std::string_view trim(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

std::optional<int64_t> parseInt(std::string_view text) {
  text = trim(text);
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return {};
  return value;
}

/// `7`, `0:20` or `0:80:2`.
std::optional<ir::Range> parseRange(std::string_view text) {
  std::vector<int64_t> numbers;
  for (std::string_view part : split(text, ':')) {
    auto n = parseInt(part);
    if (!n) return {};
    numbers.push_back(*n);
  }
  if (numbers.size() == 1) return ir::Range{numbers[0], numbers[0] + 1, 1};
  if (numbers.size() == 2) return ir::Range{numbers[0], numbers[1], 1};
  if (numbers.size() == 3 && numbers[2] > 0) return ir::Range{numbers[0], numbers[1], numbers[2]};
  return {};
}

/// The bracketed rest of a step: one or more `[…]`, each a list of ranges.
std::optional<ir::RangeSet> parseSlice(std::string_view text) {
  ir::RangeSet set;
  while (!text.empty()) {
    size_t close = text.find(']');
    if (text.front() != '[' || close == std::string_view::npos) return {};
    for (std::string_view part : split(text.substr(1, close - 1), ',')) {
      auto range = parseRange(part);
      if (!range) return {};
      set.ranges.push_back(*range);
    }
    text.remove_prefix(close + 1);
  }
  return set;
}

bool isName(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isalnum(c) || c == '_' || c >= 0x80; });
}

bool nameMatches(const LayerStep& selector, std::string_view name) {
  return selector.star || selector.name == name;
}

bool inside(const LayerStep& step, int64_t instance) {
  if (!step.slice) return true;
  return std::any_of(step.slice->ranges.begin(), step.slice->ranges.end(),
                     [&](const ir::Range& r) { return r.contains(instance); });
}

/// A report row with its path taken apart.
struct Row {
  std::vector<LayerStep> steps;
  const cost::LayerRow* row = nullptr;
};

std::vector<Row> matchingRows(const cost::Estimate& estimate, const std::vector<LayerStep>& path) {
  std::vector<Row> rows;
  for (const cost::LayerRow& row : estimate.layers) {
    auto steps = parseLayerPath(row.path);
    if (!steps || steps->size() < path.size()) continue;
    bool ok = true;
    for (size_t i = 0; ok && i < path.size(); ++i) ok = nameMatches(path[i], (*steps)[i].name);
    if (ok) rows.push_back({std::move(*steps), &row});
  }
  return rows;
}

/// Instances of the top-level layer: from the model, or as many as the rows speak of.
int64_t instanceCount(const ir::Model* model, const std::string& unit, const std::vector<Row>& rows) {
  if (model)
    for (const ir::Layer& u : model->layers)
      if (u.name == Symbol(unit)) return u.repeat ? u.count : 1;
  int64_t count = 1;
  for (const Row& row : rows)
    if (row.steps[0].slice)
      for (const ir::Range& r : row.steps[0].slice->ranges) count = std::max(count, r.end);
  return count;
}

/// The first instance of each class of equal ones that the selector reaches, ascending: slices of rows are the same or
/// disjoint, and there may be more instances than one can count.
std::set<int64_t> representatives(const std::vector<Row>& rows, const std::string& unit, const LayerStep& selector,
                                  int64_t count) {
  const ir::RangeSet all{{{0, count, 1}}};
  std::set<int64_t> first;
  for (const Row& row : rows)
    if (row.steps[0].name == unit)
      if (const auto at = row.steps[0].slice.value_or(all).firstCommon(selector.slice.value_or(all))) first.insert(*at);
  return first;
}

std::string stepText(const LayerStep& step) {
  std::string text = step.name;
  if (!step.slice) return text;
  text += "[";
  for (size_t i = 0; i < step.slice->ranges.size(); ++i) {
    const ir::Range& r = step.slice->ranges[i];
    if (i) text += ",";
    text += std::to_string(r.begin);
    if (r.count() == 1) continue;
    text += fmt::format(":{}", r.end);
    if (r.step != 1) text += fmt::format(":{}", r.step);
  }
  return text + "]";
}

std::string prefixText(const Row& row, size_t steps) {
  std::string text;
  for (size_t i = 0; i < steps; ++i) text += fmt::format("{}{}", i ? "." : "", stepText(row.steps[i]));
  return text;
}

std::string childName(const Row& row) {
  std::string text;
  for (const LayerStep& step : row.steps) text += fmt::format(".{}", step.name);
  return text;
}

void addVariant(std::vector<LayerVariant>& variants, std::string path, double value) {
  for (const LayerVariant& v : variants)
    if (same(v.value, value)) return;
  variants.push_back({std::move(path), value});
}

/// How often the first steps of a row's path run in one instance of the top-level layer.
int64_t timesOf(const ir::Model* model, const Row& row, size_t depth) {
  if (!model) return 1;
  std::vector<Symbol> path;
  for (size_t i = 0; i < depth; ++i) path.emplace_back(row.steps[i].name);
  for (uint32_t u = 0; u < model->layers.size(); ++u)
    if (model->layers[ir::LayerId(u)].name == path[0]) return ir::LayerTree(*model).times(ir::LayerId(u), path);
  return 1;
}

/// Adds the numbers of one instance: per matched layer the sum over its children. Rows of one child on several stages
/// must agree, since the row does not say which instances are where.
void addInstance(const ir::Model* model, std::vector<LayerVariant>& variants, const std::vector<const Row*>& rows,
                 size_t depth, double cost::LayerRow::*field) {
  std::map<std::string, std::map<std::string, std::vector<const Row*>>> layers; // matched name, child name
  for (const Row* row : rows) {
    std::string matched;
    for (size_t i = 0; i < depth; ++i) matched += "." + row->steps[i].name;
    layers[matched][childName(*row)].push_back(row);
  }
  for (const auto& [matched, children] : layers) {
    double sum = 0;
    std::string label;
    for (const auto& [child, sameChild] : children) {
      const Row& first = *sameChild.front();
      // Of what a nested repeat holds as often as it runs in one of what is named.
      sum +=
          first.row->*field * static_cast<double>(first.row->times) / static_cast<double>(timesOf(model, first, depth));
      if (label.empty() || first.steps[0].slice) label = prefixText(first, depth);
      for (const Row* other : sameChild)
        if (!same(other->row->*field, first.row->*field)) {
          auto name = [&](const Row& r) { return r.row->path + " on stage " + std::to_string(r.row->stage); };
          addVariant(variants, name(first), first.row->*field);
          addVariant(variants, name(*other), other->row->*field);
        }
    }
    addVariant(variants, label, sum);
  }
}

} // namespace

std::optional<std::vector<LayerStep>> parseLayerPath(std::string_view text) {
  std::vector<LayerStep> steps;
  for (std::string_view part : split(text, '.')) {
    part = trim(part);
    size_t bracket = std::min(part.find('['), part.size());
    LayerStep step;
    step.name = std::string(trim(part.substr(0, bracket)));
    step.star = step.name == "*";
    if (!step.star && !isName(step.name)) return {};
    if (bracket < part.size()) {
      step.slice = parseSlice(part.substr(bracket));
      if (!step.slice) return {};
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

std::vector<std::string> layerPaths(const ir::Model& model) {
  std::vector<std::string> paths;
  std::set<std::string> seen;
  const ir::LayerTree tree(model);
  for (uint32_t i = 0; i < model.ops.size(); ++i) {
    if (model.ops[ir::OpId(i)].kind == ir::OpKind::Carry) continue;
    std::string path;
    for (Symbol step : tree.rowOf(ir::OpId(i))) {
      path += (path.empty() ? "" : ".") + step.str();
      if (seen.insert(path).second) paths.push_back(path);
    }
  }
  return paths;
}

bool namesLayer(const ir::Model& model, const std::vector<LayerStep>& path) {
  const ir::LayerTree tree(model);
  for (const ir::Layer& layer : model.layers) {
    if (!nameMatches(path[0], layer.name.str())) continue;
    if (path[0].slice) {
      int64_t count = layer.repeat ? layer.count : 1;
      bool within = std::all_of(path[0].slice->ranges.begin(), path[0].slice->ranges.end(),
                                [&](const ir::Range& r) { return r.count() > 0 && r.end <= count; });
      if (!within) continue;
    }
    if (path.size() == 1) return true;
    for (uint32_t i = layer.first.index; i < layer.end.index; ++i) {
      if (model.ops[ir::OpId(i)].kind == ir::OpKind::Carry) continue;
      const std::vector<Symbol> row = tree.rowOf(ir::OpId(i));
      if (row.size() < path.size()) continue;
      bool matches = true;
      for (size_t s = 1; matches && s < path.size(); ++s) matches = nameMatches(path[s], row[s].view());
      if (matches) return true;
    }
  }
  return false;
}

std::vector<LayerVariant> layerVariants(const ir::Model* model, const cost::Estimate& estimate,
                                        const std::vector<LayerStep>& path, double cost::LayerRow::*field) {
  std::vector<Row> rows = matchingRows(estimate, path);
  std::vector<LayerVariant> variants;
  std::set<std::vector<const Row*>> seen;
  std::set<std::string> units;
  for (const Row& row : rows) units.insert(row.steps[0].name);
  for (const std::string& unit : units) {
    for (int64_t i : representatives(rows, unit, path[0], instanceCount(model, unit, rows))) {
      std::vector<const Row*> here;
      for (const Row& row : rows)
        if (row.steps[0].name == unit && inside(row.steps[0], i)) here.push_back(&row);
      if (!here.empty() && seen.insert(here).second) addInstance(model, variants, here, path.size(), field);
    }
  }
  return variants;
}

} // namespace planc::verdict
