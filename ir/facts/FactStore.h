// The facts that a library record gives: numbers by fact id and by the key that replaces `*` in the id's path. The ids
// are declared per record (DeviceFacts.h, …). They are opaque here, so that a new id rebuilds only the code that uses
// facts.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/facts/Number.h"
#include "support/Symbol.h"

#include <array>
#include <cstdint>
#include <span>
#include <utility>

namespace planc::ir {

enum class DType;
enum class CollectiveKind;
enum class CollectiveClass;

/// The kinds of records that hold facts.
enum class RecordKind : uint8_t { Device, Stack, Fabric, Level, Cluster };
enum class DeviceFact : uint8_t;
enum class FabricFact : uint8_t;
enum class LevelFact : uint8_t;
enum class ClusterFact : uint8_t;
enum class StackFact : uint8_t;
constexpr RecordKind recordOf(DeviceFact) {
  return RecordKind::Device;
}
constexpr RecordKind recordOf(FabricFact) {
  return RecordKind::Fabric;
}
constexpr RecordKind recordOf(LevelFact) {
  return RecordKind::Level;
}
constexpr RecordKind recordOf(ClusterFact) {
  return RecordKind::Cluster;
}
constexpr RecordKind recordOf(StackFact) {
  return RecordKind::Stack;
}

/// The key that replaces `*` in the path of a fact: an element type, a kind or class of collectives, or a name. The
/// default is the key of facts without `*`.
class FactKey {
public:
  FactKey() = default;
  FactKey(DType type) : raw_(static_cast<uintptr_t>(type)), of_(Of::Type) {}
  FactKey(CollectiveKind kind) : raw_(static_cast<uintptr_t>(kind)), of_(Of::Kind) {}
  FactKey(CollectiveClass cls) : raw_(static_cast<uintptr_t>(cls)), of_(Of::Class) {}
  FactKey(Symbol name) : raw_(reinterpret_cast<uintptr_t>(name.key())), of_(Of::Name) {}
  bool operator==(const FactKey&) const = default;
  /// Report order: names by text, all other keys in the order of their declaration.
  bool operator<(const FactKey& other) const;
  /// The key as it is written in a path.
  std::string_view text() const;

private:
  enum class Of : uint8_t { None, Type, Kind, Class, Name };
  uintptr_t raw_ = 0; ///< the enumerator, or the text of a symbol
  Of of_ = Of::None;
};

/// The id of any fact of any record.
struct FactId {
  RecordKind record = RecordKind::Device;
  uint8_t index = 255; ///< row in the table of the record; 255: no fact
  FactId() = default;
  template <class Id> FactId(Id id) : record(recordOf(id)), index(static_cast<uint8_t>(id)) {}
  bool operator==(const FactId&) const = default;
};

/// A fact id with its key. Every such pair has a path.
struct FactRef {
  FactId id;
  FactKey key{};
  FactRef() = default;
  template <class Id> FactRef(Id fact, FactKey star = {}) : id(fact), key(star) {}
  bool operator==(const FactRef&) const = default;
  /// `calibration.gemm.bf16.start`; empty if there is no fact.
  std::string path() const;
};

/// The largest number of ids in one record: `FactStore` has one slot for each.
inline constexpr size_t kMostFacts = 96;

/// Numbers by id and key. Looking up a fact without `*` is one array access. An id has few keys, which are scanned.
class FactStore {
public:
  /// Returns null if the fact is not given.
  const Number* find(uint8_t id, FactKey key) const {
    for (size_t i = first_[id]; i < first_[id + 1]; ++i)
      if (keys_[i] == key) return &numbers_[i];
    return nullptr;
  }
  Number* find(uint8_t id, FactKey key) { return const_cast<Number*>(std::as_const(*this).find(id, key)); }
  /// The keys under which the fact is given, in report order.
  std::span<const FactKey> keys(uint8_t id) const {
    return {keys_.begin() + first_[id], keys_.begin() + first_[id + 1]};
  }
  void set(uint8_t id, FactKey key, Number number);
  void erase(uint8_t id, FactKey key);
  void erase(uint8_t id); ///< with all of its keys

private:
  void cut(uint8_t id, size_t from, size_t to);
  std::array<uint16_t, kMostFacts + 1> first_{}; ///< by id: index of its first number; the next entry is the end
  std::vector<FactKey> keys_;                    ///< parallel to `numbers_`
  std::vector<Number> numbers_;
};

/// The facts of one kind of record. The record's class derives from it.
template <class Id> class FactsOf {
public:
  /// Returns null if the fact is not given.
  const Number* number(Id id, FactKey key = {}) const { return store_.find(static_cast<uint8_t>(id), key); }
  Number* number(Id id, FactKey key = {}) { return store_.find(static_cast<uint8_t>(id), key); }
  bool has(Id id, FactKey key = {}) const { return number(id, key) != nullptr; }
  double value(Id id, double otherwise) const {
    const Number* found = number(id);
    return found ? found->value : otherwise;
  }
  /// The value of a boolean fact; false if it is not given.
  bool truth(Id id) const { return value(id, 0) != 0; }
  /// The keys under which the fact is given, in report order.
  std::span<const FactKey> keys(Id id) const { return store_.keys(static_cast<uint8_t>(id)); }
  void set(Id id, Number number) { store_.set(static_cast<uint8_t>(id), {}, std::move(number)); }
  void set(Id id, FactKey key, Number number) { store_.set(static_cast<uint8_t>(id), key, std::move(number)); }
  void erase(Id id) { store_.erase(static_cast<uint8_t>(id)); }
  void erase(Id id, FactKey key) { store_.erase(static_cast<uint8_t>(id), key); }

private:
  FactStore store_;
};

} // namespace planc::ir
