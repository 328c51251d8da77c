// Work on many files by several threads, whose results are used in order: the output is the same however many there
// are.
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

/// Results 0 to `count` - 1, made by `jobs` threads a little ahead of their use, so that not many of them wait in
/// memory. With one job there is no other thread.
template <class Result> class Ordered {
public:
  Ordered(size_t count, size_t jobs) : count_(count), jobs_(std::min(jobs, count)), ahead_(kAhead * jobs_) {}
  /// Are results made ahead of their use?
  bool threaded() const { return jobs_ > 1; }

  /// `make(i)` runs on any thread, several at once; `use(result)` on this one, in order, until it says false. What
  /// `make` throws is thrown here when its turn comes.
  template <class Make, class Use> void run(Make make, Use use) {
    slots_.resize(jobs_ < 2 ? 0 : ahead_);
    const Threads threads(*this, make);
    for (size_t i = 0; i < count_; ++i)
      if (!use(threads.any() ? take(i) : make(i))) return;
  }

private:
  /// Results per thread that may wait: a file that takes long holds up the others only behind so many short ones.
  static constexpr size_t kAhead = 16;

  struct Slot {
    std::optional<Result> result;
    std::exception_ptr failure;
    const char* step = nullptr; ///< in which it failed
    bool made = false;
  };

  /// The threads, which end with it.
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
        // fewer than asked for do as well, and none, too
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

  /// The next to make, when there is room for it; nothing at the end.
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
  std::vector<Slot> slots_; ///< of `used_` to `used_ + ahead_`, each at its number modulo `ahead_`
  size_t next_ = 0, used_ = 0;
};

} // namespace planc::driver
