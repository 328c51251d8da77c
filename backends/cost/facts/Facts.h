// The facts that equations look up in device, fabric, level and stack; missing ones are collected by record.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"
#include "support/Diagnostics.h"

#include <string>
#include <string_view>
#include <vector>

namespace planc::cost {

/// The record that should hold a fact.
struct Owner {
  ir::RecordKind kind = ir::RecordKind::Device;
  Symbol name;
  SourceRange range;
};

/// A calibrated record that a price stands on.
struct Evidence {
  Owner owner;
  const ir::Statistics* statistics = nullptr; ///< null: a level's nominal numbers
  ir::FactRef fact;                           ///< that was read
  SourceRange range;                          ///< of the fact
  double size = 0;                            ///< where it was read: FLOPs of a product, bytes, …; 0: it goes by none
  Unit unit{};                                ///< of the size
  double low = 0, high = 0;                   ///< what its samples span; both 0: not known
  bool table = false;                         ///< a curve, which knows no slope beyond its ends
  double scale = 1;                           ///< rate of what is priced over that of what was sampled
  /// Natural logarithm of the distance to what its samples span, 0 inside.
  double beyond() const;
  /// The same, and how far the rate is from the sampled one.
  double away() const;
};
using EvidenceList = std::vector<Evidence>;

/// device, stack, fabric, level or cluster.
std::string_view noun(ir::RecordKind kind);

/// What needs a fact: a node of the program, or the whole plan (no node).
struct Requester {
  const ir::Program* program = nullptr;
  const ir::Node* node = nullptr;
  std::string text() const;
  SourceRange range() const;
};

/// Missing facts stand in as 1 so that pricing goes on and finds them all; the estimate is refused afterwards.
class Facts {
public:
  Facts(const ir::Cluster& machine, const ir::Stack& software)
      : cluster(machine), device(machine.device), stack(software) {}

  const ir::Cluster& cluster;
  const ir::Device& device;
  const ir::Stack& stack;

  static Owner owner(const ir::Device& device) { return {ir::RecordKind::Device, device.name, device.range}; }
  static Owner owner(const ir::Stack& stack) { return {ir::RecordKind::Stack, stack.name, stack.range}; }
  static Owner owner(const ir::Fabric& fabric) { return {ir::RecordKind::Fabric, fabric.name, fabric.range}; }
  static Owner owner(const ir::ClusterLevel& level) { return {ir::RecordKind::Level, level.name, level.range}; }

  /// Null if it is not given, which is noted.
  const ir::Number* find(ir::DeviceFact fact, const Requester& requester, ir::FactKey key = {});
  const ir::Number* find(ir::StackFact fact, const Requester& requester, ir::FactKey key = {});
  void missing(const Owner& owner, const ir::FactRef& fact, const Requester& requester);
  /// A collective is priced from a level's nominal bandwidth and latency.
  void nominal(const ir::ClusterLevel& level, ir::CollectiveKind kind, const Requester& requester);
  /// A share of the step that counts stands on a fact read at sizes that its samples do not span.
  void outside(const Evidence& item, double share, std::string requester, SourceRange at);

  /// Reports everything once and forgets it. False if a fact is missing.
  bool report(DiagnosticEngine& diagnostics);

private:
  struct Entry {
    ir::FactRef fact;
    std::string path, requester;
    SourceRange range;
  };
  struct Missing {
    Owner owner;
    std::vector<Entry> entries;
  };
  struct Warning {
    const ir::ClusterLevel* level = nullptr;
    ir::CollectiveKind kind{};
    std::string requester;
    SourceRange range;
  };
  std::vector<Missing> missing_;
  struct Outside {
    Evidence item;
    double share = 0;
    std::string requester;
    SourceRange range;
  };
  std::vector<Warning> warnings_;
  std::vector<Outside> outside_;
};

} // namespace planc::cost
