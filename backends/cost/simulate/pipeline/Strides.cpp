// The steady state of a pipeline: what repeats is leapt over, not simulated.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/pipeline/PipelineRun.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace planc::cost {

namespace {

/// Times are equal if they differ by less than this share of the time so far: rounding.
constexpr double kRounded = 2e-14;
/// Common periods that may make one of the times, at most.
constexpr size_t kMostPeriods = 512;
/// Numbers of periods that are looked at more closely after each.
constexpr int kTries = 4;
constexpr double kAnySlack = std::numeric_limits<double>::infinity();

} // namespace

/// Simulates common periods of a stretch until all stages stand as they stood some periods before, but for a time that
/// has passed: what is free when, and what was made and not yet received. Then the same follows again and again.
///
/// A stage may have a rate of its own as long as nothing that it waits for has another. What it receives from a faster
/// stage has always been there, and from a slower one until what it lies ahead is used up: so far the leap goes.
class PipelineRun::Strider {
public:
  Strider(PipelineRun& run, const SteadyOrders& steady)
      : run_(run), steady_(steady), stages_(run.stages_.size()), maker_(run.rows(), kNoStage), cells_(run.rows()),
        known_(run.rows()), active_(run.works_.size()), rate_(stages_) {
    for (const auto& skips : run.skips_)
      for (uint32_t row = 1; row < run.rows(); ++row)
        if (skips[row].cycle > 0) known_[row] = skips[row].at;
    for (size_t s = 0; s < stages_; ++s)
      for (const Action& a : steady.stages[s].written) {
        const size_t work = static_cast<size_t>(&run.workOf(a, a.microBatch) - run.works_.data());
        if (!active_[work]) receivers_.push_back({work, s});
        active_[work] = true;
        if (const uint32_t row = run.works_[work].outRow) maker_[row] = s;
      }
  }

  void go() {
    for (int64_t period = 0;; ++period) {
      for (size_t s = 0; s < stages_; ++s) {
        const Stretch& stretch = steady_.stages[s];
        const size_t limit = stretch.begin + static_cast<size_t>(period) * stretch.length;
        if (limit + 2 * stretch.length > stretch.end) return stopWatching();
        run_.stages_[s].limit = limit;
      }
      run_.settle();
      remember();
      if (const int64_t over = tryLeap(); over > 0) {
        period += over;
        forget();
      }
    }
  }

private:
  static constexpr size_t kNoStage = SIZE_MAX;
  struct Receiver {
    size_t work = 0, stage = 0;
  };
  struct Then { ///< what a stage had done after a period
    size_t next = 0;
    double free = 0, commFree = 0, port = 0;
  };

  // ---- what was -----------------------------------------------------------------

  void remember() {
    for (const Stage& s : run_.stages_) history_.push_back({s.next, s.free, s.comm.until, s.port});
    ++periods_;
    sumsBefore_.swap(sumsNow_);
    sumsNow_ = run_.sums_;
  }
  void forget() {
    history_.clear();
    periods_ = 0;
    stopWatching();
    remember();
  }
  const Then& then(size_t s, size_t ago) const { return history_[(periods_ - 1 - ago) * stages_ + s]; }
  double passed(size_t s, size_t ago, size_t over) const { return then(s, ago).free - then(s, ago + over).free; }
  bool same(double a, double b) const { return std::fabs(a - b) <= kRounded * now_; }

  // ---- whether it repeats -------------------------------------------------------

  /// The periods that it leapt over, if it did.
  int64_t tryLeap() {
    now_ = 0;
    for (const Stage& s : run_.stages_) now_ = std::max(now_, s.free);
    if (watching_ > 0) {
      if (periods_ - 1 < watchedFrom_ + watching_) return 0;
      const size_t over = watching_;
      countCells();
      const bool repeats = repeatsAfter(over, uniform_);
      const int64_t leapt = repeats ? leap(over, sumsWatched_) : 0;
      stopWatching();
      return leapt;
    }
    int tries = 0;
    for (size_t over = 1; over < periods_ && over <= kMostPeriods && tries < kTries; ++over) {
      uniform_ = evenly(over);
      if (!uniform_ && !steadily(over)) continue;
      if (tries++ == 0) countCells();
      if (uniform_ && !repeatsAfter(over, true)) continue;
      if (uniform_ && over == 1 && !late_) return leap(over, sumsBefore_);
      startWatching(over);
      return 0;
    }
    return 0;
  }

