// Event simulation of in-order streams.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/Streams.h"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

namespace planc::cost {

size_t Streams::slot(ir::Stream stream) {
  if (stream == ir::kComputeStream) return 0;
  const size_t s = kFirstComm + static_cast<size_t>(stream);
  if (s >= queues_.size()) queues_.resize(s + 1);
  return s;
}

void Streams::reserve(size_t tasks) {
  const size_t all = tasks_.size() + tasks;
  if (all <= tasks_.capacity()) return;
  tasks_.reserve(std::max(all, 2 * tasks_.capacity()));
  deps_.reserve(2 * tasks_.capacity());
}

Streams::TaskId Streams::push(double seconds, size_t stream, std::span<const TaskId> deps, int32_t tag,
                              Occupies occupies) {
  const TaskId id = static_cast<TaskId>(tasks_.size());
  Task& task = tasks_.emplace_back();
  task.remaining = seconds;
  task.tag = tag;
  task.stream = static_cast<uint16_t>(stream);
  task.occupies = occupies;
  task.depsBegin = static_cast<uint32_t>(deps_.size());
  const Task* const tasks = tasks_.data();
  for (const TaskId d : deps) // a stream keeps its own order
    if (!tasks[d].done && tasks[d].stream != stream) deps_.push_back(d);
  task.depsEnd = static_cast<uint32_t>(deps_.size());
  Queue& queue = queues_[stream];
  (queue.front == kNone ? queue.front : tasks_[queue.back].next) = id;
  queue.back = id;
  ++open_;
  if (static_cast<size_t>(tag + 1) >= spent_.size()) spent_.resize(static_cast<size_t>(tag + 2));
  return id;
}

Streams::TaskId Streams::add(ir::Stream stream, double seconds, std::span<const TaskId> deps, int32_t tag,
                             Occupies occupies) {
  const size_t at = slot(stream);
  if (at > 0) backlog_ += seconds;
  return push(seconds, at, deps, tag, occupies);
}

Streams::TaskId Streams::addHost(double seconds, TaskId begin, int32_t tag) {
  return push(seconds, kHost, std::array{begin}, tag, Occupies::Computing);
}

Streams::TaskId Streams::addMarker(std::span<const TaskId> deps, double allowance, std::function<void()> reached) {
  const TaskId id = push(0, 0, deps, kNoTag, Occupies::Computing);
  tasks_[id].marker = static_cast<int32_t>(markers_.size());
  markers_.push_back({allowance, std::move(reached)});
  return id;
}

bool Streams::ready(Task& task) const {
  while (task.depsBegin < task.depsEnd && tasks_[deps_[task.depsBegin]].done) ++task.depsBegin;
  return task.depsBegin == task.depsEnd;
}

void Streams::complete(size_t stream) {
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
void Streams::start() {
  for (size_t s = 0; s < queues_.size();) {
    Queue& queue = queues_[s];
    Task* const task = queue.front == kNone ? nullptr : &tasks_[queue.front];
    if (task && (queue.running || ready(*task))) {
      queue.running = true;
      if (!(task->remaining > 0)) {
        complete(s);
        s = 0;
        continue;
      }
    }
    ++s;
  }
}

/// What runs while the compute stream waits: from the task that it waits for over what that one waits for in turn, in
/// front of it on its stream or as its dependency, to one that runs. Each was added before the one that waits for it.
/// With nothing left to compute, what runs at all.
Streams::TaskId Streams::awaited() const {
  if (queues_[0].front == kNone) {
    size_t running = 1;
    while (!queues_[running].running) ++running;
    return queues_[running].front;
  }
  TaskId task = queues_[0].front;
  do {
    const Task& waiting = tasks_[task];
    uint32_t dep = waiting.depsBegin;
    while (tasks_[deps_[dep]].done) ++dep;
    task = queues_[tasks_[deps_[dep]].stream].front;
  } while (!queues_[tasks_[task].stream].running);
  return task;
}

/// The compute stream's time goes to what it runs, or to what it waits for. `lost`: to communication beside it.
void Streams::account(double dt, double lost) {
  const bool computes = queues_[0].running;
  const Task& task = tasks_[computes ? queues_[0].front : awaited()];
  Spent& spent = spentOn(task.tag);
  if (!computes)
    (task.stream == kHost ? spent.launches : spent.exposed) += dt;
  else if (task.occupies == Occupies::Computing)
    spent.computing += dt - lost, spent.slowed += lost;
  else
    spent.exposed += dt;
}

/// To the next end of a task, or of the allowance.
void Streams::advance() {
  Task* const tasks = tasks_.data();
  Queue* const queues = queues_.data();
  const size_t count = queues_.size();
  bool communicating = false;
  double dt = std::numeric_limits<double>::infinity();
  for (size_t s = kHost; s < count; ++s)
    if (queues[s].running) {
      communicating |= s >= kFirstComm;
      dt = std::min(dt, tasks[queues[s].front].remaining);
    }
  // Beside communication a second of time is worth 1 - slowdown seconds of computing, until an instance has lost that
  // share of all its own computing: c + slowdown · min(c, comm) for computing c beside communication
  // (docs/cost-model.md, section 2.4).
  double loss = 0;
  Task* running = queues[0].running ? &tasks[queues[0].front] : nullptr;
  if (running && running->occupies == Occupies::Computing && communicating && allowance_ > 0) loss = slowdown_;
  if (running) {
    if (loss < 1) dt = std::min(dt, running->remaining / (1 - loss));
    if (loss > 0) dt = std::min(dt, allowance_ / loss);
  }
  if (dt == std::numeric_limits<double>::infinity())
    throw std::logic_error("cost: a task waits for one that never ends");

  now_ += dt;
  account(dt, dt * loss);
  if (running) running->remaining = std::max(0.0, running->remaining - dt * (1 - loss));
  if (loss > 0) allowance_ = std::max(0.0, allowance_ - dt * loss);
  for (size_t s = kHost; s < count; ++s)
    if (queues[s].running) {
      double& left = tasks[queues[s].front].remaining;
      if (s >= kFirstComm) backlog_ -= std::min(left, dt);
      left = std::max(0.0, left - dt);
    }
}

void Streams::run() {
  for (start(); open_ > 0; start()) advance();
}

} // namespace planc::cost
