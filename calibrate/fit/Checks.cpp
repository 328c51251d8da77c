// The checks of samples against what the part can do, and of series against themselves.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/fit/Checks.h"

#include "backends/cost/price/Equations.h"
#include "calibrate/fit/Bounds.h"
#include "calibrate/samples/Traffic.h"
#include "ir/facts/DeviceFacts.h"
#include "support/Quantity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace planc::calibrate {

namespace eq = cost::equations;

PLANC_WARNING(ImpossibleTime, 1020,
              "`{series}` of {device}: {count} of {all} {direction} times are shorter than the part allows")
PLANC_WARNING(BackwardTooFast, 1021,
              "`{series}` of {device}: backward takes {ratio} times as long as forward, and has {work} times its work")
PLANC_WARNING(ConstantTime, 1022, "`{series}` of {device}: the time does not move, {time} from {small} to {large}")
PLANC_WARNING(OneValueAxis, 1023, "`{series}` of {device} was sampled at {axis} = {value} only")
PLANC_WARNING(SlowNetwork, 1024,
              "`{series}` of {device}: {rate} between nodes, {share} % of the {line} that the cards carry")
PLANC_WARNING(SuspectUnit, 1025,
              "`{series}` of {device}: the fastest sample reaches {share} % of the part; is the unit of time right?")
PLANC_WARNING(WildRepeats, 1026, "`{series}` of {device}: repeats of one shape differ by a factor of up to {factor}")
PLANC_WARNING(CopiedTimes, 1027,
              "`{series}` of {device}: {count} of {all} backward times are forward's, to the last digit")
PLANC_WARNING(FallingTime, 1028,
              "`{series}` of {device}: {count} {direction} times are less than half of what smaller sizes take")

PLANC_WARNING(
    ScatteredTimes, 1029,
    "`{series}` of {device}: {count} of {all} times scatter, neighbours in size by a factor of up to {factor}")

PLANC_WARNING(UnevenGroup, 828, "`{series}` of {device}: {ranks} ranks do not fill {nodes} {units} evenly")

PLANC_WARNING(SlowAttention, 1068,
              "`{series}` of {device}: the fastest sample takes {factor} times as long as the library's fused kernel")