  void startWatching(size_t over) {
    watching_ = over, watchedFrom_ = periods_ - 1;
    sumsWatched_ = run_.sums_;
    run_.slack_.assign(run_.works_.size(), kAnySlack);
    run_.watched_ = true;
  }
  void stopWatching() {
    watching_ = 0;
    run_.watched_ = false;
  }

  bool wentOn(size_t s, size_t over) const {
    return then(s, over).next >= steady_.stages[s].begin + steady_.stages[s].length &&
           then(s, 0).next - then(s, over).next == over * steady_.stages[s].length;
  }
  /// All stages are one and the same time later.
  bool evenly(size_t over) {
    const double time = passed(0, 0, over);
    for (size_t s = 0; s < stages_; ++s)
      if (!same(passed(s, 0, over), time) || !wentOn(s, over)) return false;
    std::fill(rate_.begin(), rate_.end(), time);
    return true;
  }
  /// Every stage is as much later as it was before.
  bool steadily(size_t over) {
    if (periods_ <= 2 * over) return false;
    for (size_t s = 0; s < stages_; ++s) {
      if (!same(passed(s, 0, over), passed(s, over, over)) || !wentOn(s, over)) return false;
      rate_[s] = passed(s, 0, over);
    }
    return true;
  }

  /// Do the stages stand as before? With rates of their own, did they also do the same in between?
  bool repeatsAfter(size_t over, bool uniform) {
    if (!(uniform ? evenly(over) : steadily(over))) return false;
    for (size_t s = 0; s < stages_; ++s) {
      const Then &now = then(s, 0), &before = then(s, over);
      const auto goesOn = [&](double ends, double ended) {
        return (ends <= now.free && ended <= before.free) || same(ends - ended, rate_[s]);
      };
      if (!goesOn(now.commFree, before.commFree) || !goesOn(now.port, before.port)) return false;
      if (std::max(run_.stages_[s].reduced.until, run_.stages_[s].gathered) > now.free) return false;
    }
    const int64_t cycle = static_cast<int64_t>(over) * steady_.microBatches;
    late_ = false;
    for (const Receiver& r : receivers_)
      if (!receivesTheSame(r, cycle)) return false;
    if (uniform) return true;
    for (uint32_t row = 1; row < run_.rows(); ++row)
      if (maker_[row] != kNoStage && !madeTheSame(row, cells_[row] - cycle, cycle)) return false;
    return true;
  }

  void countCells() {
    for (uint32_t row = 1; row < run_.rows(); ++row) {
      int64_t& n = cells_[row];
      while (n < run_.width_ && run_.ends_[run_.rowAt(row) + n] >= 0) ++n;
    }
  }
  bool madeTheSame(uint32_t row, int64_t from, int64_t cycle) const {
    if (from - cycle < known_[row]) return false;
    const double* ends = &run_.ends_[run_.rowAt(row)];
    for (int64_t i = from; i < cells_[row]; ++i)
      if (!same(ends[i] - ends[i - cycle], rate_[maker_[row]])) return false;
    return true;
  }

  /// What waits to be received is as before, or lies among what was leapt over.
  bool receivesTheSame(const Receiver& r, int64_t cycle) {
    Work& work = run_.works_[r.work];
    if (work.inRow == 0) return true;
    const int64_t microBatch = nextOf(work);
    if (work.redirected) run_.lookBack(work, microBatch);
    if (work.redirected) {
      late_ = true;
      const Skip* skip = skipOf(work, microBatch);
      return skip && microBatch - work.inShift - cycle >= skip->at && cycle % skip->cycle == 0;
    }
    // What a stage makes itself is there when it goes on, but for what takes a way to itself.
    if (maker_[work.inRow] == r.stage && !(work.latency > 0)) return true;
    if (maker_[work.inRow] == kNoStage) return false;
    const int64_t from = microBatch - work.inShift;
    return from >= cells_[work.inRow] || madeTheSame(work.inRow, from, cycle);
  }
  /// The next micro-batch of this work.
  int64_t nextOf(const Work& work) const {
    if (run_.isWeight(work))
      return static_cast<int64_t>(work.slot % run_.routes_) * run_.perRoute_ + run_.perRoute_ - *work.left;
    return cells_[work.outRow] + work.outShift;
  }
  /// The leap among whose micro-batches that one lies.
  const Skip* skipOf(const Work& work, int64_t microBatch) const {
    if (work.leaps >= run_.skips_.size()) return nullptr;
    const Skip& skip = run_.skips_[work.leaps][work.inRow];
    const int64_t cell = microBatch - work.inShift;
    return skip.count > 0 && cell >= skip.at && cell < skip.at + skip.count ? &skip : nullptr;
  }

