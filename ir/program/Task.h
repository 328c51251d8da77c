// Level `task`: the tasks of each stage on its compute stream and on one comm stream per port, and the order of each
// stage's work, with symbolic micro-batches.
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

/// The compute stream is -1. The comm streams are the ports of a device, each numbered by its innermost cluster level.
using Stream = int;
inline constexpr Stream kComputeStream = -1;

/// The stream for communication over a level. Copies to and from the host use the stream after all levels.
Stream streamOf(const ProgramHead& program, size_t level);

/// A share of a node's time on one stream. A collective's task on the compute stream is its inline share, which also
/// occupies its port. The rest of the collective follows on the comm stream of the port.
struct Task {
  Stream stream = kComputeStream;
  NodeIndex node = 0;    ///< index in the class's node list of the segment's phase
  double fraction = 1;   ///< of the node's time
  Few<uint32_t, 4> deps; ///< indices of tasks in the same segment
};

/// The work of one instance of a class in one direction. State collectives of the direction are issued `prefetch`
/// instances ahead.
struct Segment {
  LayerClassId layerClass;
  bool backward = false;
  Shared<std::vector<Task>> tasks; ///< program order
};

/// Seconds of one micro-batch on one virtual stage. `input` and `weight` are the two halves of a backward pass.
struct PassSeconds {
  double forward = 1, input = 1, weight = 1;
  double send = 0, sendBack = 0; ///< transfer to the next virtual stage; gradient's to the previous one
};

/// The sizes and times that a schedule is made for.
struct ScheduleShape {
  int64_t stages = 1;             ///< p
  int64_t chunks = 1;             ///< v: virtual stages per device on one route
  int64_t microBatches = 1;       ///< m: micro-batches of all routes together
  std::vector<int64_t> arguments; ///< values of the word's parameters, in the word's order
  Indexed<PassSeconds> seconds;   ///< by virtual stage; empty: every pass takes 1 s, and transfers take 0 s
  int64_t virtualStages() const { return stages * chunks; }
  PassSeconds secondsOf(int64_t virtualStage) const { return seconds.empty() ? PassSeconds{} : seconds[virtualStage]; }
};

/// A requirement of a schedule on stages and micro-batches. `{p}`, `{v}` and `{m}` in the texts stand for the shape.
struct ScheduleNeed {
  bool (*holds)(const ScheduleShape& shape) = nullptr;
  std::string_view text; ///< completes "the schedule needs …"
  std::string_view help;
};

/// The device stage of a virtual stage if the chunks go round the devices: i mod p.
int64_t loopedDevice(const ScheduleShape& shape, int64_t route, int64_t virtualStage);

/// Makes the orders of every device stage. An order that is written as repetitions is made in a time that does
/// not depend on the number of micro-batches.
using OrderMaker = Orders (*)(const ScheduleShape& shape);
/// One of a schedule's several orders, with its name in reports.
struct NamedOrder {
  std::string_view name;
  OrderMaker make = nullptr;
};

/// The implementation of a word of `scheduleWords()` (passes/schedules/Schedules.h). A route is a way for micro-batches
/// through all virtual stages. The first m/routes micro-batches take the first route, and so on. Each route has its own
/// copy of every virtual stage and of its parameters.
struct ScheduleKind {
  const Word* word = nullptr;
  int64_t chunks = 1; ///< v; 0: the value of the parameter `chunks`
  int64_t routes = 1;
  bool pairs = false;  ///< runs forward and backward passes together: one computes while the other communicates
  bool splits = false; ///< runs the gradients of parameters as separate passes
  bool waitsForAll =
      true; ///< the optimizer begins when all stages have ended; else each stage starts its next step alone
  int64_t (*device)(const ScheduleShape& shape, int64_t route, int64_t virtualStage) = loopedDevice;
  std::span<const ScheduleNeed> needs = {};
  OrderMaker orders = nullptr;
  std::string_view order = {}; ///< name of `orders` in reports if the schedule has several orders
  std::vector<NamedOrder> (*makeOthers)() = nullptr;

  std::string_view name() const { return word ? word->name : std::string_view(); }
  /// The default values of the parameters.
  std::vector<int64_t> standardArguments() const;
  /// Alternative orders of the schedule. The order with the shortest step is used. An alternative that returns empty
  /// orders is ignored.
  std::vector<NamedOrder> others() const { return makeOthers ? makeOthers() : std::vector<NamedOrder>(); }
};

struct Schedule {
  const Program* program = nullptr;
  const ScheduleKind* kind = nullptr;
  std::vector<Segment> forward, backward; ///< by class
  /// Inline share by class of collective, with the overrides of the plan's `overlap`.
  EnumArray<CollectiveClass, double, kCollectiveClasses> blockingShare{};
  int64_t prefetch = 1;
  double slowdown = 0;         ///< of computing during communication
  std::vector<double> besides; ///< by comm stream: fraction of `slowdown` during its traffic; 1 if missing
  double beside(Stream comm) const {
    return static_cast<size_t>(comm) < besides.size() ? besides[static_cast<size_t>(comm)] : 1;
  }
  double bucketBytes = 0; ///< 0: one bucket per instance
  /// The program's shape, with the seconds of its passes if they are known.
  ScheduleShape shape(std::vector<PassSeconds> seconds = {}) const;
};

/// Prints the segments with their tasks, then the order of each stage's work. Micro-batch numbers near the end are
/// written relative to `m`.
std::string print(const Schedule& schedule);
/// Checks that segments are acyclic, that each task has one stream, and that every receive has its send.
std::vector<std::string> verify(const Schedule& schedule);

} // namespace planc::ir
