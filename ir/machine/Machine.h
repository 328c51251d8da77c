// Facts about machines and their software: device, fabric, stack, cluster. Every number keeps where it was written and
// its source.
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

/// How far predictions lie from what was measured: what an interval is made of (docs/cost-model.md, section 5).
struct Accuracy {
  double runs = 0, sources = 0; ///< with a published step time
  double low = 1, high = 1;     ///< measured over predicted: nine of ten lie between
  double derived = 0;           ///< relative error of a machine's fact that stands on no samples of its own
  double fitted = 0;            ///< the same of a stack's fact, which its runs were fitted or checked with
  double nominal = 0;           ///< of a price from nominal numbers
  double distance = 0;          ///< what a factor of e outside of its samples adds to a fact's error
  double sequence = 0;          ///< longest of its runs; 0: not given
  /// What a relative error of the step is more: on a device of an architecture without runs of the stack, in a type
  /// without runs on the device, and by a factor of e beyond its runs in devices and in length of sequences.
  double newArchitecture = 0, newType = 0, newDevices = 0, newSequence = 0;
  /// Of two plans of one model on one machine, measured ratio over predicted: nine of ten lie within this factor,
  /// beyond what their terms tell. Of two with one mesh, and of others; 0: not given.
  double ratioSameMesh = 0, ratioOtherMesh = 0;
  SourceRange range{};
  std::string source{};
};

/// The host's memory as a place of states and activations, in plans and reports.
inline constexpr std::string_view kHost = "host";

/// Facts: `ir/facts/DeviceFacts.h`; here is what is no number.
struct Device : FactsOf<DeviceFact> {
  Symbol name;
  SourceRange range;
  std::string platform;           ///< what its software is compiled for, as written; empty: not given
  std::vector<std::string> names; ///< of drivers, as written; blanks and signs do not count
  std::string architecture;       ///< as stacks name it; empty: not given
  std::string usual;              ///< a cluster of it, without arguments: `hgx.hgx_h100`; empty: not given
  std::vector<DType> recipes;     ///< fp8 and fp4 with their ways of scaling that it multiplies; empty: not given
};

/// Facts: `ir/facts/ClusterFacts.h`; here are the samples, which are rows of several numbers.
struct Fabric : FactsOf<FabricFact> {
  Symbol name;
  SourceRange range;
  struct Sample { ///< time = a + x / b + g · √(x / 1 GB), or a table
    double ranks = 0, a = 0, b = 0, g = 0;
    double nodes = 0; ///< units of the level below that the group spans; 0: not given, it lies inside of the fabric
    Table time{};     ///< by bytes of the full tensor, in place of a, b and g
    Statistics statistics{};
  };
  struct Samples {
    std::vector<Sample> rows;   ///< inside of the fabric, ascending by ranks
    std::vector<Sample> across; ///< of groups that span several units of the level below: those with `nodes`
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
  /// Null for kinds that have equations of their own, and for facts that are no samples.
  static const SampledOperation* sampledOperation(CollectiveKind kind);
  static const SampledOperation* sampledOperation(FabricFact fact);
  /// Samples of an operation; empty for kinds that have equations of their own.
  const Samples& samplesOf(CollectiveKind kind) const;
  /// Those of a fact of this name; null where it is no samples.
  Samples* samplesOf(FabricFact fact);
  const Samples* samplesOf(FabricFact fact) const { return const_cast<Fabric*>(this)->samplesOf(fact); }
  bool sampled() const; ///< has samples of some operation, or a measured rate of transfers
};

struct ClusterLevel : FactsOf<LevelFact> {
  Symbol name;
  SourceRange range;
  int64_t count = 1; ///< units of the level below in one unit of this one
  Fabric fabric;
  Topology topology;
  double rate() const; ///< of a device, in one direction; 0: not given
  /// Devices reach it through network cards: it is priced from them, or was sampled between units of the level below.
  bool isNetwork() const;
};

struct Cluster : FactsOf<ClusterFact> {
  Symbol name;
  Device device;
  std::vector<ClusterLevel> levels;    ///< inner to outer
  const Number* priceOfDevice() const; ///< its own, else the device's; null: neither
  /// What a device draws with its share of the rest; nothing where the device's own is not known.
  std::optional<double> powerOfDevice() const;
  SourceRange range;
  int64_t devices() const;
  /// The innermost level whose wires a device uses for this one: levels of one port take turns. A port begins with a
  /// level that says so, or that is priced from network cards where the one below is not.
  size_t portOf(size_t level) const;
  /// The outermost level of the innermost port: a node of NVLink, a rack of it, a pod of torus links.
  size_t scaleUp() const;
  int64_t scaleUpDevices() const; ///< of one unit of that level
};

/// docs/cost-model.md, section 2.4: derived from the IR, never from a scheme's name.
enum class CollectiveClass { Activation, Regather, Exchange, Ring, State, Gradient, Pipeline, Statistic, Offload };
inline constexpr int kCollectiveClasses = 9;
std::string_view name(CollectiveClass c);
std::optional<CollectiveClass> parseCollectiveClass(std::string_view text);

/// Deferred: as Separate, but only when the pass has ended; until then its gradients live beside the accumulated ones.
enum class Accumulate { None, Separate, Fused, Deferred };

/// Facts: `ir/facts/StackFacts.h`.
struct Stack : FactsOf<StackFact> {
  Symbol name;
  SourceRange range;
  std::string platform; ///< of the devices that its numbers come from, as a device writes it; empty: not given
  std::optional<Accumulate> accumulate() const;
  /// Nothing where it gives none of `accuracy`.
  std::optional<Accuracy> accuracy() const;
};

} // namespace planc::ir
