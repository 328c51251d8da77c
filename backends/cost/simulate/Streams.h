// Event simulation of in-order streams: a compute stream, comm streams of ports, which slow it down, and the host's
// stream.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/Account.h"
#include "backends/cost/simulate/Slices.h"
#include "ir/program/Task.h"
#include "support/Indexed.h"

#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace planc::cost {

/// Streams run their tasks in the order in which they were added; a task starts when its stream is free and its
/// dependencies have ended.
///
/// A port carries one transfer at a time (docs/cost-model.md, section 2.4). Collectives of instances, and inline
/// shares, go first; a transfer that was issued ahead (`add` on a comm stream) pauses meanwhile.
class Streams {
public:
  using TaskId = uint32_t;
  static constexpr int32_t kNoTag = -1;

  /// Tasks that are added together, once or several times, after a task that is before them on the compute stream.
  class Batch;

  /// `slowdown`: the share of computing speed that concurrent communication takes (docs/cost-model.md, section 2.4).
  /// `besides`: by comm stream, the share of `slowdown` that its communication causes; 1 for streams without an
  /// element.
  explicit Streams(double slowdown, std::vector<double> besides = {})
      : slowdown_(slowdown), besides_(std::move(besides)) {}

  /// Adds a kernel on the compute stream, or a transfer on a comm stream that is issued ahead of the task that needs
  /// it.
  TaskId add(ir::Stream stream, double seconds, std::span<const TaskId> deps, int32_t tag = kNoTag);
  /// Adds the inline share of a collective. The compute stream stands still for `seconds` when it reaches the share.
  /// The port carries the share from that moment on, after the collectives before it. Returns the transfer, which ends
  /// last.
  TaskId addInline(ir::Stream port, double seconds, std::span<const TaskId> deps, int32_t tag);
  /// Adds the host's time to launch an instance, from `begin` on. It slows no other task; time that the compute stream
  /// waits for it is booked as launches.
  TaskId addHost(double seconds, TaskId begin, int32_t tag);
  /// A task without duration on the compute stream; computing after it may lose at most `allowance` seconds to
  /// communication.
  TaskId addMarker(std::span<const TaskId> deps, double allowance, std::function<void()> reached = {});

  /// Adds the tasks of a batch after `begin`. Returns the id of the first task of the batch. The ids of the batch are
  /// counted from that id, and its tags from `firstTag`.
  TaskId add(const Batch& batch, TaskId begin, int32_t firstTag = 0);

  /// Runs until every task that was added (also by markers) has ended.
  void run() { observer_ ? runAll<true>() : runAll<false>(); }
  /// Passes each task that takes time to `observer`, with its tag and the number of its slot. Slot 0 computes, slot 1
  /// is the host. Each port has one slot for inline shares and collectives of instances, and one slot for transfers
  /// that were issued ahead. A task may pause before it ends.
  void watch(SliceObserver* observer) { observer_ = observer; }
  /// Returns the slot of inline shares and collectives of instances on a port.
  static uint32_t inlineSlotOf(ir::Stream port) { return static_cast<uint32_t>(firstSlotOf(port)); }

  double now() const { return now_; }
  bool done(TaskId task) const { return tasks_[task].done; }
  /// Seconds of communication that was added and has not run; running sums, so exact to rounding only.
  double backlog() const { return std::accumulate(queued_.begin() + kFirstComm, queued_.end(), 0.); }
  /// Seconds of communication that was issued ahead on a port and has not run.
  double issuedAhead(ir::Stream port) const {
    const size_t slot = firstSlotOf(port) + 1;
    return slot < queued_.size() ? queued_[slot] : 0;
  }
  /// End of the last task of the compute stream so far.
  double computeEnd() const { return computeEnd_; }

