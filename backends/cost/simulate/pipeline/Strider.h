// Leaps of the fast engine over periods that all stages of a pipeline repeat.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/pipeline/FastPipeline.h"

#include <cmath>
#include <cstdint>
#include <vector>

namespace planc::cost {

/// Runs one stretch of repeated actions. Simulates common periods until the state of all stages is the same as some
/// periods before, shifted by a time: when each stage is free, and which results are made and not yet received. From
/// there on the periods repeat, so the engine skips as many of them as fit.
///
/// A stage can have a rate of its own if it waits for no stage with another rate. Results of a faster stage are always
/// available. Results of a slower stage are available until its lead is used up, which limits the leap.
class Strider {
public:
  Strider(FastPipeline& run, const SteadyOrders& steady);
  void go();

private:
  static constexpr size_t kNoStage = SIZE_MAX;
  using Work = FastPipeline::Work;
  struct Receiver {
    size_t work = 0, stage = 0;
  };
  struct PastStage { ///< the progress of a stage after a period
    size_t next = 0;
    double free = 0, tail = 0, port = 0;
  };

  // The periods so far.
  void remember();
  void forget();
  const PastStage& past(size_t s, size_t ago) const { return history_[(periods_ - 1 - ago) * stages_ + s]; }
  double passed(size_t s, size_t ago, size_t over) const { return past(s, ago).free - past(s, ago + over).free; }
  bool same(double a, double b) const;

  // Tests whether the periods repeat.
  int64_t tryLeap();
  void startWatching(size_t over);
  void stopWatching();
  bool wentOn(size_t s, size_t over) const;
  bool evenly(size_t over);
  bool steadily(size_t over);
  bool repeatsAfter(size_t over, bool uniform);
  void countCells();
  bool madeTheSame(uint32_t row, int64_t from, int64_t cycle) const;
  bool receivesTheSame(const Receiver& receiver, int64_t cycle);
  int64_t nextOf(const Work& work) const;
  int64_t outstanding(const Receiver& receiver) const;

  // The leap.
  int64_t timesFor(size_t over) const;
  int64_t leap(size_t over, const std::vector<double>& sumsThen);
  void leapRows(int64_t times, int64_t cycle);
  void movePlaces();

  FastPipeline& run_;
  const SteadyOrders& steady_;
  size_t stages_;
  std::vector<size_t> maker_;  ///< by row of results: the stage that makes it in this stretch
  std::vector<int64_t> cells_; ///< by row: number of filled cells
  std::vector<int64_t> known_; ///< by row: the cell from which on results follow each other without a leap
  std::vector<char> active_;   ///< by work: whether it runs in this stretch
  std::vector<Receiver> receivers_;
  std::vector<double> rate_; ///< by stage: seconds of one repetition
  std::vector<PastStage> history_;
  size_t periods_ = 0; ///< number of periods in `history_`
  std::vector<double> sumsNow_, sumsBefore_, sumsWatched_;
  size_t watching_ = 0;    ///< periods that run once more to measure how long inputs wait; 0: no watch
  size_t watchedFrom_ = 0; ///< the period after which the watch began
  bool uniform_ = true;    ///< all stages have the same rate
  bool late_ = false;      ///< a stage reads results from before a leap in which it took no part
  double now_ = 0;
};

} // namespace planc::cost
