// Reads the facts of records from their tables.
// SPDX-License-Identifier: Apache-2.0
#include "backends/diff/RecordValues.h"

#include "ir/facts/ClusterFacts.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace planc::diff {

namespace {

void append(RecordValues& out, const std::string& fact, const ir::Table& table) {
  out.facts.push_back(fmt::format("{}, {} points", fact, table.x.size()));
  out.numbers.insert(out.numbers.end(), table.x.begin(), table.x.end());
  out.numbers.insert(out.numbers.end(), table.y.begin(), table.y.end());
}

template <class Id> void append(RecordValues& out, const ir::FactsOf<Id>& record, const FactFilter& filter) {
  for (const ir::FactRow& row : ir::factRows(ir::recordOf(Id())))
    for (const ir::FactKey& key : record.keys(static_cast<Id>(row.id.index))) {
      const ir::Number& fact = *record.number(static_cast<Id>(row.id.index), key);
      if (row.type.provenance || (filter && !filter(row, fact))) continue;
      const std::string name = ir::FactRef(static_cast<Id>(row.id.index), key).path();
      if (!fact.table.empty()) {
        append(out, name, fact.table);
        continue;
      }
      out.facts.push_back(name);
      out.numbers.push_back(fact.value);
    }
}

void append(RecordValues& out, const std::vector<ir::Fabric::Sample>& rows) {
  for (const ir::Fabric::Sample& row : rows) {
    append(out, "sample", row.time);
    out.numbers.insert(out.numbers.end(), {row.ranks, row.nodes, row.a, row.b, row.g});
  }
}

FactFilter ofRecord(const std::string& record) {
  return [&record](const ir::FactRow&, const ir::Number& fact) { return fact.statistics.record == record; };
}

/// Appends the samples of a record, or its other facts. An empty `record` stands for facts without statistics, such as
/// those of a network card.
void append(RecordValues& out, const ir::Fabric& fabric, const std::string& record) {
  for (const ir::Fabric::Samples* samples :
       {&fabric.allReduce, &fabric.allGather, &fabric.reduceScatter, &fabric.allToAll})
    for (const auto* rows : {&samples->rows, &samples->across})
      if (!rows->empty() && rows->front().statistics.record == record) append(out, *rows);
  append(out, fabric, ofRecord(record));
}

/// Returns whether all of a device's samples depend on the fact.
bool isBasis(const ir::FactRow& row) {
  return row.type.basis || row.id == ir::FactId(ir::DeviceFact::Bandwidth);
}

} // namespace

RecordValues recordValues(const ir::Device& device, const FactFilter& filter) {
  RecordValues out;
  append(out, device, filter);
  return out;
}

RecordValues recordValues(const ir::Stack& stack, const FactFilter& filter) {
  RecordValues out;
  append(out, stack, filter);
  return out;
}

RecordValues recordValues(const ir::Plan& plan, const cost::RecordShare& term) {
  const ir::Cluster& cluster = *plan.cluster;
  RecordValues out;
  const auto levelOf = [&](auto named) { return std::find_if(cluster.levels.begin(), cluster.levels.end(), named); };
  switch (term.kind) {
  case ir::RecordKind::Device:
    append(out, cluster.device, [&](const ir::FactRow& row, const ir::Number& fact) {
      return isBasis(row) || fact.statistics.record == term.record;
    });
    break;
  case ir::RecordKind::Stack: // a distance depends on all facts of a stack
    append(out, *plan.stack, term.distance ? FactFilter() : ofRecord(term.record));
    break;
  case ir::RecordKind::Fabric:
    if (const auto l = levelOf([&](const ir::ClusterLevel& level) { return level.fabric.name == term.owner; });
        l != cluster.levels.end())
      append(out, l->fabric, term.record);
    break;
  case ir::RecordKind::Level:
    if (const auto l = levelOf([&](const ir::ClusterLevel& level) { return level.name == term.owner; });
        l != cluster.levels.end())
      append(out, *l, {});
    break;
  case ir::RecordKind::Cluster:
    append(out, cluster, ofRecord(term.record));
    break;
  }
  return out;
}

double farness(const RecordValues& a, const RecordValues& b) {
  if (a.facts != b.facts || a.numbers.size() != b.numbers.size()) return std::numeric_limits<double>::infinity();
  double most = 0;
  for (size_t i = 0; i < a.numbers.size(); ++i) {
    const double x = a.numbers[i], y = b.numbers[i];
    if (x == y) continue;
    if (x * y <= 0) return std::numeric_limits<double>::infinity();
    most = std::max(most, std::abs(std::log(x / y)));
  }
  return most;
}

} // namespace planc::diff
