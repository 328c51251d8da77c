// Reads the samples of a collective from the facts of a fabric.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/machine/Samples.h"

#include "ir/facts/SampleColumns.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(SamplesForm, 511,
            "samples must be a list of {{ranks, a, b, g}} or {{ranks, time = curve(…)}} with rising ranks; {problem}")

namespace {

/// Reads `valid = [1kB, 1GB]` of a sample row. Returns false if it has another form.
bool validRange(const Value& v, ir::Statistics& out) {
  if (v.kind != ValueKind::List || v.list->items.size() != 2) return false;
  for (const Value& x : v.list->items)
    if (!x.isInt() && !(x.kind == ValueKind::Number && (x.unit.plain() || x.unit == units::bytes))) return false;
  out.low = v.list->items[0].asDouble();
  out.high = v.list->items[1].asDouble();
  return out.low > 0 && out.low <= out.high;
}

/// Reads a row for one group size: the coefficients a, b and g or a table of times, and their statistics. Returns the
/// error, or an empty text.
std::string sampleRow(const Value& item, ir::Fabric::Sample& row) {
  struct Column {
    std::string_view name;
    Unit unit;
    FactRange range;
    double& field;
  };
  std::vector<Column> columns;
  for (const ir::SampleColumn& c : ir::sampleColumns())
    columns.push_back({c.name, c.type.unit, c.type.range, row.*c.field});
  columns.push_back({"samples", {}, ranges::kSome, row.statistics.samples});
  columns.push_back({"error", {}, ranges::kError, row.statistics.error});
  columns.push_back({"p90", {}, ranges::kError, row.statistics.p90});
  if (item.kind != ValueKind::Record) return "one of these is " + describe(item);
  row.statistics.calibrated = true;
  for (const Field& f : item.record->fields) {
    const std::string_view name = f.name.view();
    bool good = false;
    if (name == "valid") {
      good = validRange(f.value, row.statistics);
    } else if (name == ir::kSampledTimes) {
      good = f.value.kind == ValueKind::Curve && f.value.curve->yUnit == units::time &&
             (f.value.curve->xUnit.plain() || f.value.curve->xUnit == units::bytes);
      if (good) row.time = {f.value.curve->x, f.value.curve->y};
      for (const double seconds : row.time.y)
        if (!ranges::kTime.holds(seconds) || seconds == 0)
          return fmt::format("one `time` is {}; it takes more than {}", formatQuantity(seconds, units::time),
                             ranges::kTime.text);
    } else {
      auto column = std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
      if (column == columns.end()) {
        std::vector<std::string> known{"valid", std::string(ir::kSampledTimes)};
        for (const Column& c : columns) known.emplace_back(c.name);
        const std::string meant = didYouMean(name, known);
        return fmt::format("`{}` is not one of these{}{}", name, meant.empty() ? "" : ": ", meant);
      }
      good = f.value.isInt() ? column->unit.plain() : f.value.kind == ValueKind::Number && f.value.unit == column->unit;
      if (good) column->field = f.value.asDouble();
      if (good && !column->range.holds(column->field))
        return fmt::format("`{}` is {}; it takes {}", name, show(f.value), column->range.text);
    }
    if (!good) return fmt::format("`{}` is {}", name, describe(f.value));
  }
  auto has = [&](std::string_view name) { return item.record->find(Symbol(name)) != nullptr; };
  if (has("time") && (has("a") || has("b") || has("g"))) return "one row has `time` and a fit, too";
  std::vector<std::string> missing;
  for (const char* name : {"ranks", "a", "b"})
    if (!has(name) && (name == std::string_view("ranks") || !has("time"))) missing.emplace_back(name);
  if (!missing.empty()) return fmt::format("one row has no {}", quotedSeries(missing));
  if (has("nodes") && (row.nodes < 2 || row.nodes > row.ranks))
    return fmt::format("{} ranks do not spread over {} nodes", row.ranks, row.nodes);
  return {};
}

} // namespace

void readSamples(ir::Fabric::Samples& out, FactInput& in) {
  const Value v = in.tree->value(*in.node);
  if (v.invalid()) return;
  bool good = true;
  auto wrong = [&](std::string problem, SourceRange at = {}) {
    in.ev->context.report(SamplesForm, at.valid() ? at : in.node->value->range, {{"problem", std::move(problem)}});
    good = false;
  };
  if (v.kind != ValueKind::List || v.list->items.empty())
    return wrong(fmt::format("this is {}", v.kind == ValueKind::List ? "empty" : describe(v)));
  for (const Value& item : v.list->items) {
    ir::Fabric::Sample row;
    if (std::string problem = sampleRow(item, row); !problem.empty()) {
      wrong(std::move(problem), item.range);
      continue;
    }
    std::vector<ir::Fabric::Sample>& rows = row.nodes > 0 ? out.across : out.rows;
    if (!rows.empty() && std::pair(row.ranks, row.nodes) <= std::pair(rows.back().ranks, rows.back().nodes))
      wrong(row.nodes > 0 ? fmt::format("{} ranks on {} nodes are listed after {} on {}", row.ranks, row.nodes,
                                        rows.back().ranks, rows.back().nodes)
                          : fmt::format("{} ranks are listed after {}", row.ranks, rows.back().ranks),
            item.range);
    row.statistics.record = in.node->name.str();
    row.statistics.range = in.node->nameRange;
    rows.push_back(std::move(row));
  }
  if (!good) {
    out.rows.clear();
    out.across.clear();
  }
  out.range = in.node->value->range;
  out.source = in.node->source;
}

} // namespace planc::frontend
