// The declarations of facts. One row of a record's table gives a fact's path, form, valid range and meaning. The plan
// reader, look-ups, reports of missing facts and docs/facts.md all use these rows.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/facts/FactStore.h"
#include "ir/facts/Ranges.h"

namespace planc::ir {

/// The form of a fact's value. Custom facts are members of their record, or have a reader of their own.
enum class FactForm : uint8_t { Number, Count, Bool, Text, Curve, Custom };
/// The kind of key that replaces `*` in the path.
enum class StarKey : uint8_t { None, DType, Class, Name };

/// The values that a fact accepts.
struct FactType {
  FactForm form = FactForm::Number;
  Unit unit{};
  FactRange range = ranges::kAny; ///< of the number, or of every point of a curve
  StarKey star = StarKey::None;
  std::optional<Unit> sizeUnit{}; ///< a table by this size may replace the number; curves: the unit of x
  bool calibrated = false;        ///< a measurement: it may have `samples`, `error` and `valid`
  bool basis = false;             ///< describes what was sampled: a record that overrides it inherits no samples
  bool runsBasis = false;         ///< describes whose runs were measured: a record that overrides it inherits none
  bool evidence = false;          ///< describes measured runs, as samples do
  bool provenance = false;        ///< describes how the record was made, not the machine or its software

  FactType by(StarKey key) const;
  FactType orTable(const Unit& size) const;
  FactType asCalibrated() const;
  FactType asBasis() const;
  FactType asRunsBasis() const;
  FactType asEvidence() const;
  FactType asProvenance() const;
};
FactType number(const Unit& unit, const FactRange& range);
FactType count(const FactRange& range);
FactType truth();
FactType text();
/// `unit` is the unit of y. x is a plain number, or a quantity in the unit `size`.
FactType curve(const Unit& unit, const FactRange& range, std::optional<Unit> size = std::nullopt);
FactType custom();

struct FactRow {
  FactId id;
  std::string_view path; ///< `calibration.gemm.*.efficiency`
  FactType type;
  std::string_view meaning;     ///< a line of docs/facts.md
  std::string_view inside = {}; ///< path of the fact if it has a section of its own for statistics
};

/// The fact table of a record, in the order of its ids.
std::span<const FactRow> factRows(RecordKind record);
const FactRow& factRow(FactId id);

// Each is defined in the file of its record.
std::span<const FactRow> deviceFacts();
std::span<const FactRow> fabricFacts();
std::span<const FactRow> levelFacts();
std::span<const FactRow> clusterFacts();
std::span<const FactRow> stackFacts();

} // namespace planc::ir
