// Lists every fact that a record gives, from the record's table, whether or not anything reads it.
// SPDX-License-Identifier: Apache-2.0
#include "ir/machine/RecordFacts.h"

#include "ir/facts/ClusterFacts.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/FactTable.h"
#include "ir/facts/SampleColumns.h"
#include "ir/facts/StackFacts.h"
#include "support/files/Digest.h"

#include <fmt/format.h>

namespace planc::ir {

namespace {

std::string tableText(const Table& table) {
  std::string points;
  for (size_t i = 0; i < table.x.size(); ++i) points += fmt::format("{:.17g}:{:.17g} ", table.x[i], table.y[i]);
  return fmt::format("{} points ({})", table.x.size(), shortDigestOf(points));
}

std::string numberText(const FactRow& row, const Number& number) {
  if (!number.table.empty()) return tableText(number.table);
  if (row.type.form == FactForm::Bool) return number.value != 0 ? "true" : "false";
  return exactText(number.value, row.type.unit);
}

template <class Id>
void addNumbers(const FactsOf<Id>& facts, std::span<const FactRow> rows, const std::string& prefix,
                std::vector<PlanFact>& out) {
  for (const FactRow& row : rows) {
    const Id id = static_cast<Id>(row.id.index);
    for (const FactKey& key : facts.keys(id)) {
      const Number& number = *facts.number(id, key);
      const std::string text =
          row.type.form == FactForm::Text ? fmt::format("\"{}\"", key.text()) : numberText(row, number);
      out.push_back({prefix + FactRef(id, key).path(), text, number.range});
    }
  }
}

void addSamples(const Fabric& fabric, const std::string& prefix, std::vector<PlanFact>& out) {
  for (const FactRow& row : fabricFacts()) {
    const Fabric::Samples* samples = fabric.samplesOf(static_cast<FabricFact>(row.id.index));
    if (!samples) continue;
    std::string text;
    size_t count = 0;
    for (const std::vector<Fabric::Sample>* rows : {&samples->rows, &samples->across})
      for (const Fabric::Sample& sample : *rows) {
        ++count;
        for (const SampleColumn& column : sampleColumns())
          if (column.field) text += fmt::format("{:.17g} ", sample.*column.field);
        text += sample.time.empty() ? "\n" : tableText(sample.time) + "\n";
      }
    if (count)
      out.push_back(
          {prefix + std::string(row.path), fmt::format("{} samples ({})", count, shortDigestOf(text)), samples->range});
  }
}

std::string topologyText(const Topology& topology) {
  std::string arguments;
  const auto add = [&](std::string_view name, const std::string& value) {
    arguments += fmt::format("{}{} = {}", arguments.empty() ? "" : ", ", name, value);
  };
  if (!topology.dims.empty()) add("dims", fmt::format("[{}]", fmt::join(topology.dims, ", ")));
  for (const auto& [name, value] : topology.numbers) add(name.view(), exactText(value, units::none));
  return topology.kind.str() + (arguments.empty() ? "" : "(" + arguments + ")");
}

} // namespace

std::string exactText(double value, const Unit& unit) {
  if (unit.plain()) return fmt::format("{}", value);
  std::string shown = formatQuantity(value, unit), bad, joined;
  for (char c : shown)
    if (c != ' ') joined += c;
  const auto back = parseQuantity(joined, bad);
  return back && back->value == value ? shown : fmt::format("{} ({})", shown, value);
}

void addFacts(const Cluster& cluster, std::vector<PlanFact>& out) {
  const Device& device = cluster.device;
  out.push_back({"cluster.device", device.name.str(), device.range});
  addNumbers(device, deviceFacts(), "cluster.device.", out);
  addNumbers(cluster, clusterFacts(), "cluster.", out);
  for (const ClusterLevel& level : cluster.levels) {
    const std::string prefix = "cluster." + level.name.str();
    out.push_back({prefix, fmt::format("{} of the level below", level.count), level.range});
    out.push_back({prefix + ".link", level.fabric.name.str(), level.fabric.range});
    out.push_back({prefix + ".topology", topologyText(level.topology), level.range});
    addNumbers(level, levelFacts(), prefix + ".", out);
    addNumbers(level.fabric, fabricFacts(), prefix + ".link.", out);
    addSamples(level.fabric, prefix + ".link.", out);
  }
}

void addFacts(const Stack& stack, std::vector<PlanFact>& out) {
  out.push_back({"software", stack.name.str(), stack.range});
  addNumbers(stack, stackFacts(), "software.", out);
}

} // namespace planc::ir
