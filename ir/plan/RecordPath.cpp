// Walks from a plan's cluster and stack to their records.
// SPDX-License-Identifier: Apache-2.0
#include "ir/plan/RecordPath.h"

#include "ir/facts/FactPath.h"
#include "ir/plan/Settings.h"

namespace planc::ir {

RecordPath recordPath(std::string_view path, const Cluster* cluster) {
  if (takeStep(path) == name(Statement::Software)) return {RecordKind::Stack, {}, path};
  std::string_view below = path;
  const std::string_view part = takeStep(below);
  if (below.empty()) return {RecordKind::Cluster, {}, path};
  if (part == "device") return {RecordKind::Device, {}, below};
  const bool level = cluster && std::any_of(cluster->levels.begin(), cluster->levels.end(),
                                            [&](const ClusterLevel& l) { return l.name.view() == part; });
  if (!level) return {RecordKind::Cluster, {}, path};
  std::string_view inside = below;
  if (takeStep(inside) == "link" && !inside.empty()) return {RecordKind::Fabric, part, inside};
  return {RecordKind::Level, part, below};
}

namespace {

bool keyOf(const FactRow& row, std::string_view star, FactKey& key) {
  switch (row.type.star) {
  case StarKey::None:
    return true;
  case StarKey::Name:
    key = Symbol(star);
    return true;
  case StarKey::DType:
    if (const auto type = parseDType(star)) key = *type;
    return parseDType(star).has_value();
  case StarKey::Class:
    if (const auto cls = parseCollectiveClass(star)) key = *cls;
    return parseCollectiveClass(star).has_value();
  }
  return false;
}

} // namespace

const FactRow* rowAt(const RecordPath& at, FactKey& key) {
  std::string_view star;
  for (const FactRow& row : factRows(at.record))
    if (fitsPath(row.path, at.fact, PathEnd::Whole, &star)) return keyOf(row, star, key) ? &row : nullptr;
  return nullptr;
}

OptNumber numberAt(const Plan& plan, std::string_view path) {
  const SettingRow* row = settingAt(path);
  if (!row || row->kind != SettingKind::Record) return std::nullopt;
  if (path.starts_with(name(Statement::Cluster)) ? !plan.cluster : !plan.stack) return std::nullopt;
  const RecordPath at = recordPath(path, plan.cluster.get());
  FactKey key;
  const FactRow* fact = rowAt(at, key);
  if (!fact) return std::nullopt;
  return inRecord(at, plan.cluster.get(), plan.stack.get(), [&]<class Id>(const FactsOf<Id>& record, Id) {
    const Number* number = record.number(static_cast<Id>(fact->id.index), key);
    return number ? OptNumber(*number) : std::nullopt;
  });
}

} // namespace planc::ir
