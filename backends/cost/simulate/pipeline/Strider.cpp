// Leaps of the fast engine over what all stages of a pipeline repeat.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/pipeline/Strider.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace planc::cost {

namespace {

/// Times are equal if they differ by less than this share of the time so far: rounding.
constexpr double kRounded = 2e-14;
/// The most common periods that may make up one repetition.
constexpr size_t kMostPeriods = 512;
/// Numbers of periods that are checked in detail after each period.
constexpr int kTries = 4;
constexpr double kAnySlack = std::numeric_limits<double>::infinity();

} // namespace

Strider::Strider(FastPipeline& run, const SteadyOrders& steady)
    : run_(run), steady_(steady), stages_(run.progress_.size()), maker_(run.results_.rows(), kNoStage),
      cells_(run.results_.rows()), known_(run.results_.rows()), active_(run.works_.size()), rate_(stages_) {
  for (const auto& skips : run.results_.leaps())
    for (uint32_t row = 1; row < skips.size(); ++row)
      if (skips[row].cycle > 0) known_[row] = skips[row].at;
  for (size_t s = 0; s < stages_; ++s)
    for (const ir::Action& a : steady.stages[s].written) {
      const size_t work = static_cast<size_t>(&run.workOf(a, a.microBatch) - run.works_.data());
      if (!active_[work]) receivers_.push_back({work, s});
      active_[work] = true;
      if (const uint32_t row = run.works_[work].out.row) maker_[row] = s;
    }
}

void Strider::go() {
  for (int64_t period = 0;; ++period) {
    for (size_t s = 0; s < stages_; ++s) {
      const Stretch& stretch = steady_.stages[s];
      const size_t limit = stretch.begin + static_cast<size_t>(period) * stretch.length;
      if (limit + 2 * stretch.length > stretch.end) return stopWatching();
      run_.progress_[s].limit = limit;
    }
    run_.settle();
    remember();
    if (const int64_t over = tryLeap(); over > 0) {
      period += over;
      forget();
    }
  }
}

// ---- the periods so far ----------------------------------------------------------

void Strider::remember() {
  for (size_t s = 0; s < stages_; ++s) {
    const StepState::Stage& stage = run_.step_.stages[s];
    history_.push_back({run_.progress_[s].next, stage.free, stage.tail.until, stage.port});
  }
  ++periods_;
  sumsBefore_.swap(sumsNow_);
  sumsNow_ = run_.step_.sums;
}

void Strider::forget() {
  history_.clear();
  periods_ = 0;
  stopWatching();
  remember();
}

bool Strider::same(double a, double b) const {
  return std::fabs(a - b) <= kRounded * now_;
}

// ---- whether they repeat ---------------------------------------------------------

