// A search as it goes on: how far it is, on a terminal or as lines, and when it is to end.
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
/// `auto`: on a terminal only.
ProgressForm progressForm(std::string_view word);

/// Watches a walk for as long as it lives. Ctrl-C and the end of the time stop the walk behind the candidate
/// that is priced.
class SearchWatch {
public:
  /// `time`: seconds that the walk may take; none: as many as it needs. `blocks`: of the space.
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
