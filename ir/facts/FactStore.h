// The facts that a record of the library gives: numbers by id, and by what stands for the `*` of the id's path. Ids are
// declared by record (DeviceFacts.h, …); here they are opaque, so that a new one rebuilds only who asks for facts.
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

/// Records that hold facts.
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

/// What stands for `*` in the path of a fact: an element type, a kind or class of collectives, a name. The default is
/// the key of facts without `*`.
class FactKey {
public:
  FactKey() = default;
  FactKey(DType type) : raw_(static_cast<uintptr_t>(type)), of_(Of::Type) {}
  FactKey(CollectiveKind kind) : raw_(static_cast<uintptr_t>(kind)), of_(Of::Kind) {}
  FactKey(CollectiveClass cls) : raw_(static_cast<uintptr_t>(cls)), of_(Of::Class) {}
  FactKey(Symbol name) : raw_(reinterpret_cast<uintptr_t>(name.key())), of_(Of::Name) {}
  bool operator==(const FactKey&) const = default;
  /// The order in which reports list them: names by text, the others as they are declared.
  bool operator<(const FactKey& other) const;
  /// As it is written in a path.
  std::string_view text() const;

private:
  enum class Of : uint8_t { None, Type, Kind, Class, Name };
  uintptr_t raw_ = 0; ///< the enumerator, or the text of a symbol
  Of of_ = Of::None;
};

/// Any id of a fact, of whichever record.
struct FactId {
  RecordKind record = RecordKind::Device;
  uint8_t index = 255; ///< in the table of the record; 255: no fact
  FactId() = default;
  template <class Id> FactId(Id id) : record(recordOf(id)), index(static_cast<uint8_t>(id)) {}
  bool operator==(const FactId&) const = default;
};

/// A fact with its key: what has a path.
struct FactRef {
  FactId id;
  FactKey key{};
  FactRef() = default;
  template <class Id> FactRef(Id fact, FactKey star = {}) : id(fact), key(star) {}
  bool operator==(const FactRef&) const = default;
  /// `calibration.gemm.bf16.start`; empty for no fact.
  std::string path() const;
};

/// Ids of one record at most: `FactStore` has a place for each.
inline constexpr size_t kMostFacts = 80;

/// Numbers by id and key. Looking up a fact without `*` is one index; keys of an id are few, and scanned.
class FactStore {
public:
  /// Null where it is not given.
  const Number* find(uint8_t id, FactKey key) const {
    for (size_t i = first_[id]; i < first_[id + 1]; ++i)
      if (keys_[i] == key) return &numbers_[i];
    return nullptr;
  }
  Number* find(uint8_t id, FactKey key) { return const_cast<Number*>(std::as_const(*this).find(id, key)); }
  /// In the order of reports.
  std::span<const FactKey> keys(uint8_t id) const {
    return {keys_.begin() + first_[id], keys_.begin() + first_[id + 1]};
  }
  void set(uint8_t id, FactKey key, Number number);
  void erase(uint8_t id, FactKey key);
  void erase(uint8_t id); ///< with all of its keys

private:
  void cut(uint8_t id, size_t from, size_t to);
  std::array<uint16_t, kMostFacts + 1> first_{}; ///< of the numbers of an id; that of the next is one past them
  std::vector<FactKey> keys_;                    ///< parallel to `numbers_`
  std::vector<Number> numbers_;
};

/// The facts of one kind of record, which is derived from it.
template <class Id> class FactsOf {
public:
  /// Null where it is not given.
  const Number* number(Id id, FactKey key = {}) const { return store_.find(static_cast<uint8_t>(id), key); }
  Number* number(Id id, FactKey key = {}) { return store_.find(static_cast<uint8_t>(id), key); }
  bool has(Id id, FactKey key = {}) const { return number(id, key) != nullptr; }
  double value(Id id, double otherwise) const {
    const Number* found = number(id);
    return found ? found->value : otherwise;
  }
  /// Of a fact that is true or false; false where it is not given.
  bool truth(Id id) const { return value(id, 0) != 0; }
  /// Those under which it is given, in the order of reports.
  std::span<const FactKey> keys(Id id) const { return store_.keys(static_cast<uint8_t>(id)); }
  void set(Id id, Number number) { store_.set(static_cast<uint8_t>(id), {}, std::move(number)); }
  void set(Id id, FactKey key, Number number) { store_.set(static_cast<uint8_t>(id), key, std::move(number)); }
  void erase(Id id) { store_.erase(static_cast<uint8_t>(id)); }
  void erase(Id id, FactKey key) { store_.erase(static_cast<uint8_t>(id), key); }

private:
  FactStore store_;
};

} // namespace planc::ir