  /// Seconds that the compute stream spent on tasks, by their tag: running them, or waiting while they run. A wait is
  /// booked on the task that runs meanwhile, not on a task behind it on its stream, so no communication exposes more
  /// than it takes.
  std::span<const Spent> spent() const { return std::span(spent_).subspan(1); }

private:
  static constexpr TaskId kNone = UINT32_MAX;
  enum class TaskKind : uint8_t {
    Plain,
    Hold,   ///< the compute stream stands still for an inline share; the share itself is the task after it
    Inline, ///< on its port; begins no sooner than the hold, which is the previous task
  };
  struct Task {
    double seconds = 0;
    int32_t tag = kNoTag;
    int32_t marker = -1;
    uint32_t depsBegin = 0, depsEnd = 0; ///< dependencies on other streams; tasks that have ended are skipped
    TaskId next = kNone;                 ///< next task of its stream
    uint16_t stream = 0;
    TaskKind kind = TaskKind::Plain;
    bool done = false;
  };
  struct Marker {
    double allowance = 0;
    std::function<void()> reached;
  };
  struct Queue {
    TaskId front = kNone, back = kNone;
    bool running = false; ///< the front task runs
    double left = 0;      ///< remaining seconds of the front, if it runs
    double begin = 0;     ///< moment at which the front began, if it runs and is watched
  };
  /// A task at the end of `tasks`, without its dependencies.
  static Task& append(std::vector<Task>& tasks, double seconds, size_t slot, int32_t tag, TaskKind kind,
                      size_t depsBegin);
  TaskId push(double seconds, size_t slot, std::span<const TaskId> deps, int32_t tag, TaskKind kind);
  template <bool Watched> void runAll();
  template <bool Watched> bool begins(Queue& queue);
  bool hasBegun(TaskId task) const;
  bool carries(size_t slot) const;
  template <bool Watched> void start();
  template <bool Watched> void advance();
  template <bool Watched> void account(double dt, double lost);
  void watchSpent(TaskId task, bool computes, double dt, double lost);
  void tellSpent();
  TaskId awaited(TaskId task) const;
  TaskId awaitedNow() const;
  void observe(size_t slot) const;
  template <bool Watched> void complete(size_t stream);
  /// Returns the first of a port's two slots. It holds collectives of instances and inline shares. The second slot
  /// holds transfers that were issued ahead.
  static size_t firstSlotOf(ir::Stream port) { return kFirstComm + 2 * static_cast<size_t>(port); }
  static bool isAhead(size_t slot) { return slot > kFirstComm && (slot - kFirstComm) % 2 == 1; }
  void use(size_t slot);
  double besideOf(size_t slot) const {
    const size_t port = (slot - kFirstComm) / 2;
    return port < besides_.size() ? besides_[port] : 1;
  }
  Spent& spentOn(int32_t tag) { return spent_[static_cast<size_t>(tag + 1)]; }

  SliceObserver* observer_ = nullptr;
  Slice spending_; ///< last seconds of the compute stream, if they are watched; their task may go on
  TaskId spentOn_ = kNone;
  double slowdown_;
  std::vector<double> besides_; ///< by comm stream: share of the slowdown that it causes
  double now_ = 0, computeEnd_ = 0;
  double allowance_ = 0;                                        ///< seconds that computing may still lose
  std::vector<double> queued_{std::vector<double>(kFirstComm)}; ///< by slot: seconds that were added and have not run
  std::vector<Task> tasks_;
  std::vector<TaskId> deps_;
  Indexed<Marker> markers_;
  size_t open_ = 0; ///< tasks that have not ended
  /// Slot 0 computes, 1 is the host; the others are ports.
  static constexpr size_t kHost = 1, kFirstComm = 2;
  std::vector<Queue> queues_{kFirstComm};
  std::vector<uint16_t> used_{0}; ///< slots that ever had a task, and slot 0; ascending
  std::vector<Spent> spent_{1};   ///< first the tasks without a tag, then one element per tag
};

class Streams::Batch {
public:
  explicit Batch(size_t tasks) { tasks_.reserve(tasks), deps_.reserve(2 * tasks); }

  /// Adds a kernel, or the part of a collective that is not inline. Returns the number of the task in the batch.
  /// `deps`: numbers of tasks of the batch.
  uint32_t add(ir::Stream stream, double seconds, std::span<const uint32_t> deps, int32_t tag);
  /// Adds the inline share of a collective. Returns the number of its transfer in the batch.
  uint32_t addInline(ir::Stream port, double seconds, std::span<const uint32_t> deps, int32_t tag);
  /// Returns the last task of each stream. The streams are in the order of their first tasks.
  std::vector<uint32_t> lastOnes() const;

private:
  friend Streams;
  struct Row {
    size_t slot = 0;
    uint32_t first = 0, last = 0;
    double seconds = 0; ///< sum over its tasks
  };
  uint32_t push(double seconds, size_t slot, std::span<const uint32_t> deps, int32_t tag, TaskKind kind);
  std::vector<Task> tasks_;    ///< tasks and dependencies are numbered within the batch
  std::vector<uint32_t> deps_; ///< kNone: the task after which the batch is added
  std::vector<Row> rows_;
  size_t tags_ = 0;
};

} // namespace planc::cost
