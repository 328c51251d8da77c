// Work by several threads: results are used in order, few of them wait, and what is thrown comes in its turn.
// SPDX-License-Identifier: Apache-2.0
#include "driver/files/Parallel.h"

#include <atomic>
#include <gtest/gtest.h>
#include <numeric>
#include <stdexcept>
#include <string>

namespace planc::driver {
namespace {

std::vector<size_t> upTo(size_t count) {
  std::vector<size_t> out(count);
  std::iota(out.begin(), out.end(), size_t(0));
  return out;
}

TEST(Parallel, ResultsAreUsedInOrderByThisThread) {
  for (const size_t jobs : {1u, 2u, 7u}) {
    const std::thread::id self = std::this_thread::get_id();
    std::vector<size_t> used;
    Ordered<size_t>(1000, jobs)
        .run([](size_t i) { return i; },
             [&](size_t i) {
               EXPECT_EQ(std::this_thread::get_id(), self);
               used.push_back(i);
               return true;
             });
    EXPECT_EQ(used, upTo(1000)) << jobs;
  }
}

TEST(Parallel, NothingToDoIsDone) {
  Ordered<int>(0, 4).run(
      [](size_t) {
        ADD_FAILURE();
        return 0;
      },
      [](int) {
        ADD_FAILURE();
        return true;
      });
}

TEST(Parallel, FewResultsWait) {
  std::atomic<size_t> made = 0;
  size_t used = 0, most = 0;
  Ordered<size_t>(500, 3).run([&](size_t i) { return ++made, i; },
                              [&](size_t) {
                                most = std::max(most, made - used);
                                ++used;
                                return true;
                              });
  EXPECT_EQ(made, 500u);
  EXPECT_LE(most, 3u * 16u + 3u);
}

TEST(Parallel, WhoStopsIsNotKeptWaiting) {
  std::atomic<size_t> made = 0;
  std::vector<size_t> used;
  Ordered<size_t>(100000, 2).run([&](size_t i) { return ++made, i; },
                                 [&](size_t i) {
                                   used.push_back(i);
                                   return i < 3;
                                 });
  EXPECT_EQ(used, upTo(4));
  EXPECT_LT(made, 100u);
}

TEST(Parallel, WhatIsThrownComesInItsTurnWithItsStep) {
  for (const size_t jobs : {1u, 3u}) {
    std::vector<size_t> used;
    const auto run = [&] {
      Ordered<size_t>(50, jobs).run(
          [](size_t i) {
            const Step step("counting");
            if (i >= 20) throw std::runtime_error("at " + std::to_string(i));
            return i;
          },
          [&](size_t i) {
            used.push_back(i);
            return true;
          });
    };
    try {
      run();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "at 20");
      EXPECT_STREQ(Step::current(), "counting");
    }
    EXPECT_EQ(used, upTo(20));
  }
}

} // namespace
} // namespace planc::driver
