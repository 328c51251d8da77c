// Facts about machines and their software: device, fabric, cluster and stack. Every number keeps its source and the
// place where it was written.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/facts/FactStore.h"
#include "ir/machine/Topology.h"
#include "ir/model/DType.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace planc::ir {

/// The accuracy of predictions for a stack. Intervals are computed from it (docs/cost-model.md, section 5).
struct Accuracy {
  double runs = 0, sources = 0; ///< number of runs with a published step time, and of their sources
  double low = 1, high = 1;     ///< measured over predicted: nine of ten runs lie between
  double derived = 0;           ///< relative error of a machine's fact without samples of its own
  double fitted = 0;            ///< relative error of a stack's fact that was fitted to or checked with its runs
  double nominal = 0;           ///< relative error of a price from nominal numbers
  double distance = 0;          ///< error that a fact gains per factor of e outside of its samples
  double sequence = 0;          ///< longest sequence of its runs; 0: not given
  /// Additional relative error of a step: under a stack without runs of its framework; on a device architecture without
  /// runs of the stack; in a type without runs on the device; per factor of e beyond the devices of its runs; per
  /// factor of e beyond the sequence length of its runs.
  double newFramework = 0, newArchitecture = 0, newType = 0, newDevices = 0, newSequence = 0;
  /// For two plans of one model on one machine, the factor between the measured and the predicted ratio of their times.
  /// Nine of ten ratios lie within this factor, in addition to the error that their terms predict. The first value is
  /// for plans with the same mesh, the second for other plans; 0: not given.
  double ratioSameMesh = 0, ratioOtherMesh = 0;
  SourceRange range{};
  std::string source{};
};

/// The host memory as a place of states and activations, in plans and reports.
inline constexpr std::string_view kHost = "host";

/// A device. Its numbers are facts (`ir/facts/DeviceFacts.h`); the members are its texts and lists.
struct Device : FactsOf<DeviceFact> {
  Symbol name;
  SourceRange range;
  std::string platform;           ///< platform that its software is compiled for, as written; empty: not given
  std::vector<std::string> names; ///< names in drivers, as written; matching ignores blanks and signs
  std::string architecture;       ///< as stacks name it; empty: not given
  std::string usual;              ///< usual cluster of the device, without arguments: `hgx.hgx_h100`; empty: not given
  std::vector<DType> recipes;     ///< fp8 and fp4 types with scaling that it can multiply; empty: not given
};

/// A fabric. Its numbers are facts (`ir/facts/ClusterFacts.h`); the members are its samples, rows of several numbers.
struct Fabric : FactsOf<FabricFact> {
  Symbol name;
  SourceRange range;
  struct Sample { ///< time = a + x / b + g · √(x / 1 GB), or a table
    double ranks = 0, a = 0, b = 0, g = 0;
    double nodes =
        0;        ///< units of the level below that the group spans; 0: not given, the group is inside of the fabric
    Table time{}; ///< by bytes of the full tensor, in place of a, b and g
    Statistics statistics{};
  };
  struct Samples {
    std::vector<Sample> rows;   ///< groups inside of the fabric, ascending by ranks
    std::vector<Sample> across; ///< groups that span several units of the level below (rows with `nodes`)
    SourceRange range;
    std::string source;
  };
  Samples allReduce, allGather, reduceScatter, allToAll;
  /// An operation that may have samples: its kind, and the fact that lists them.
  struct SampledOperation {
    CollectiveKind kind;
    FabricFact fact;
    Samples Fabric::*samples;
  };
  static std::span<const SampledOperation> sampledOperations();
  /// Null for kinds that have equations of their own, and for facts that list no samples.
  static const SampledOperation* sampledOperation(CollectiveKind kind);
  static const SampledOperation* sampledOperation(FabricFact fact);
  /// Samples of an operation; empty for kinds that have equations of their own.
  const Samples& samplesOf(CollectiveKind kind) const;
  /// Returns the samples that a fact lists; null if the fact lists no samples.
  Samples* samplesOf(FabricFact fact);
  const Samples* samplesOf(FabricFact fact) const { return const_cast<Fabric*>(this)->samplesOf(fact); }
  bool sampled() const; ///< has samples of some operation, or a measured transfer rate
};

struct ClusterLevel : FactsOf<LevelFact> {
  Symbol name;
  SourceRange range;
  int64_t count = 1; ///< units of the level below in one unit of this one
  Fabric fabric;
  Topology topology;
  double rate() const; ///< bandwidth of a device in one direction; 0: not given
  /// Returns whether devices reach this level through network cards: the level is priced from the cards, or was sampled
  /// between units of the level below.
  bool isNetwork() const;
};

struct Cluster : FactsOf<ClusterFact> {
  Symbol name;
  Device device;
  std::vector<ClusterLevel> levels;    ///< inner to outer
  const Number* priceOfDevice() const; ///< the cluster's own price, else the device's; null if neither is given
  /// Power of a device with its share of the host; nothing if the device's own power is not given.
  std::optional<double> powerOfDevice() const;
  SourceRange range;
  int64_t devices() const;
  /// The innermost level whose port carries this level's traffic. Levels of one port take turns. A new port begins at a
  /// level that declares its own port, or that is priced from network cards if the level below is not.
  size_t portOf(size_t level) const;
  /// The outermost level of the innermost port: an NVLink node, an NVLink rack, a pod of torus links.
  size_t scaleUp() const;
  int64_t scaleUpDevices() const; ///< devices in one unit of the level `scaleUp()`
};

/// Classes of collectives, docs/cost-model.md, section 2.4. Derived from the IR, never from the name of a scheme.
enum class CollectiveClass { Activation, Regather, Exchange, Ring, State, Gradient, Pipeline, Statistic, Offload };
inline constexpr int kCollectiveClasses = 9;
std::string_view name(CollectiveClass c);
std::optional<CollectiveClass> parseCollectiveClass(std::string_view text);

/// How gradients are accumulated. Deferred: like Separate, but only after the pass has ended; until then its gradients
/// are stored next to the accumulated gradients.
enum class Accumulate { None, Separate, Fused, Deferred };

/// A software stack. Its numbers are facts: `ir/facts/StackFacts.h`.
struct Stack : FactsOf<StackFact> {
  Symbol name;
  SourceRange range;
  std::string platform; ///< platform of the devices it was measured on, as a device writes it; empty: not given
  std::optional<Accumulate> accumulate() const;
  /// Returns nullopt if the stack gives no fact of `accuracy`.
  std::optional<Accuracy> accuracy() const;
};

} // namespace planc::ir
