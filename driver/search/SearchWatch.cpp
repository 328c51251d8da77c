// Polls a walk ten times a second.
// SPDX-License-Identifier: Apache-2.0
#include "driver/search/SearchWatch.h"

#include "support/Quantity.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace planc::driver {

namespace {

volatile std::sig_atomic_t interrupted = 0;

extern "C" void interrupt(int) {
  interrupted = 1;
  std::signal(SIGINT, SIG_DFL); // the second Ctrl-C ends the program
}

constexpr auto kLook = std::chrono::milliseconds(100);
constexpr double kFirst = 0.5, kPlain = 10; // seconds until the first line, and between lines of plain output

} // namespace

ProgressForm progressForm(std::string_view word) {
  if (word == "plain") return ProgressForm::Plain;
  return word == "auto" && isatty(STDERR_FILENO) ? ProgressForm::Terminal : ProgressForm::None;
}

SearchWatch::SearchWatch(search::Progress& progress, uint64_t blocks, ProgressForm form, std::optional<double> time)
    : progress_(progress), blocks_(blocks), form_(form), time_(time) {
  interrupted = 0;
  std::signal(SIGINT, interrupt);
  thread_ = std::thread([this] { watch(); });
}

SearchWatch::~SearchWatch() {
  {
    const std::lock_guard guard(lock_);
    done_ = true;
  }
  woken_.notify_one();
  thread_.join();
  std::signal(SIGINT, SIG_DFL);
}

void SearchWatch::watch() {
  double next = kFirst;
  bool shown = false;
  std::unique_lock guard(lock_);
  while (!woken_.wait_for(guard, kLook, [this] { return done_; })) {
    const double now = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    if (interrupted || (time_ && now >= *time_)) progress_.stop = true;
    if (form_ == ProgressForm::None || now < next) continue;
    next = now + (form_ == ProgressForm::Plain ? kPlain : kFirst);
    std::fputs((form_ == ProgressForm::Plain ? line() + "\n" : "\r" + line() + "\x1b[K").c_str(), stderr);
    std::fflush(stderr);
    shown = true;
  }
  if (shown && form_ == ProgressForm::Terminal) std::fputs("\r\x1b[K", stderr);
}

std::string SearchWatch::line() const {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  const auto all = static_cast<double>(std::max<uint64_t>(1, blocks_));
  const auto before = static_cast<double>(progress_.before), now = static_cast<double>(progress_.blocks);
  std::string text =
      fmt::format("{:.1f} % of the candidates, {:.0f} priced per second and core", 100 * now / all,
                  static_cast<double>(progress_.priced) / seconds / std::max<unsigned>(1, progress_.threads));
  if (const double best = progress_.best; best > 0) text += fmt::format(", best {}", formatQuantity(best, units::time));
  const double least = progress_.least, found = progress_.bestGoal;
  if (least != 0 && std::isfinite(least) && found > least)
    text += fmt::format(", at most {:.1f} % from the best possible", 100 * std::abs(found / least - 1));
  if (now > before)
    text += fmt::format(", {} left", formatQuantity(seconds * (all - now) / (now - before), units::time));
  return text;
}

} // namespace planc::driver
