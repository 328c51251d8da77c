// Level `task`: tasks on the compute stream and one comm stream per port of each stage, the order of each stage's work,
// symbolic micro-batches.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Orders.h"
#include "ir/program/Program.h"
#include "ir/vocabulary/Vocabulary.h"
#include "support/Indexed.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace planc::ir {

/// The compute stream is -1; comm streams are the ports of a device, each numbered by its innermost cluster level.
using Stream = int;
inline constexpr Stream kComputeStream = -1;

/// The stream of what runs over a level; copies to and from the host have the one behind all levels.
Stream streamOf(const ProgramHead& program, size_t level);

/// A share of a node's time on one stream. A collective on the compute stream is its inline share, which its port
/// carries meanwhile; what is not inline follows on the comm stream of the port.
struct Task {
  Stream stream = kComputeStream;
  NodeIndex node = 0;    ///< in the class's list of the segment's phase
  double fraction = 1;   ///< of the node's time
  Few<uint32_t, 4> deps; ///< tasks of the same segment
};

/// The work of one instance of a class in one direction. State collectives of the direction are issued `prefetch`
/// instances ahead.
struct Segment {
  LayerClassId layerClass;
  bool backward = false;
  Shared<std::vector<Task>> tasks; ///< program order
};

/// Seconds of one micro-batch on one virtual stage; `input` and `weight` are the halves of a backward pass.
struct PassSeconds {
  double forward = 1, input = 1, weight = 1;
  double send = 0, sendBack = 0; ///< to the next virtual stage, and of the gradient to the previous one
};

/// What a schedule is made for.
struct ScheduleShape {
  int64_t stages = 1;             ///< p
  int64_t chunks = 1;             ///< v: virtual stages of a route on a device
  int64_t microBatches = 1;       ///< m, of all routes together
  std::vector<int64_t> arguments; ///< values of the word's parameters, in its order
  Indexed<PassSeconds> seconds;   ///< by virtual stage; empty: all passes take one second and transfers none
  int64_t virtualStages() const { return stages * chunks; }
  PassSeconds secondsOf(int64_t virtualStage) const { return seconds.empty() ? PassSeconds{} : seconds[virtualStage]; }
};

/// What a schedule asks of stages and micro-batches. `{p}`, `{v}` and `{m}` in the texts stand for the shape.
struct ScheduleNeed {
  bool (*holds)(const ScheduleShape& shape) = nullptr;
  std::string_view text; ///< completes "the schedule needs …"
  std::string_view help;
};

/// The device stage of a virtual stage where the chunks follow each other round the devices: i mod p.
int64_t loopedDevice(const ScheduleShape& shape, int64_t route, int64_t virtualStage);

/// The orders of every device stage. Takes no longer for more micro-batches where it writes them as repetitions.
using OrderMaker = Orders (*)(const ScheduleShape& shape);
/// One of several orders, by what reports call it.
struct NamedOrder {
  std::string_view name;
  OrderMaker make = nullptr;
};

/// What a word of `scheduleWords()` means (passes/schedules/Schedules.h). A route is a way of micro-batches through all
/// virtual stages; the first m/routes micro-batches take the first route, and so on. A virtual stage lives once for
/// each route, its parameters too.
struct ScheduleKind {
  const Word* word = nullptr;
  int64_t chunks = 1; ///< v; 0: the value of the parameter `chunks`
  int64_t routes = 1;
  bool pairs = false;  ///< runs forward passes beside backward passes: one computes while the other communicates
  bool splits = false; ///< runs gradients of parameters as passes of their own
  bool waitsForAll =
      true; ///< the optimizer begins when every stage has ended; else each stage goes on to the next step by itself
  int64_t (*device)(const ScheduleShape& shape, int64_t route, int64_t virtualStage) = loopedDevice;
  std::span<const ScheduleNeed> needs = {};
  OrderMaker orders = nullptr;
  std::string_view order = {}; ///< what reports call it where there are others
  std::vector<NamedOrder> (*makeOthers)() = nullptr;

  std::string_view name() const { return word ? word->name : std::string_view(); }
  /// The values of the parameters where a plan says none of them.
  std::vector<int64_t> standardArguments() const;
  /// Further orders that the schedule may run, for the times of the passes: the one with the shortest step does. Empty
  /// orders are none.
  std::vector<NamedOrder> others() const { return makeOthers ? makeOthers() : std::vector<NamedOrder>(); }
};

struct Schedule {
  const Program* program = nullptr;
  const ScheduleKind* kind = nullptr;
  std::vector<Segment> forward, backward; ///< by class
  /// Inline share by class, after `overlap`; prefetch.
  EnumArray<CollectiveClass, double, kCollectiveClasses> blockingShare{};
  int64_t prefetch = 1;
  double slowdown = 0;         ///< of computing beside communication
  std::vector<double> besides; ///< by comm stream: the share of `slowdown` beside what it runs; all of it on others
  double beside(Stream comm) const {
    return static_cast<size_t>(comm) < besides.size() ? besides[static_cast<size_t>(comm)] : 1;
  }
  double bucketBytes = 0; ///< 0: one bucket per instance
  /// Of the program, with the seconds of its passes where they are known.
  ScheduleShape shape(std::vector<PassSeconds> seconds = {}) const;
};

/// Segments with their tasks, then the order of each stage's work; micro-batch numbers near the end are written from
/// `m`.
std::string print(const Schedule& schedule);
/// Acyclic; one stream per task; every receive has its send.
std::vector<std::string> verify(const Schedule& schedule);

} // namespace planc::ir
