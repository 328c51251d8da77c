// Facts about machines and their software: device, fabric, stack, cluster. Every number keeps where it was written and
// its source.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/DType.h"
#include "ir/Topology.h"
#include "support/Quantity.h"
#include "support/Source.h"
#include "support/Symbol.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace planc::ir {

/// What is known about a calibrated fact: `samples`, `error` and `valid` of its record.
struct Statistics {
  bool calibrated = false;  ///< it was measured, derived or assumed: no datasheet says it, so it can be wrong
  double samples = 0;       ///< none: derived from another machine or assumed, as its source says
  double error = 0;         ///< median relative error of a prediction on samples that it was not fitted to
  double low = 0, high = 0; ///< what its samples span: FLOPs of a product, bytes otherwise; both 0: not given
  std::string record{};     ///< path of the facts that were fitted together
  SourceRange range{};      ///< where they stand
};

/// y by x, interpolated log-log between points; held constant outside (callers warn).
struct Table {
  std::vector<double> x, y;
  bool empty() const { return x.empty(); }
  double at(double v) const;
  bool covers(double v) const { return !x.empty() && v >= x.front() && v <= x.back(); }
};

/// A number of the library: in base units (second, byte, FLOP, …), with its place and the text after `:`.
struct Number {
  double value = 0; ///< of a table: that of its largest x
  SourceRange range{};
  std::string source{};
  planc::Unit unit{}; ///< reports print it
  Table table{};      ///< measured, in place of one value; empty otherwise
  Statistics statistics{};

  /// At a size: FLOPs of a product, bytes otherwise.
  double at(double size) const { return table.empty() ? value : table.at(size); }
};
using OptNumber = std::optional<Number>;

/// A table that is a fact of its own.
struct Curve : Table {
  SourceRange range{};
  std::string source{};
  planc::Unit unit{}; ///< of y
  Statistics statistics{};
};

/// How far predictions lie from what was measured: what an interval is made of (docs/cost-model.md, section 5).
struct Accuracy {
  double runs = 0, sources = 0; ///< with a published step time
  double low = 1, high = 1;     ///< measured over predicted: nine of ten lie between
  double derived = 0;           ///< relative error of a machine's fact that stands on no samples of its own
  double fitted = 0;            ///< the same of a stack's fact, which its runs were fitted or checked with
  double nominal = 0;           ///< of a price from nominal numbers
  double distance = 0;          ///< what a factor of e outside of its samples adds to a fact's error
  /// Of two plans of one model on one machine, measured ratio over predicted: nine of ten lie within this factor,
  /// beyond what their terms tell. Of two with one mesh, and of others; 0: not given.
  double ratioSameMesh = 0, ratioOtherMesh = 0;
  SourceRange range{};
  std::string source{};
};

/// The host's memory as a place of states and activations, in plans and reports.
inline constexpr std::string_view kHost = "host";

struct Device {
  Symbol name;
  SourceRange range;
  std::string platform; ///< what its software is compiled for, as written; empty: not given
  OptNumber memory, bandwidth, power, price;
  std::map<DType, Number> peak; ///< FLOP/s
  std::vector<DType> recipes;   ///< fp8 and fp4 with their ways of scaling that it multiplies; empty: not given
  struct Gemm {
    OptNumber efficiency, memoryEfficiency, start;
  };
  std::map<DType, Gemm> gemm;
  struct Product { ///< kinds `scores` and `context`
    OptNumber memoryEfficiency, backward;
    Curve size{}; ///< factor on the memory efficiency, by bytes of the scores
  } scores, context;
  struct Attention {
    Curve forward; ///< useful FLOP/s by sequence length, head dimension 128
    Curve head;    ///< factor by head dimension
    OptNumber backward, start;
    OptNumber split; ///< efficiency where the queries or the keys are split (0.60)
  } attention;
  OptNumber memoryEfficiency, memoryStart; ///< memory operators
  struct Host {                            ///< memory outside of the device: what `-> host` uses, per device
    OptNumber bandwidth;                   ///< of the link, achieved, in one direction
    OptNumber memory;                      ///< share of one device
    OptNumber memoryBandwidth;             ///< of that memory, share of one device, reads and writes together
    OptNumber updateEfficiency;            ///< share of it that an optimizer's update on the host reaches
  } host;
  OptNumber lookupEfficiency; ///< random access
};

/// How a collective over several levels is run (docs/cost-model.md, section 2.5).
enum class Algorithm { Pipelined, Ring, Tree, Hierarchical, Fastest, AllReduce };
inline constexpr int kAlgorithms = 6;
std::string_view name(Algorithm a);
/// By kind of collective; without an entry the fabric's own form (samples, card or nominal) prices it.
struct AlgorithmChoice {
  Algorithm algorithm = Algorithm::Pipelined;
  SourceRange range;
  std::string source;
};
using Algorithms = std::map<CollectiveKind, AlgorithmChoice>;

