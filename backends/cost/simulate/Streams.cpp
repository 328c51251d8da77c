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

Streams::TaskId Streams::push(Task task, std::span<const TaskId> deps) {
  task.depsBegin = static_cast<uint32_t>(deps_.size());
  for (TaskId d : deps)
    if (!tasks_[d].done) deps_.push_back(d);
  task.depsEnd = static_cast<uint32_t>(deps_.size());
  const TaskId id = static_cast<TaskId>(tasks_.size());
  queues_[task.stream].tasks.push_back(id);
  tasks_.push_back(task);
  return id;
}

Streams::TaskId Streams::add(ir::Stream stream, double seconds, std::span<const TaskId> deps, int32_t tag,
                             Occupies occupies) {
  Task task;
  task.remaining = seconds;
  task.tag = tag;
  task.stream = static_cast<int16_t>(slot(stream));
  task.occupies = occupies;
  if (task.stream > 0) backlog_ += seconds;
  return push(task, deps);
}

Streams::TaskId Streams::addHost(double seconds, TaskId begin, int32_t tag) {
  Task task;
  task.remaining = seconds;
  task.tag = tag;
  task.stream = kHost;
  return push(task, std::array{begin});
}

Streams::TaskId Streams::addMarker(std::span<const TaskId> deps, double allowance, std::function<void()> reached) {
  Task task;
  task.marker = static_cast<int32_t>(markers_.size());
  markers_.push_back({allowance, std::move(reached)});
  return push(task, deps);
}

bool Streams::ready(const Task& task) const {
  for (uint32_t i = task.depsBegin; i < task.depsEnd; ++i)
    if (!tasks_[deps_[i]].done) return false;
  return true;
}

void Streams::complete(size_t stream) {
  Queue& queue = queues_[stream];
  Task& task = tasks_[queue.tasks[queue.head]];
  task.done = true;
  ++queue.head;
  queue.running = false;
  if (stream == 0) computeEnd_ = now_;
  if (task.marker < 0) return;
  Marker marker = std::move(markers_[task.marker]); // what it calls may add markers
  allowance_ = marker.allowance;
  if (marker.reached) marker.reached();
}

/// Starts what can start; ends what takes no time. True if something ended, so that more may start.
bool Streams::finishImmediate() {
  for (size_t s = 0; s < queues_.size(); ++s) {
    Queue& queue = queues_[s];
    if (queue.head == queue.tasks.size()) continue;
    Task& task = tasks_[queue.tasks[queue.head]];
    if (!queue.running && !ready(task)) continue;
    queue.running = true;
    if (task.remaining > 0) continue;
    complete(s);
    return true;
  }
  return false;
}

Spent& Streams::spentOn(int32_t tag) {
  const size_t slot = static_cast<size_t>(tag + 1);
  if (slot >= spent_.size()) spent_.resize(slot + 1);
  return spent_[slot];
}

/// What runs while the compute stream waits: from the task that it waits for over what that one waits for in turn, in
/// front of it on its stream or as its dependency, to one that runs. Each was added before the one that waits for it.
/// With nothing left to compute, what runs at all.
Streams::TaskId Streams::awaited() const {
  const auto front = [&](size_t stream) { return queues_[stream].tasks[queues_[stream].head]; };
  if (queues_[0].head == queues_[0].tasks.size()) {
    size_t running = 1;
    while (!queues_[running].running) ++running;
    return front(running);
  }
  TaskId task = front(0);
  do {
    const Task& waiting = tasks_[task];
    uint32_t dep = waiting.depsBegin;
    while (tasks_[deps_[dep]].done) ++dep;
    task = front(static_cast<size_t>(tasks_[deps_[dep]].stream));
  } while (!queues_[tasks_[task].stream].running);
  return task;
}

/// The compute stream's time goes to what it runs, or to what it waits for. `lost`: to communication beside it.
void Streams::account(double dt, double lost) {
  const Queue& compute = queues_[0];
  if (!compute.running) {
    const Task& task = tasks_[awaited()];
    Spent& spent = spentOn(task.tag);
    (task.stream == kHost ? spent.launches : spent.exposed) += dt;
    return;
  }
  const Task& task = tasks_[compute.tasks[compute.head]];
  Spent& spent = spentOn(task.tag);
  if (task.occupies == Occupies::Computing)
    spent.computing += dt - lost, spent.slowed += lost;
  else
    spent.exposed += dt;
}

/// To the next end of a task, or of the allowance.
void Streams::advance() {
  const Queue& compute = queues_[0];
  bool communicating = false;
  double dt = std::numeric_limits<double>::infinity();
  for (size_t s = kHost; s < queues_.size(); ++s)
    if (queues_[s].running) {
      communicating |= s >= kFirstComm;
      dt = std::min(dt, tasks_[queues_[s].tasks[queues_[s].head]].remaining);
    }
  // Beside communication a second of time is worth 1 - slowdown seconds of computing, until an instance has lost that
  // share of all its own computing: c + slowdown · min(c, comm) for computing c beside communication
  // (docs/cost-model.md, section 2.4).
  double loss = 0;
  Task* running = compute.running ? &tasks_[compute.tasks[compute.head]] : nullptr;
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
  for (size_t s = kHost; s < queues_.size(); ++s)
    if (queues_[s].running) {
      double& left = tasks_[queues_[s].tasks[queues_[s].head]].remaining;
      if (s >= kFirstComm) backlog_ -= std::min(left, dt);
      left = std::max(0.0, left - dt);
    }
}

void Streams::run() {
  for (;;) {
    while (finishImmediate()) {
    }
    bool any = false;
    for (const Queue& queue : queues_) any |= queue.head < queue.tasks.size();
    if (!any) return;
    advance();
  }
}

} // namespace planc::cost
