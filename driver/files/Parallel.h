// Processes many items with several threads and uses the results in order, so that the output does not depend on the
// number of threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/words/Progress.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

namespace planc::driver {

/// Results 0 to `count` - 1, made by `jobs` threads shortly before they are used, so that few of them wait in memory.
/// With one job no thread is started.
template <class Result> class Ordered {
public:
  Ordered(size_t count, size_t jobs) : count_(count), jobs_(std::min(jobs, count)), ahead_(kAhead * jobs_) {}
  /// Returns whether results are made ahead of their use.
  bool threaded() const { return jobs_ > 1; }

  /// `make(i)` runs on any thread, several at once. `use(result)` runs on the calling thread, in order, until it
  /// returns false. An exception of `make` is rethrown here when its result is due.
  template <class Make, class Use> void run(Make make, Use use) {
    slots_.resize(jobs_ < 2 ? 0 : ahead_);
    const Threads threads(*this, make);
    for (size_t i = 0; i < count_; ++i)
      if (!use(threads.any() ? take(i) : make(i))) return;
  }

private:
  /// Results per thread that may wait. A slow item delays the others only after this many.
  static constexpr size_t kAhead = 16;

  struct Slot {
    std::optional<Result> result;
    std::exception_ptr failure;
    const char* step = nullptr; ///< the step in which it failed
    bool made = false;
  };

  /// The worker threads, which are joined in the destructor.
  class Threads {
  public:
    template <class Make> Threads(Ordered& work, Make& make) : work_(work) {
      try {
        for (size_t i = 0; i < work.slots_.size() / kAhead; ++i)
          threads_.emplace_back([&work, &make] {
            const CrashStack stack;
            work.makeAll(make);
          });
      } catch (const std::system_error&) {
        // Fewer threads than requested, or none, still work.
      }
    }
    Threads(const Threads&) = delete;
    bool any() const { return !threads_.empty(); }
    ~Threads() {
      {
        const std::lock_guard guard(work_.lock_);
        work_.next_ = work_.count_;
      }
      work_.room_.notify_all();
      for (std::thread& thread : threads_) thread.join();
    }

  private:
    Ordered& work_;
    std::vector<std::thread> threads_;
  };

  template <class Make> void makeAll(Make& make) {
    while (const std::optional<size_t> i = next()) {
      Slot made;
      try {
        made.result.emplace(make(*i));
      } catch (...) {
        made.failure = std::current_exception();
        made.step = Step::current();
      }
      made.made = true;
      {
        const std::lock_guard guard(lock_);
        slots_[*i % ahead_] = std::move(made);
      }
      there_.notify_one();
    }
  }

  /// Returns the next index to make once there is room for its result; nothing at the end.
  std::optional<size_t> next() {
    std::unique_lock guard(lock_);
    room_.wait(guard, [&] { return next_ >= count_ || next_ < used_ + ahead_; });
    if (next_ >= count_) return std::nullopt;
    return next_++;
  }

  Result take(size_t i) {
    Slot slot;
    {
      std::unique_lock guard(lock_);
      there_.wait(guard, [&] { return slots_[i % ahead_].made; });
      slot = std::move(slots_[i % ahead_]);
      slots_[i % ahead_] = Slot();
      ++used_;
    }
    room_.notify_one();
    if (!slot.failure) return std::move(*slot.result);
    Step::failedIn(slot.step);
    std::rethrow_exception(slot.failure);
  }

  const size_t count_, jobs_, ahead_;
  std::mutex lock_;
  std::condition_variable room_, there_;
  std::vector<Slot> slots_; ///< results `used_` to `used_ + ahead_`, each at its index modulo `ahead_`
  size_t next_ = 0, used_ = 0;
};

} // namespace planc::driver