  // ---- leaps --------------------------------------------------------------------

  /// How often the `over` periods fit before something changes; none of the last one, in which reductions begin.
  int64_t timesFor(size_t over) const {
    const int64_t each = static_cast<int64_t>(over), cycle = each * steady_.microBatches;
    int64_t times = std::numeric_limits<int64_t>::max();
    for (size_t s = 0; s < stages_; ++s) {
      const Stretch& stretch = steady_.stages[s];
      const auto left = static_cast<int64_t>((stretch.end - run_.stages_[s].next) / stretch.length);
      times = std::min(times, (left - 1) / each);
    }
    for (const Receiver& r : receivers_) {
      const Work& work = run_.works_[r.work];
      if (work.inRow == 0) continue;
      double made = work.redirected ? 0 : rate_[maker_[work.inRow]];
      if (work.redirected) {
        const int64_t microBatch = nextOf(work);
        const Skip& skip = *skipOf(work, microBatch);
        times = std::min(times, (skip.at + skip.count - (microBatch - work.inShift)) / cycle);
        made = skip.step * static_cast<double>(cycle / skip.cycle);
      }
      if (same(made, rate_[r.stage])) continue;
      const double slack = run_.slack_.empty() ? -1 : run_.slack_[r.work];
      if (slack < 0) return 0;
      if (made > rate_[r.stage])
        times = std::min(times, static_cast<int64_t>(std::min(1e15, slack / (made - rate_[r.stage]))) - 1);
    }
    for (const Receiver& r : receivers_)
      if (times * cycle < outstanding(r)) return 0;
    return times;
  }
  int64_t outstanding(const Receiver& r) const {
    const Work& work = run_.works_[r.work];
    if (work.inRow == 0 || work.redirected) return 0;
    return std::max<int64_t>(0, cells_[work.inRow] - (nextOf(work) - work.inShift));
  }

  int64_t leap(size_t over, const std::vector<double>& sumsThen) {
    const int64_t times = timesFor(over);
    if (times < 1) return 0;
    // What follows another stretch may read what was leapt over: that is looked up action by action.
    // So is what stages do that lag behind the periods so far that a leap goes beyond the last mark.
    const int64_t each = static_cast<int64_t>(over), cycle = each * steady_.microBatches;
    const bool staysOnTape = run_.onTape_ && run_.shape_->steady().size() == 1 && run_.hasMark(times * each);
    if (!staysOnTape) run_.leaveTape();
    const double n = static_cast<double>(times);
    if (staysOnTape)
      fillRows(times, cycle);
    else
      leapRows(times, cycle);
    for (size_t s = 0; s < stages_; ++s) {
      const Stretch& stretch = steady_.stages[s];
      Stage& stage = run_.stages_[s];
      if (!staysOnTape) stage.at.skip(times * each * stretch.times, stretch.ofPhase);
      stage.next += static_cast<size_t>(times * each) * stretch.length;
      stage.free += n * rate_[s];
      if (stage.comm.until > 0) stage.comm.until += n * rate_[s];
      if (stage.port > 0) stage.port += n * rate_[s];
      for (size_t i = 0; i < stretch.written.size(); ++i)
        *run_.workOf(stretch.written[i], stretch.written[i].microBatch).left -= times * each * stretch.counts[i];
    }
    for (size_t i = 0; i < run_.sums_.size(); ++i) run_.sums_[i] += n * (run_.sums_[i] - sumsThen[i]);
    run_.left_.back() = int64_t{1} << 60;
    if (staysOnTape) run_.skipMarks(static_cast<size_t>(times * each));
    return times * each;
  }

  /// By row: the most micro-batches that somebody has yet to receive.
  std::vector<int64_t> outstanding() const {
    std::vector<int64_t> wanted(run_.rows());
    for (const Receiver& r : receivers_) {
      int64_t& most = wanted[run_.works_[r.work].inRow];
      most = std::max(most, outstanding(r));
    }
    return wanted;
  }

