// Event simulation of in-order streams.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/Streams.h"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

namespace planc::cost {

void Streams::use(size_t slot) {
  if (slot >= queues_.size()) queues_.resize(slot + 1);
  if (slot >= queued_.size()) queued_.resize(slot + 1);
  const auto place = std::lower_bound(used_.begin(), used_.end(), slot);
  if (place == used_.end() || *place != slot) used_.insert(place, static_cast<uint16_t>(slot));
}

Streams::Task& Streams::append(std::vector<Task>& tasks, double seconds, size_t slot, int32_t tag, TaskKind kind,
                               size_t depsBegin) {
  Task& task = tasks.emplace_back();
  task.seconds = seconds;
  task.tag = tag;
  task.stream = static_cast<uint16_t>(slot);
  task.kind = kind;
  task.depsBegin = static_cast<uint32_t>(depsBegin);
  return task;
}

uint32_t Streams::Batch::push(double seconds, size_t slot, std::span<const uint32_t> deps, int32_t tag, TaskKind kind) {
  const auto id = static_cast<uint32_t>(tasks_.size());
  Task& task = append(tasks_, seconds, slot, tag, kind, deps_.size());
  for (const uint32_t d : deps) // a stream keeps its own order
    if (tasks_[d].stream != slot) deps_.push_back(d);
  if (slot > 0 && task.depsBegin == deps_.size()) deps_.push_back(kNone);
  task.depsEnd = static_cast<uint32_t>(deps_.size());
  tags_ = std::max(tags_, static_cast<size_t>(tag + 2));
  for (Row& row : rows_)
    if (row.slot == slot) {
      tasks_[row.last].next = id;
      row.last = id, row.seconds += seconds;
      return id;
    }
  rows_.push_back({slot, id, id, seconds});
  return id;
}

uint32_t Streams::Batch::add(ir::Stream stream, double seconds, std::span<const uint32_t> deps, int32_t tag) {
  return push(seconds, stream == ir::kComputeStream ? 0 : firstSlotOf(stream), deps, tag, TaskKind::Plain);
}

uint32_t Streams::Batch::addInline(ir::Stream port, double seconds, std::span<const uint32_t> deps, int32_t tag) {
  push(seconds, 0, deps, tag, TaskKind::Hold);
  return push(seconds, firstSlotOf(port), deps, tag, TaskKind::Inline);
}

std::vector<uint32_t> Streams::Batch::lastOnes() const {
  std::vector<uint32_t> last;
  last.reserve(rows_.size());
  for (const Row& row : rows_) last.push_back(row.last);
  return last;
}

Streams::TaskId Streams::add(const Batch& batch, TaskId begin, int32_t firstTag) {
  const auto base = static_cast<TaskId>(tasks_.size());
  const auto deps = static_cast<uint32_t>(deps_.size());
  tasks_.insert(tasks_.end(), batch.tasks_.begin(), batch.tasks_.end());
  for (Task *task = tasks_.data() + base, *const end = tasks_.data() + tasks_.size(); task != end; ++task) {
    task->depsBegin += deps, task->depsEnd += deps;
    if (task->tag != kNoTag) task->tag += firstTag;
    if (task->next != kNone) task->next += base;
  }
  deps_.insert(deps_.end(), batch.deps_.begin(), batch.deps_.end());
  for (uint32_t *dep = deps_.data() + deps, *const end = deps_.data() + deps_.size(); dep != end; ++dep)
    *dep = *dep == kNone ? begin : *dep + base;
  for (const Batch::Row& row : batch.rows_) {
    use(row.slot);
    queued_[row.slot] += row.seconds;
    Queue& queue = queues_[row.slot];
    (queue.front == kNone ? queue.front : tasks_[queue.back].next) = base + row.first;
    queue.back = base + row.last;
  }
  open_ += batch.tasks_.size();
  const size_t tags = batch.tags_ + static_cast<size_t>(firstTag);
  if (tags > spent_.size()) spent_.resize(tags);
  return base;
}

Streams::TaskId Streams::push(double seconds, size_t slot, std::span<const TaskId> deps, int32_t tag, TaskKind kind) {
  use(slot);
  const TaskId id = static_cast<TaskId>(tasks_.size());
  Task& task = append(tasks_, seconds, slot, tag, kind, deps_.size());
  const Task* const tasks = tasks_.data();
  for (const TaskId d : deps) // a stream keeps its own order
    if (!tasks[d].done && tasks[d].stream != slot) deps_.push_back(d);
  task.depsEnd = static_cast<uint32_t>(deps_.size());
  Queue& queue = queues_[slot];
  (queue.front == kNone ? queue.front : tasks_[queue.back].next) = id;
  queue.back = id;
  ++open_;
  queued_[slot] += seconds;
  if (static_cast<size_t>(tag + 1) >= spent_.size()) spent_.resize(static_cast<size_t>(tag + 2));
  return id;
}

Streams::TaskId Streams::add(ir::Stream stream, double seconds, std::span<const TaskId> deps, int32_t tag) {
  return push(seconds, stream == ir::kComputeStream ? 0 : firstSlotOf(stream) + 1, deps, tag, TaskKind::Plain);
}

Streams::TaskId Streams::addInline(ir::Stream port, double seconds, std::span<const TaskId> deps, int32_t tag) {
  push(seconds, 0, deps, tag, TaskKind::Hold);
  return push(seconds, firstSlotOf(port), deps, tag, TaskKind::Inline);
}

Streams::TaskId Streams::addHost(double seconds, TaskId begin, int32_t tag) {
  return push(seconds, kHost, std::array{begin}, tag, TaskKind::Plain);
}

Streams::TaskId Streams::addMarker(std::span<const TaskId> deps, double allowance, std::function<void()> reached) {
  const TaskId id = push(0, 0, deps, kNoTag, TaskKind::Plain);
  tasks_[id].marker = static_cast<int32_t>(markers_.size());
  markers_.push_back({allowance, std::move(reached)});
  return id;
}

inline bool Streams::hasBegun(TaskId task) const {
  const Queue& queue = queues_[tasks_[task].stream];
  return tasks_[task].done || (queue.front == task && queue.running);
}

/// Whether a slot's front moves on: what was issued ahead pauses while its port carries something else.
inline bool Streams::carries(size_t slot) const {
  return queues_[slot].running && !(isAhead(slot) && queues_[slot - 1].running);
}

/// Starts the front of a stream if all that it waits for has ended.
template <bool Watched> inline bool Streams::begins(Queue& queue) {
  if (queue.front == kNone) return false;
  Task& task = tasks_[queue.front];
  while (task.depsBegin < task.depsEnd && tasks_[deps_[task.depsBegin]].done) ++task.depsBegin;
  queue.running = task.depsBegin == task.depsEnd && (task.kind != TaskKind::Inline || hasBegun(queue.front - 1));
  queue.left = task.seconds;
  if (Watched) queue.begin = now_;
  return queue.running;
}

/// The front of a slot ends.
void Streams::observe(size_t slot) const {
  const Queue& queue = queues_[slot];
  Slice slice{.kind = SliceKind::Task, .stream = static_cast<uint32_t>(slot)};
  slice.task = tasks_[queue.front].tag, slice.begin = queue.begin, slice.end = now_;
  if (slice.end > slice.begin) observer_->observe(slice);
}

/// Passes on the seconds of the compute stream so far.
void Streams::tellSpent() {
  if (spentOn_ != kNone && spending_.end > spending_.begin) observer_->spend(spending_);
  spentOn_ = kNone;
}

/// Adds the last `dt` seconds of the compute stream to those before them if they belong to the same task.
void Streams::watchSpent(TaskId task, bool computes, double dt, double lost) {
  const bool holds = !computes && queues_[0].running && queues_[0].front + 1 == task;
  const SliceKind kind = computes                       ? SliceKind::Task
                         : tasks_[task].stream == kHost ? SliceKind::Launches
                         : holds                        ? SliceKind::Held
                                                        : SliceKind::Waits;
  if (spentOn_ != task || spending_.kind != kind) {
    tellSpent();
    spending_ = {.kind = kind};
    spending_.task = tasks_[task].tag, spending_.begin = now_ - dt;
  }
  spentOn_ = task, spending_.end = now_, spending_.slowed += lost;
}

template <bool Watched> void Streams::complete(size_t stream) {
  if (Watched && stream == 0) tellSpent();
  Queue& queue = queues_[stream];
  Task& task = tasks_[queue.front];
  task.done = true;
  queue.front = task.next;
  queue.running = false;
  --open_;
  if (stream == 0) computeEnd_ = now_;
  if (task.marker < 0) return;
  Marker marker = std::move(markers_[task.marker]); // what it calls may add markers
  allowance_ = marker.allowance;
  if (marker.reached) marker.reached();
}

/// Starts what can start, and ends what takes no time, so that more may start: the first stream first.
template <bool Watched> void Streams::start() {
  for (size_t i = 0; i < used_.size();) {
    Queue& queue = queues_[used_[i]];
    if (!(queue.running || begins<Watched>(queue)) || queue.left > 0 || !carries(used_[i])) {
      ++i;
    } else {
      if (Watched) observe(used_[i]);
      complete<Watched>(used_[i]);
      i = 0;
    }
  }
}

/// Returns the running task for which `task` waits: follows the tasks in front of it on its stream or port and its
/// dependencies. Each of them was added before the task that waits for it.
Streams::TaskId Streams::awaited(TaskId task) const {
  for (;;) {
    const size_t slot = tasks_[task].stream;
    if (carries(slot)) return queues_[slot].front;
    if (queues_[slot].running) return queues_[slot - 1].front; // pauses
    const Task& waiting = tasks_[queues_[slot].front];
    uint32_t dep = waiting.depsBegin;
    while (tasks_[deps_[dep]].done) ++dep;
    task = deps_[dep];
  }
}

/// Returns the task that runs while the compute stream does not compute; any running task if no computing is left.
Streams::TaskId Streams::awaitedNow() const {
  const Queue& computing = queues_[0];
  if (computing.front == kNone) {
    size_t slot = 1;
    while (!carries(slot)) ++slot;
    return queues_[slot].front;
  }
  if (computing.running) { // a hold
    const TaskId transfer = computing.front + 1;
    return tasks_[transfer].done ? transfer : awaited(transfer);
  }
  const Task& waiting = tasks_[computing.front];
  uint32_t dep = waiting.depsBegin;
  while (tasks_[deps_[dep]].done) ++dep;
  return awaited(deps_[dep]);
}

/// The compute stream's time goes to what it runs, or to what it waits for. `lost`: to communication beside it.
template <bool Watched> void Streams::account(double dt, double lost) {
  const bool computes = queues_[0].running && tasks_[queues_[0].front].kind == TaskKind::Plain;
  const TaskId id = computes ? queues_[0].front : awaitedNow();
  const Task& task = tasks_[id];
  Spent& spent = spentOn(task.tag);
  if (computes)
    spent.computing += dt - lost, spent.slowed += lost;
  else
    (task.stream == kHost ? spent.launches : spent.exposed) += dt;
  if (Watched) watchSpent(id, computes, dt, lost);
}

/// To the next end of a task, or of the allowance.
template <bool Watched> void Streams::advance() {
  Queue* const queues = queues_.data();
  const uint16_t *const used = used_.data() + 1, *const end = used_.data() + used_.size(); // beside computing
  double beside = 0;
  double dt = std::numeric_limits<double>::infinity();
  for (const uint16_t* s = used; s != end; ++s)
    if (carries(*s)) {
      if (*s >= kFirstComm) beside = std::max(beside, besideOf(*s));
      dt = std::min(dt, queues[*s].left);
    }
  // Beside communication a second of time is worth 1 - slowdown seconds of computing, until an instance has lost that
  // share of all its own computing: c + slowdown · min(c, comm) for computing c beside communication
  // (docs/cost-model.md, section 2.4). Beside a stream that takes a part of `slowdown` the seconds count alike.
  double loss = 0;
  Queue* const running = queues[0].running ? queues : nullptr;
  if (running && allowance_ > 0 && tasks_[running->front].kind == TaskKind::Plain) loss = slowdown_ * beside;
  if (running) {
    if (loss < 1) dt = std::min(dt, running->left / (1 - loss));
    if (loss > 0) dt = std::min(dt, allowance_ / slowdown_);
  }
  if (dt == std::numeric_limits<double>::infinity())
    throw std::logic_error("cost: a task waits for another task that never ends");

  now_ += dt;
  account<Watched>(dt, dt * loss);
  if (running) running->left = std::max(0.0, running->left - dt * (1 - loss));
  if (loss > 0) allowance_ = std::max(0.0, allowance_ - dt * slowdown_);
  for (const uint16_t* s = used; s != end; ++s)
    if (carries(*s)) {
      double& left = queues[*s].left;
      queued_[*s] -= std::min(left, dt);
      left = std::max(0.0, left - dt);
    }
}

template <bool Watched> void Streams::runAll() {
  for (start<Watched>(); open_ > 0; start<Watched>()) advance<Watched>();
  if (Watched) tellSpent();
}
template void Streams::runAll<false>();
template void Streams::runAll<true>();

} // namespace planc::cost