namespace {

std::vector<const Sample*> bySize(Points points) {
  std::stable_sort(points.begin(), points.end(), [](const Sample* a, const Sample* b) {
    const double x = (*a)[Extent::Bytes] + (*a)[Extent::Params], y = (*b)[Extent::Bytes] + (*b)[Extent::Params];
    return x < y;
  });
  return points;
}
double sizeOf(const Sample& s) {
  return s[Extent::Bytes] + s[Extent::Params];
}
/// Its time is a function of one size.
bool hasSize(Kind kind) {
  return kind == Kind::Memory || kind == Kind::Lookup || kind == Kind::Optimizer || kind == Kind::Collective;
}

constexpr std::array<Direction, 2> kDirections{Direction::Forward, Direction::Backward};

std::vector<DiagnosticArg> named(const Suspects& s, std::vector<DiagnosticArg> more) {
  more.emplace_back("series", s.series.label);
  more.emplace_back("device", s.series.device.empty() ? s.part.name : s.series.device);
  return more;
}
std::string seconds(double v) {
  return formatQuantity(v, units::time);
}

/// A row of a fabric has ranks and nodes, each with as many of them.
void unevenGroup(Suspects& s, DiagnosticEngine& diagnostics) {
  Points uneven;
  for (const Sample* p : s.good(Direction::Forward))
    if (p->uneven) uneven.push_back(p), s.exclude(p, Direction::Forward);
  if (uneven.empty()) return;
  const Sample& first = *uneven.front();
  const bool units = s.part.unit > 0;
  diagnostics
      .report(UnevenGroup, first.range,
              named(s, {{"ranks", fmt::format("{:.10g}", first[Extent::Ranks])},
                        {"nodes", fmt::format("{:.10g}", first[Extent::Nodes])},
                        {"units", units ? fmt::format("units of {:.10g} devices", s.part.unit) : "hosts"}}))
      .note(
          fmt::format("{} of {} times are of such groups, and are not fitted: a fabric is written by ranks and nodes, "
                      "each with as many ranks",
                      uneven.size(), s.points.size()))
      .help(units ? "`--unit N` says how many devices share network cards; or sample groups that fill the units"
                  : "sample groups with as many ranks on every host");
}

void impossible(Suspects& s, DiagnosticEngine& diagnostics) {
  constexpr double kTrust = 0.1; // share of impossible times above which the rest is not believed either
  for (const Direction d : kDirections) {
    const Points good = s.good(d);
    const Sample* worst = nullptr;
    double most = 1;
    size_t count = 0;
    for (const Sample* p : good) {
      const double ratio = leastTime(s.part, *p, d) / timeOf(*p, d);
      if (ratio <= 1) continue;
      ++count;
      s.exclude(p, d);
      if (ratio > most) most = ratio, worst = p;
    }
    if (!worst) continue;
    const bool all = static_cast<double>(count) > kTrust * static_cast<double>(good.size());
    if (all)
      for (const Sample* p : good) s.exclude(p, d);
    auto report = diagnostics.report(ImpossibleTime, worst->range,
                                     named(s, {{"count", count}, {"all", good.size()}, {"direction", name(d)}}));
    report.note(fmt::format("here {} takes {}; at the datasheet's peak rates it takes {}", shapeText(*worst),
                            seconds(timeOf(*worst, d)), seconds(leastTime(s.part, *worst, d))));
    if (all) report.note("none of them is fitted: the others were measured with the same clock");
    if (count == good.size())
      report.help("all of them: is the unit of time right, and do sizes count bytes where they should count elements?");
  }
}

void backwardTooFast(Suspects& s, DiagnosticEngine& diagnostics) {
  // A product whose operands stand in memory may be as fast backward; less than that no kernel is.
  static const std::map<Kind, double> kLeast{
      {Kind::Gemm, 1}, {Kind::GroupedGemm, 1}, {Kind::Attention, 1}, {Kind::Scores, 0.7}, {Kind::Context, 0.7}};
  auto least = kLeast.find(s.kind());
  if (least == kLeast.end()) return;
  std::vector<double> ratios;
  const Points good = s.good(Direction::Backward);
  for (const Sample* p : good)
    if (p->forward > 0) ratios.push_back(p->backward / p->forward);
  const double ratio = median(ratios);
  if (ratios.empty() || ratio >= least->second) return;
  for (const Sample* p : good) s.exclude(p, Direction::Backward);
  diagnostics
      .report(
          BackwardTooFast, good.front()->range,
          named(s, {{"ratio", fmt::format("{:.2f}", ratio)}, {"work", fmt::format("{:g}", gradientWork(s.kind()))}}))
      .note(fmt::format("median of {} samples; a timer that stops before the kernels have ended looks like this",
                        ratios.size()));
}

/// Many samples of very different sizes that take the same time, although the work of the largest alone would take
/// longer.
void constantTime(Suspects& s, DiagnosticEngine& diagnostics) {
  constexpr double kSame = 1.06, kGrows = 1.4, kMany = 0.1, kTrust = 1.0 / 3;
  if (!hasSize(s.kind())) return;
  for (const Direction d : kDirections) {
    Points points = s.good(d);
    std::stable_sort(points.begin(), points.end(),
                     [&](const Sample* a, const Sample* b) { return timeOf(*a, d) < timeOf(*b, d); });
    size_t first = 0, from = 0, to = 0; // the most crowded span of times
    for (size_t last = 0; last < points.size(); ++last) {
      while (timeOf(*points[last], d) > kSame * timeOf(*points[first], d)) ++first;
      if (last + 1 - first > to - from) from = first, to = last + 1;
    }
    const auto count = static_cast<double>(to - from);
    if (count < 5 || count < kMany * static_cast<double>(points.size())) continue;
    const auto [small, large] = std::minmax_element(
        points.begin() + static_cast<std::ptrdiff_t>(from), points.begin() + static_cast<std::ptrdiff_t>(to),
        [](const Sample* a, const Sample* b) { return sizeOf(*a) < sizeOf(*b); });
    const double least = leastTime(s.part, **large, d);
    if (sizeOf(**large) < kGrows * sizeOf(**small) || least < timeOf(**large, d)) continue; // a launch takes as long
    const Sample *lowest = *small, *highest = *large;
    const bool all = count > kTrust * static_cast<double>(points.size());
    for (size_t i = all ? 0 : from; i < (all ? points.size() : to); ++i) s.exclude(points[i], d);
    const Unit unit = s.kind() == Kind::Optimizer ? Unit{} : units::bytes;
    diagnostics
        .report(ConstantTime, lowest->range,
                named(s, {{"time", seconds(timeOf(*highest, d))},
                          {"small", formatQuantity(sizeOf(*lowest), unit)},
                          {"large", formatQuantity(sizeOf(*highest), unit)}}))
        .note(fmt::format("{} of {} samples, {}; the largest cannot take less than {}", to - from, points.size(),
                          name(d), seconds(least)));
  }
}

void oneValue(Suspects& s, DiagnosticEngine& diagnostics) {
  if (s.kind() == Kind::Collective) return; // a group of ranks is a series of its own
  auto values = [](const Suspects& of, const std::string& axis) {
    std::set<double> out;
    for (size_t i = 0; i < of.series.axes.size(); ++i)
      if (of.series.axes[i] == axis)
        for (const Sample* p : of.points) out.insert(p->at[i]);
    return out;
  };
  for (const std::string& axis : s.series.axes) {
    const std::set<double> mine = values(s, axis);
    if (mine.size() != 1) continue;
    for (const Suspects& other : s.others) {
      if (other.kind() != s.kind() || values(other, axis).size() < 2) continue;
      diagnostics
          .report(OneValueAxis, s.points.front()->range,
                  named(s, {{"axis", axis}, {"value", fmt::format("{:g}", *mine.begin())}}))
          .note(fmt::format("`{}` was sampled at {} values of it; shapes beyond this one are extrapolated",
                            other.series.label, values(other, axis).size()));
      break;
    }
  }
}

void slowNetwork(Suspects& s, DiagnosticEngine& diagnostics) {
  constexpr double kShare = 0.2;
  if (s.kind() != Kind::Collective) return;
  const Points good = s.good(Direction::Forward);
  if (good.empty() || (*good.front())[Extent::Nodes] < 2 || s.part.card <= 0) return;
  std::vector<double> rates;
  for (const Sample* p : good) rates.push_back(wireBytes(*p) / p->forward);
  const double rate = quantile(rates, 0.9), line = lineRate(s.part, *good.front());
  if (rate >= kShare * line) return;
  diagnostics
      .report(SlowNetwork, good.front()->range,
              named(s, {{"rate", formatQuantity(rate, units::bandwidth)},
                        {"share", fmt::format("{:.1f}", rate / line * 100)},
                        {"line", formatQuantity(line, units::bandwidth)}}))
      .note("nine tenths of the samples are slower; a fabric that is fitted to them describes this network, not the "
            "cards")
      .help("NCCL falls back on TCP where it finds no network plugin: `NCCL_DEBUG=INFO` says which it took");
}

void suspectUnit(Suspects& s, DiagnosticEngine& diagnostics) {
  constexpr double kShare = 2e-3;
  for (const Direction d : kDirections) {
    double best = 0;
    const Points good = s.good(d);
    for (const Sample* p : good) best = std::max(best, leastTime(s.part, *p, d) / timeOf(*p, d));
    if (best == 0 || best >= kShare) continue;
    for (const Sample* p : good) s.exclude(p, d);
    diagnostics.report(SuspectUnit, good.front()->range, named(s, {{"share", fmt::format("{:.2g}", best * 100)}}))
        .note(fmt::format("{} samples, {}", good.size(), name(d)))
        .help("times a thousand times shorter would be ordinary: are they ns where the column says us?");
    return;
  }
}

/// Kernels of one generation differ by a factor of two. Scores in memory, a backend for other parts or a flag that was
/// read wrong cost more.
void slowAttention(Suspects& s, DiagnosticEngine& diagnostics) {
  constexpr double kSlow = 4;
  const ir::Number* curve = s.part.device.number(ir::DeviceFact::AttentionForward);
  if (s.kind() != Kind::Attention || !curve) return;
  const ir::Number* head = s.part.device.number(ir::DeviceFact::AttentionHead);
  const double start = s.part.device.value(ir::DeviceFact::AttentionStart, 0);
  const Sample* fastest = nullptr;
  double least = 0;
  for (const Sample* p : s.good(Direction::Forward)) {
    if (ir::width(p->dtype) != 2) continue; // what the curve is of
    const double rate = curve->at((*p)[Extent::KvSeq]) * (head ? head->at((*p)[Extent::HeadDim]) : 1);
    const double factor = p->forward / eq::fused(attentionFlops(*p), rate, start);
    if (!fastest || factor < least) fastest = p, least = factor;
  }
  if (!fastest || least < kSlow) return;
  diagnostics.report(SlowAttention, fastest->range, named(s, {{"factor", fmt::format("{:.1f}", least)}}))
      .note(fmt::format("here {} reaches {}", shapeText(*fastest),
                        formatQuantity(attentionFlops(*fastest) / fastest->forward, units::rate)))
      .help("see which kernel ran: a fused one of this part, on 16-bit operands? The samples are fitted as they are");
}

void wildRepeats(Suspects& s, DiagnosticEngine& diagnostics) {
  constexpr double kWild = 2;
  for (const Direction d : kDirections) {
    std::map<std::array<double, kExtents>, std::pair<const Sample*, const Sample*>> shapes; // fastest and slowest
    for (const Sample* p : s.good(d)) {
      auto& [fast, slow] = shapes.try_emplace(p->extents, p, p).first->second;
      if (timeOf(*p, d) < timeOf(*fast, d)) fast = p;
      if (timeOf(*p, d) > timeOf(*slow, d)) slow = p;
    }
    const Sample *fast = nullptr, *slow = nullptr;
    size_t wild = 0;
    double most = kWild;
    for (const auto& [extents, pair] : shapes) {
      const double factor = timeOf(*pair.second, d) / timeOf(*pair.first, d);
      wild += factor > kWild;
      if (factor > most) most = factor, fast = pair.first, slow = pair.second;
    }
    if (!fast) continue;
    diagnostics.report(WildRepeats, slow->range, named(s, {{"factor", fmt::format("{:.1f}", most)}}))
        .label(fast->range, "the same shape")
        .note(fmt::format("{} of {} shapes, {}", wild, shapes.size(), name(d)))
        .help("warm up before the clock starts, and take the median of several runs");
  }
}

void copied(Suspects& s, DiagnosticEngine& diagnostics) {
  constexpr double kMany = 0.02;
  const Points good = s.good(Direction::Backward);
  Points same;
  for (const Sample* p : good)
    if (p->forward == p->backward) same.push_back(p);
  if (same.size() < 3 || static_cast<double>(same.size()) < kMany * static_cast<double>(good.size())) return;
  const bool all = same.size() == good.size();
  for (const Sample* p : same) {
    s.exclude(p, Direction::Backward);
    if (!all) s.exclude(p, Direction::Forward); // nothing says which of the two is the copy
  }
  diagnostics.report(CopiedTimes, same.front()->range, named(s, {{"count", same.size()}, {"all", good.size()}}))
      .note(all ? "backward is not fitted" : "they are not fitted: nothing says which of the two is the copy");
}

/// The sizes from some on take less than half of what smaller ones take: a part of their work was not timed.
void falling(Suspects& s, DiagnosticEngine& diagnostics) {
  constexpr double kFalls = 2, kLarger = 1.1;
  constexpr size_t kWindows = 40, kLeast = 9;
  if (!hasSize(s.kind()) || s.kind() == Kind::Optimizer)
    return; // an optimizer's time follows its number of tensors, too
  for (const Direction d : kDirections) {
    const Points points = bySize(s.good(d));
    const size_t width = std::max(kLeast, points.size() / kWindows);
    double slow = 0, slowSize = 0;
    const Sample* first = nullptr;
    for (size_t at = 0; at + width <= points.size(); at += width) {
      std::vector<double> window;
      for (size_t i = at; i < at + width; ++i) window.push_back(timeOf(*points[i], d));
      const double time = median(window), size = sizeOf(*points[at]);
      if (slow > kFalls * time && size > kLarger * slowSize) {
        if (!first) first = points[at];
        continue;
      }
      first = nullptr;
      if (time > slow) slow = time, slowSize = size;
    }
    if (!first) continue;
    size_t count = 0;
    for (const Sample* p : points)
      if (sizeOf(*p) > slowSize && slow > kFalls * timeOf(*p, d)) s.exclude(p, d), ++count;
    diagnostics.report(FallingTime, first->range, named(s, {{"count", count}, {"direction", name(d)}}))
        .note(fmt::format("here {}; smaller ones, of {}, take {}", seconds(timeOf(*first, d)),
                          formatQuantity(slowSize, units::bytes), seconds(slow)))
        .help("a profiler that counts one of several kernels of a call looks like this");
  }
}

/// Collectives of nearly one size that differ by more than a factor: other traffic, or memory that ran out.
void scattered(Suspects& s, DiagnosticEngine& diagnostics) {
  constexpr double kSpread = 1.5, kTrust = 1.0 / 3;
  constexpr size_t kReach = 4; // neighbours on either side
  if (s.kind() != Kind::Collective) return;
  const Points points = bySize(s.good(Direction::Forward));
  if (points.size() < 2 * kReach + 1) return;
  Points wild;
  double most = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    const size_t from = i < kReach ? 0 : std::min(i - kReach, points.size() - 2 * kReach - 1);
    std::vector<double> rates; // sizes differ, too
    for (size_t j = from; j <= from + 2 * kReach; ++j) rates.push_back(points[j]->forward / sizeOf(*points[j]));
    const double spread = quantile(rates, 0.75) / quantile(rates, 0.25);
    const bool near = sizeOf(*points[from + 2 * kReach]) < 2 * sizeOf(*points[from]);
    if (near && spread > kSpread) wild.push_back(points[i]), most = std::max(most, spread);
  }
  if (wild.size() < kReach) return;
  // With what was taken out before: a series that is mostly wrong is not right in the rest.
  const size_t lost = s.points.size() - points.size() + wild.size();
  const bool all = static_cast<double>(lost) > kTrust * static_cast<double>(s.points.size());
  for (const Sample* p : all ? points : wild) s.exclude(p, Direction::Forward);
  diagnostics
      .report(ScatteredTimes, wild.front()->range,
              named(s, {{"count", wild.size()}, {"all", points.size()}, {"factor", fmt::format("{:.1f}", most)}}))
      .note(all ? "none of them is fitted" : "these sizes are not fitted")
      .help("repeat them on an idle network, and with memory to spare for the result");
}

} // namespace