  /// On the tape every micro-batch has its cell.
  void fillRows(int64_t times, int64_t cycle) {
    const std::vector<int64_t> wanted = outstanding();
    for (uint32_t row = 1; row < run_.rows(); ++row) {
      if (maker_[row] == kNoStage) continue;
      double* const ends = &run_.ends_[run_.rowAt(row)] + cells_[row];
      const double step = rate_[maker_[row]];
      for (int64_t n = 0; n < times; ++n) {
        const double later = static_cast<double>(n + 1) * step;
        for (int64_t j = 0; j < cycle; ++j) ends[n * cycle + j] = ends[j - cycle] + later;
      }
      cells_[row] += times * cycle;
      known_[row] = cells_[row] - wanted[row];
    }
  }

  /// Of the micro-batches that are leapt over only the last get cells: those that somebody has yet to receive.
  void leapRows(int64_t times, int64_t cycle) {
    const std::vector<int64_t> wanted = outstanding();
    auto& skips = run_.skips_.emplace_back(run_.rows());
    for (uint32_t row = 1; row < run_.rows(); ++row) {
      if (maker_[row] == kNoStage) continue;
      Skip& skip = skips[row];
      skip.at = cells_[row], skip.cycle = cycle, skip.step = rate_[maker_[row]];
      skip.count = times * cycle - wanted[row];
      while (skip.at + wanted[row] > run_.width_) run_.widen();
      double* ends = &run_.ends_[run_.rowAt(row)];
      std::vector<double> last(static_cast<size_t>(wanted[row]));
      for (int64_t i = 0; i < wanted[row]; ++i) {
        const int64_t j = skip.count + i;
        last[static_cast<size_t>(i)] =
            ends[skip.at - cycle + j % cycle] + static_cast<double>(j / cycle + 1) * skip.step;
      }
      std::copy(last.begin(), last.end(), ends + skip.at);
      cells_[row] = skip.at + wanted[row];
      known_[row] = skip.at;
    }
    moveWorks();
  }

  /// Who took part goes on behind the leap; who reads what was made before it has the way back.
  void moveWorks() {
    const auto& skips = run_.skips_.back();
    for (size_t i = 0; i < run_.works_.size(); ++i) {
      Work& work = run_.works_[i];
      if (work.outRow && maker_[work.outRow] != kNoStage) {
        work.outShift += skips[work.outRow].count;
      }
      if (work.inRow == 0) continue;
      const bool skipped = maker_[work.inRow] != kNoStage;
      if (active_[i] && skipped && !work.redirected) {
        work.inShift += skips[work.inRow].count;
        work.leaps = static_cast<uint32_t>(run_.skips_.size());
      } else if (skipped) {
        work.redirected = true;
      }
      run_.bindIn(work);
    }
  }

  PipelineRun& run_;
  const SteadyOrders& steady_;
  size_t stages_;
  std::vector<size_t> maker_;          ///< by row: the stage that makes it here
  std::vector<int64_t> cells_, known_; ///< by row: cells that are filled, and from which on they follow each other
  std::vector<char> active_;           ///< by work: runs here
  std::vector<Receiver> receivers_;
  std::vector<double> rate_; ///< by stage: seconds of what repeats
  std::vector<Then> history_;
  size_t periods_ = 0; ///< in the history
  std::vector<double> sumsNow_, sumsBefore_, sumsWatched_;
  size_t watching_ = 0, watchedFrom_ = 0; ///< periods that are run once more to see what has time left
  bool uniform_ = true, late_ = false;
  double now_ = 0;
};

void PipelineRun::stride() {
  const auto& steady = shape_->steady();
  for (size_t i = 0; i < steady.size(); ++i) {
    if (onTape_) mark_ = shape_->tape().firstMarks[i];
    Strider(*this, steady[i]).go();
  }
}

/// What a micro-batch receives that has been made before leaps which its receiver did not take part in.
double PipelineRun::lookBack(Work& work, int64_t microBatch) {
  const double* ends = &ends_[rowAt(work.inRow)];
  for (; work.leaps < skips_.size(); ++work.leaps) {
    const Skip& skip = skips_[work.leaps][work.inRow];
    if (skip.count == 0) continue;
    const int64_t cell = microBatch - work.inShift, j = cell - skip.at;
    if (j < 0) return ends[cell];
    if (j < skip.count)
      return ends[skip.at - skip.cycle + j % skip.cycle] + static_cast<double>(j / skip.cycle + 1) * skip.step;
    work.inShift += skip.count;
  }
  work.redirected = false;
  bindIn(work);
  return ends_[work.in + (microBatch & work.inMask)];
}

} // namespace planc::cost