/// Returns the periods that were leapt over; 0: none.
int64_t Strider::tryLeap() {
  now_ = 0;
  for (const StepState::Stage& stage : run_.step_.stages) now_ = std::max(now_, stage.free);
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

void Strider::startWatching(size_t over) {
  watching_ = over, watchedFrom_ = periods_ - 1;
  sumsWatched_ = run_.step_.sums;
  run_.slack_.assign(run_.works_.size(), kAnySlack);
  run_.watches_ = true;
}

void Strider::stopWatching() {
  watching_ = 0;
  run_.watches_ = false;
}

bool Strider::wentOn(size_t s, size_t over) const {
  const Stretch& stretch = steady_.stages[s];
  return past(s, over).next >= stretch.begin + stretch.length &&
         past(s, 0).next - past(s, over).next == over * stretch.length;
}

/// Returns whether all stages are later by the same time.
bool Strider::evenly(size_t over) {
  const double time = passed(0, 0, over);
  for (size_t s = 0; s < stages_; ++s)
    if (!same(passed(s, 0, over), time) || !wentOn(s, over)) return false;
  std::fill(rate_.begin(), rate_.end(), time);
  return true;
}

/// Returns whether every stage is later by the same time as in the repetition before.
bool Strider::steadily(size_t over) {
  if (periods_ <= 2 * over) return false;
  for (size_t s = 0; s < stages_; ++s) {
    if (!same(passed(s, 0, over), passed(s, over, over)) || !wentOn(s, over)) return false;
    rate_[s] = passed(s, 0, over);
  }
  return true;
}

/// Returns whether the state of the stages is the same as before. Stages with rates of their own must also have run the
/// same actions in between.
bool Strider::repeatsAfter(size_t over, bool uniform) {
  if (!(uniform ? evenly(over) : steadily(over))) return false;
  for (size_t s = 0; s < stages_; ++s) {
    const PastStage &now = past(s, 0), &before = past(s, over);
    const auto goesOn = [&](double ends, double ended) {
      return (ends <= now.free && ended <= before.free) || same(ends - ended, rate_[s]);
    };
    if (!goesOn(now.tail, before.tail) || !goesOn(now.port, before.port)) return false;
    const StepState::Stage& stage = run_.step_.stages[s];
    if (std::max(stage.reductions.until, stage.gathered) > now.free) return false;
  }
  const int64_t cycle = static_cast<int64_t>(over) * steady_.microBatches;
  late_ = false;
  for (const Receiver& r : receivers_)
    if (!receivesTheSame(r, cycle)) return false;
  if (uniform) return true;
  for (uint32_t row = 1; row < run_.results_.rows(); ++row)
    if (maker_[row] != kNoStage && !madeTheSame(row, cells_[row] - cycle, cycle)) return false;
  return true;
}

void Strider::countCells() {
  for (uint32_t row = 1; row < run_.results_.rows(); ++row) {
    int64_t& n = cells_[row];
    const double* const ends = run_.results_.row(row);
    while (ends[n] >= 0) ++n; // a row ends with an empty cell
  }
}

bool Strider::madeTheSame(uint32_t row, int64_t from, int64_t cycle) const {
  if (from - cycle < known_[row]) return false;
  const double* const ends = run_.results_.row(row);
  for (int64_t i = from; i < cells_[row]; ++i)
    if (!same(ends[i] - ends[i - cycle], rate_[maker_[row]])) return false;
  return true;
}

/// Returns whether the results that wait to be received are as before, or are among those that were leapt over.
bool Strider::receivesTheSame(const Receiver& r, int64_t cycle) {
  Work& work = run_.works_[r.work];
  if (work.in.row == 0) return true;
  const int64_t microBatch = nextOf(work);
  if (work.in.behind) run_.results_.lookBack(work.in, microBatch);
  if (work.in.behind) {
    late_ = true;
    const Results::Skip* skip = run_.results_.skipOf(work.in, microBatch);
    return skip && microBatch - work.in.shift - cycle >= skip->at && cycle % skip->cycle == 0;
  }
  // A result that the stage itself makes is available when it goes on, unless the transfer to itself takes time.
  if (maker_[work.in.row] == r.stage && !(work.latency > 0)) return true;
  if (maker_[work.in.row] == kNoStage) return false;
  const int64_t from = microBatch - work.in.shift;
  return from >= cells_[work.in.row] || madeTheSame(work.in.row, from, cycle);
}

/// The next micro-batch of this work.
int64_t Strider::nextOf(const Work& work) const {
  if (work.out.row) return cells_[work.out.row] + work.out.shift;
  return static_cast<int64_t>(work.slot % run_.routes_) * run_.perRoute_ + run_.perRoute_ - *work.left;
}

/// Results that are made and not received.
int64_t Strider::outstanding(const Receiver& r) const {
  const Work& work = run_.works_[r.work];
  if (work.in.row == 0 || work.in.behind) return 0;
  return std::max<int64_t>(0, cells_[work.in.row] - (nextOf(work) - work.in.shift));
}

// ---- the leap --------------------------------------------------------------------

/// How often the `over` periods fit before something changes, without the last period, in which reductions begin.
int64_t Strider::timesFor(size_t over) const {
  const int64_t each = static_cast<int64_t>(over), cycle = each * steady_.microBatches;
  int64_t times = std::numeric_limits<int64_t>::max();
  for (size_t s = 0; s < stages_; ++s) {
    const Stretch& stretch = steady_.stages[s];
    const auto left = static_cast<int64_t>((stretch.end - run_.progress_[s].next) / stretch.length);
    times = std::min(times, (left - 1) / each);
  }
  for (const Receiver& r : receivers_) {
    const Work& work = run_.works_[r.work];
    if (work.in.row == 0) continue;
    double made = work.in.behind ? 0 : rate_[maker_[work.in.row]];
    if (work.in.behind) {
      const int64_t microBatch = nextOf(work);
      const Results::Skip& skip = *run_.results_.skipOf(work.in, microBatch);
      times = std::min(times, (skip.at + skip.count - (microBatch - work.in.shift)) / cycle);
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

/// Skips as many periods as fit. Returns their number.
int64_t Strider::leap(size_t over, const std::vector<double>& sumsThen) {
  const int64_t times = timesFor(over);
  if (times < 1) return 0;
  const int64_t each = static_cast<int64_t>(over);
  leapRows(times, each * steady_.microBatches);
  const double n = static_cast<double>(times);
  for (size_t s = 0; s < stages_; ++s) {
    const Stretch& stretch = steady_.stages[s];
    FastPipeline::Progress& progress = run_.progress_[s];
    progress.at.skip(times * each * stretch.times, stretch.ofPhase);
    progress.next += static_cast<size_t>(times * each) * stretch.length;
    StepState::Stage& stage = run_.step_.stages[s];
    stage.free += n * rate_[s];
    if (stage.tail.until > 0) stage.tail.until += n * rate_[s];
    if (stage.port > 0) stage.port += n * rate_[s];
    for (size_t i = 0; i < stretch.written.size(); ++i)
      if (const Work& work = run_.workOf(stretch.written[i], stretch.written[i].microBatch); work.completes)
        *work.left -= times * each * stretch.counts[i];
  }
  std::vector<double>& sums = run_.step_.sums;
  for (size_t i = 0; i < sums.size(); ++i) sums[i] += n * (sums[i] - sumsThen[i]);
  return times * each;
}

/// Adds cells for the last micro-batches that are leapt over: those that some stage has yet to receive.
void Strider::leapRows(int64_t times, int64_t cycle) {
  std::vector<int64_t> wanted(run_.results_.rows()); // by row: the most that a stage has yet to receive
  for (const Receiver& r : receivers_) {
    int64_t& most = wanted[run_.works_[r.work].in.row];
    most = std::max(most, outstanding(r));
  }
  auto& skips = run_.results_.addLeap();
  std::vector<double> last;
  for (uint32_t row = 1; row < run_.results_.rows(); ++row) {
    if (maker_[row] == kNoStage) continue;
    Results::Skip& skip = skips[row];
    skip.at = cells_[row], skip.cycle = cycle, skip.step = rate_[maker_[row]];
    skip.count = times * cycle - wanted[row];
    while (skip.at + wanted[row] > run_.results_.width()) run_.results_.widen();
    double* const ends = run_.results_.row(row);
    last.clear();
    for (int64_t i = 0; i < wanted[row]; ++i) last.push_back(skip.leftAt(ends, skip.count + i));
    std::copy(last.begin(), last.end(), ends + skip.at);
    cells_[row] = skip.at + wanted[row];
    known_[row] = skip.at;
  }
  movePlaces();
}

/// A work that took part goes on behind the leap. A work that reads what was made before looks back over it.
void Strider::movePlaces() {
  const auto& skips = run_.results_.leaps().back();
  for (size_t i = 0; i < run_.works_.size(); ++i) {
    Work& work = run_.works_[i];
    work.out.shift += skips[work.out.row].count;
    if (work.in.row == 0 || maker_[work.in.row] == kNoStage) continue;
    if (active_[i] && !work.in.behind) {
      work.in.shift += skips[work.in.row].count;
      work.in.leaps = static_cast<uint32_t>(run_.results_.leaps().size());
    } else {
      work.in.behind = true;
    }
  }
}

} // namespace planc::cost
