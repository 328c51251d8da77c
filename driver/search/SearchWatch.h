// Watches a running search: shows its progress and ends it in time.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/words/Console.h"
#include "search/Walk.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace planc::driver {

enum class ProgressForm { Terminal, Plain, None };
/// Parses `--progress`; `auto` means Terminal on a terminal, else None.
ProgressForm progressForm(std::string_view word);

/// Watches a walk during its own lifetime. Ctrl-C and the time limit stop the walk after the current candidate.
class SearchWatch {
public:
  /// `time`: limit in seconds; nothing: no limit. `blocks`: count of blocks in the space.
  SearchWatch(search::Progress& progress, uint64_t blocks, ProgressForm form, std::optional<double> time);
  ~SearchWatch();
  SearchWatch(const SearchWatch&) = delete;

private:
  void watch();
  std::string line() const;

  search::Progress& progress_;
  const uint64_t blocks_;
  const ProgressForm form_;
  const std::optional<double> time_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex lock_;
  std::condition_variable woken_;
  bool done_ = false;
  std::thread thread_;
};

} // namespace planc::driver