struct Fabric {
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
  OptNumber sampledAt; ///< rate of a device, in one direction, of the level that they were taken in
  OptNumber growth;    ///< of `a` per doubling beyond 8 ranks
  OptNumber start, hop, g, nicEfficiency, exchangeEfficiency, pairBonus; ///< priced from the network card
  OptNumber sendRecvStart, sendRecvBandwidth, sendRecvEfficiency;
  bool sampled() const;  ///< has samples of some operation, or a measured rate of transfers
  Algorithms algorithms; ///< that its software runs between and inside the units it joins
};

struct ClusterLevel {
  Symbol name;
  int64_t count = 1; ///< units of the level below in one unit of this one
  Fabric fabric;
  OptNumber bandwidth, latency; ///< nominal, per device and direction; with `links` the bandwidth of one of them
  Topology topology;
  OptNumber cards;             ///< network cards of one unit of the level below, which its devices share
  std::optional<bool> ownPort; ///< a device reaches it over other wires than the level below; else as its fabrics say
  SourceRange range;
  OptNumber links{};   ///< of a device
  double rate() const; ///< of a device, in one direction; 0: not given
};

struct Cluster {
  Symbol name;
  Device device;
  std::vector<ClusterLevel> levels; ///< inner to outer
  OptNumber jitter;                 ///< of a device's time in a step: standard deviation over mean
  OptNumber price;                  ///< of one device with its share of the rest; without it the device's
  OptNumber hostPower;              ///< of hosts, cards and switches: the share of one device, beside its own power
  OptNumber storage;                ///< at which all devices together write a checkpoint
  const OptNumber& priceOfDevice() const { return price ? price : device.price; }
  /// What a device draws with its share of the rest; nothing where the device's own is not known.
  std::optional<double> powerOfDevice() const;
  SourceRange range;
  int64_t devices() const;
  /// The innermost level whose wires a device uses for this one: levels of one port take turns. A port begins with a
  /// level that says so, or that is priced from network cards where the one below is not.
  size_t portOf(size_t level) const;
};

/// docs/cost-model.md, section 2.4: derived from the IR, never from a scheme's name.
enum class CollectiveClass { Activation, Regather, Exchange, Ring, State, Gradient, Pipeline, Statistic, Offload };
inline constexpr int kCollectiveClasses = 9;
std::string_view name(CollectiveClass c);
std::optional<CollectiveClass> parseCollectiveClass(std::string_view text);

/// Deferred: as Separate, but only when the pass has ended; until then its gradients live beside the accumulated ones.
enum class Accumulate { None, Separate, Fused, Deferred };

struct Stack {
  Symbol name;
  SourceRange range;
  std::string platform; ///< of the devices that its numbers come from, as a device writes it; empty: not given
  OptNumber backwardRatio;
  std::optional<Accumulate> accumulate;
  struct Passes {
    Number forward, backward;
    Curve forwardRow{}, backwardRow{}; ///< factor, by elements of a row of the first operand
  };
  std::map<Symbol, Passes> passes;
  std::map<CollectiveClass, Number> blockingShare;
  OptNumber receive; ///< share of a transfer between stages that holds who receives it; without it nothing
  OptNumber slowdown;
  std::map<Symbol, Number> optimizer; ///< bytes moved per parameter, by optimizer name
  /// Time of a parameter tensor beside its bytes, by optimizer name: of updates that are launched one by one.
  std::map<Symbol, Number> optimizerTensor;
  OptNumber tableGradient;    ///< bytes per table element
  Curve grouped;              ///< efficiency of grouped products by tokens per expert, against one large product
  bool groupedKernel = false; ///< one kernel for the products of all experts; else one each
  /// Tokens that reached a unit are passed on inside of it while others still cross; else afterwards.
  bool exchangePipelined = false;
  bool exchangeCopies = false; ///< a token travels once per expert; else once per device that has some of them
  bool waits = false;          ///< the host waits for sizes that routing decides before it launches what uses them
  OptNumber attentionFactor, attentionBackward;
  Curve attentionHead; ///< factor by head dimension, in place of the device's
  OptNumber launch, unattributed, step;
  /// Host time of a collective, per rank of its group.
  std::map<CollectiveClass, Number> collectiveLaunch;
  OptNumber groupedLaunch; ///< of one product more of a group that is no single kernel; without it `launch`
  OptNumber jitter;        ///< what the software adds to the cluster's
  Algorithms algorithms;   ///< take precedence over the fabric's
  OptNumber prefetch, bucket;
  std::optional<bool> earlyStop;
  OptNumber workspace, fragmentation, reserved;
  std::optional<Accuracy> accuracy;
  /// What the software keeps twice; all false unless it says so.
  struct Copies {
    bool buckets = false; ///< gradients travel in buckets that live beside the accumulated ones, for the whole run
    bool update = false;  ///< new parameters are gathered in one flat buffer of the stage and copied from there
    bool gathers = false; ///< gathered activations: one buffer per class of collective, never freed
  } copies;
};

} // namespace planc::ir
