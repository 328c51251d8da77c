// The facts that the equations look up in device, fabric, level and stack. Missing facts are collected per record.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"
#include "support/Diagnostics.h"
#include "support/Memo.h"

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

/// A calibrated record on which a price depends.
struct Evidence {
  Owner owner;
  const ir::Statistics* statistics = nullptr; ///< null: the nominal numbers of a level
  ir::FactRef fact;                           ///< the fact that was read
  SourceRange range;                          ///< position of the fact in the source
  double size = 0;                            ///< size at which it was read (FLOPs, bytes, …); 0: it has no size
  Unit unit{};                                ///< unit of `size`
  double low = 0, high = 0;                   ///< range of the record's samples; both 0: unknown
  bool table = false;                         ///< the record is a curve, which has no slope beyond its ends
  double scale = 1;                           ///< rate of the priced hardware over the rate of the sampled hardware
  /// Returns the distance of `size` from the sampled range as a natural logarithm; 0 inside the range.
  double beyond() const;
  /// Returns `beyond()` plus the distance between the two rates of `scale`, also as a natural logarithm.
  double away() const;
};
using EvidenceList = std::vector<Evidence>;

/// Returns `device`, `stack`, `fabric`, `level` or `cluster`.
std::string_view noun(ir::RecordKind kind);

/// The reader of a fact: a node of the program, or the whole plan if `node` is null.
struct Requester {
  const ir::Program* program = nullptr;
  const ir::Node* node = nullptr;
  /// Returns the reader as text for diagnostics: `every estimate`, or the operator or collective with its layer.
  std::string text() const;
  /// Returns the rule behind a collective or the operator of the node; invalid for the whole plan.
  SourceRange range() const;
};

/// Looks up facts. A missing fact counts as 1 so that pricing goes on and finds every missing fact. The estimate is
/// rejected afterwards.
class Facts {
public:
  /// `shared`: prices from the same cluster and stack, valid while no fact is missing; null: none.
  Facts(const ir::Cluster& machine, const ir::Stack& software, Memos* shared = nullptr)
      : cluster(machine), device(machine.device), stack(software), memos(shared) {}

  const ir::Cluster& cluster;
  const ir::Device& device;
  const ir::Stack& stack;
  Memos* const memos;

  static Owner owner(const ir::Device& device) { return {ir::RecordKind::Device, device.name, device.range}; }
  static Owner owner(const ir::Stack& stack) { return {ir::RecordKind::Stack, stack.name, stack.range}; }
  static Owner owner(const ir::Fabric& fabric) { return {ir::RecordKind::Fabric, fabric.name, fabric.range}; }
  static Owner owner(const ir::ClusterLevel& level) { return {ir::RecordKind::Level, level.name, level.range}; }

  /// Looks up a fact. Returns null and records the fact as missing if its record does not give it.
  const ir::Number* find(ir::DeviceFact fact, const Requester& requester, ir::FactKey key = {});
  const ir::Number* find(ir::StackFact fact, const Requester& requester, ir::FactKey key = {});
  /// Records a missing fact. A record lists each missing fact once, with its first reader.
  void missing(const Owner& owner, const ir::FactRef& fact, const Requester& requester);
  /// Records that a collective is priced from a level's nominal bandwidth and latency.
  void nominal(const ir::ClusterLevel& level, ir::CollectiveKind kind, const Requester& requester);
  /// Records that a large `share` of the step depends on a fact that was read outside the range of its samples.
  void outside(const Evidence& item, double share, std::string requester, SourceRange at);

  /// Reports every record and warning once and clears the list of missing facts. Returns false if a fact is missing.
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
