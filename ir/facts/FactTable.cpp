// The fact tables by record, and builders for the types of their rows.
// SPDX-License-Identifier: Apache-2.0
#include "ir/facts/FactTable.h"

namespace planc::ir {

FactType FactType::by(StarKey key) const {
  FactType type = *this;
  type.star = key;
  return type;
}

FactType FactType::orTable(const Unit& size) const {
  FactType type = *this;
  type.sizeUnit = size;
  return type;
}

FactType FactType::asCalibrated() const {
  FactType type = *this;
  type.calibrated = true;
  return type;
}

FactType FactType::asBasis() const {
  FactType type = *this;
  type.basis = true;
  return type;
}

FactType FactType::asRunsBasis() const {
  FactType type = *this;
  type.runsBasis = true;
  return type;
}

FactType FactType::asEvidence() const {
  FactType type = *this;
  type.evidence = true;
  return type;
}

FactType FactType::asProvenance() const {
  FactType type = asEvidence();
  type.provenance = true;
  return type;
}

FactType number(const Unit& unit, const FactRange& range) {
  return {.form = FactForm::Number, .unit = unit, .range = range};
}
FactType count(const FactRange& range) {
  return {.form = FactForm::Count, .range = range};
}
FactType truth() {
  return {.form = FactForm::Bool};
}
FactType text() {
  return {.form = FactForm::Text};
}
FactType curve(const Unit& unit, const FactRange& range, std::optional<Unit> size) {
  return {.form = FactForm::Curve, .unit = unit, .range = range, .sizeUnit = size};
}
FactType custom() {
  return {.form = FactForm::Custom};
}

std::span<const FactRow> factRows(RecordKind record) {
  switch (record) {
  case RecordKind::Device:
    return deviceFacts();
  case RecordKind::Fabric:
    return fabricFacts();
  case RecordKind::Level:
    return levelFacts();
  case RecordKind::Cluster:
    return clusterFacts();
  case RecordKind::Stack:
    break;
  }
  return stackFacts();
}

const FactRow& factRow(FactId id) {
  return factRows(id.record)[id.index];
}

} // namespace planc::ir
