// How a fact is declared: one row of the table of its record says its path, its form, what values make sense, and what
// it means. The reader of plans, look-ups, reports of missing facts and docs/facts.md all go by these rows.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/facts/FactStore.h"
#include "ir/facts/Ranges.h"

namespace planc::ir {

/// What a fact takes. Custom ones are members of their record, or read in a way of their own.
enum class FactForm : uint8_t { Number, Count, Bool, Text, Curve, Custom };
/// What stands for `*` in the path.
enum class StarKey : uint8_t { None, DType, Class, Name };

/// The values of a fact.
struct FactType {
  FactForm form = FactForm::Number;
  Unit unit{};
  FactRange range = ranges::kAny; ///< of the number, and of every point of a curve
  StarKey star = StarKey::None;
  std::optional<Unit> sizeUnit{}; ///< a table by this size may stand in place of the number; of a curve: its x
  bool calibrated = false;        ///< fitted to samples, derived or assumed: it may say `samples`, `error` and `valid`
  bool basis = false;             ///< what samples were taken on: an heir that states it anew has none of them
  bool evidence = false;          ///< tells of runs, as samples do
  bool provenance = false;        ///< tells of the making of a record and not of the machine or its software

  FactType by(StarKey key) const;
  FactType orTable(const Unit& size) const;
  FactType asCalibrated() const;
  FactType asBasis() const;
  FactType asEvidence() const;
  FactType asProvenance() const;
};
FactType number(const Unit& unit, const FactRange& range);
FactType count(const FactRange& range);
FactType truth();
FactType text();
/// `unit` of y; x is a plain number, or in `size`.
FactType curve(const Unit& unit, const FactRange& range, std::optional<Unit> size = std::nullopt);
FactType custom();

struct FactRow {
  FactId id;
  std::string_view path; ///< `calibration.gemm.*.efficiency`
  FactType type;
  std::string_view meaning;     ///< a line of docs/facts.md
  std::string_view inside = {}; ///< the same fact in a section of its own, where it has statistics
};

/// The table of a record, in the order of its ids.
std::span<const FactRow> factRows(RecordKind record);
const FactRow& factRow(FactId id);

// Each in the file of its record.
std::span<const FactRow> deviceFacts();
std::span<const FactRow> fabricFacts();
std::span<const FactRow> levelFacts();
std::span<const FactRow> clusterFacts();
std::span<const FactRow> stackFacts();

} // namespace planc::ir