Points Suspects::good(Direction d) const {
  Points out;
  for (const Sample* s : points)
    if (timeOf(*s, d) > 0 && usable(s, d)) out.push_back(s);
  return out;
}

std::span<const Check> checks() {
  static constexpr std::array<Check, 12> kTable{{
      {"uneven", "a group whose nodes hold different numbers of ranks", true, unevenGroup},
      {"copied", "backward times that are forward's", true, copied},
      {"unit", "times that no unit mistake explains are far above what the part needs", true, suspectUnit},
      {"backward", "backward faster than its work allows", true, backwardTooFast},
      {"constant", "the time does not move with the size", true, constantTime},
      {"falling", "larger sizes take half the time of smaller ones", true, falling},
      {"impossible", "faster than peak FLOP/s, memory bandwidth or link", true, impossible},
      {"scatter", "neighbouring sizes whose times have nothing in common", true, scattered},
      {"repeats", "repeats of one shape that differ by more than a factor of two", false, wildRepeats},
      {"attention", "attention that takes several times as long as the library's fused kernel", false, slowAttention},
      {"axis", "an extent sampled at one value only where others vary it", false, oneValue},
      {"network", "between nodes far below the cards' line rate", false, slowNetwork},
  }};
  return kTable;
}

} // namespace planc::calibrate
