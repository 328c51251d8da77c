// The facts that equations look up in device, fabric, level and stack; missing ones are collected by record.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/Program.h"
#include "support/Diagnostics.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace planc::cost {

/// A fact by its path in a record, in pieces: joined only when someone has to read it.
struct FactPath {
  std::string_view head, middle = {}, tail = {};
  std::string str() const;
};

inline const ir::Number* pointer(const ir::OptNumber& number) {
  return number ? &*number : nullptr;
}
template <class Map, class Key> const ir::Number* pointer(const Map& map, const Key& key) {
  auto it = map.find(key);
  return it == map.end() ? nullptr : &it->second;
}

/// The record that should hold a fact.
struct Owner {
  enum class Kind { Device, Stack, Fabric, Level };
  Kind kind = Kind::Device;
  Symbol name;
  SourceRange range;
};

/// What needs a fact: a node of the program, or the whole plan (no node).
struct Asker {
  const ir::Program* program = nullptr;
  const ir::Node* node = nullptr;
  std::string text() const;
  SourceRange range() const;
};

/// Missing facts stand in as 1 so that pricing goes on and finds them all; the estimate is refused afterwards.
class Facts {
public:
  Facts(const ir::Cluster& cluster, const ir::Stack& stack) : cluster(cluster), device(cluster.device), stack(stack) {}

  const ir::Cluster& cluster;
  const ir::Device& device;
  const ir::Stack& stack;

  Owner deviceOwner() const { return {Owner::Kind::Device, device.name, device.range}; }
  Owner stackOwner() const { return {Owner::Kind::Stack, stack.name, stack.range}; }
  static Owner owner(const ir::Fabric& fabric) { return {Owner::Kind::Fabric, fabric.name, fabric.range}; }
  static Owner owner(const ir::ClusterLevel& level) { return {Owner::Kind::Level, level.name, level.range}; }

  /// The number itself; if it is null, that is noted.
  const ir::Number* find(const ir::Number* number, const Owner& owner, const FactPath& path, const Asker& asker);
  void missing(const Owner& owner, const FactPath& path, const Asker& asker);
  /// A collective is priced from a level's nominal bandwidth and latency.
  void nominal(const ir::ClusterLevel& level, ir::CollectiveKind kind, const Asker& asker);
  /// The attention curve is read outside its range.
  void outsideCurve(const ir::Curve& curve, double sequence, const Asker& asker);
  bool beyondCalibration() const { return !warnings_.empty(); }

  /// Reports everything once and forgets it. False if a fact is missing.
  bool report(DiagnosticEngine& diagnostics);

private:
  struct Entry {
    std::string path, asker;
    SourceRange range;
  };
  struct Missing {
    Owner owner;
    std::vector<Entry> entries;
  };
  struct Warning {
    const void* key = nullptr; ///< fabric or curve
    int detail = 0;            ///< kind of collective
    const ir::ClusterLevel* level = nullptr;
    const ir::Curve* curve = nullptr;
    double sequence = 0;
    std::string asker;
    SourceRange range;
  };
  bool warned(const void* key, int detail) const;
  std::vector<Missing> missing_;
  std::vector<Warning> warnings_;
};

} // namespace planc::cost
