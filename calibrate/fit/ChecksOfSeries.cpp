// The checks of times against others of their series.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/fit/Bounds.h"
#include "calibrate/fit/EachCheck.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace planc::calibrate {

PLANC_WARNING(ConstantTime, 1022,
              "`{series}` of {device}: the time is the same, {time}, for sizes from {small} to {large}")
PLANC_WARNING(WildRepeats, 1026, "`{series}` of {device}: repeats of one shape differ by a factor of up to {factor}")
PLANC_WARNING(CopiedTimes, 1027,
              "`{series}` of {device}: {count} of {all} backward times equal the forward times to the last digit")
PLANC_WARNING(FallingTime, 1028,
              "`{series}` of {device}: {count} {direction} times are less than half of those of smaller sizes")
PLANC_WARNING(
    ScatteredTimes, 1029,
    "`{series}` of {device}: {count} of {all} times scatter, neighbours in size by a factor of up to {factor}")

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

} // namespace

void constantTime(Suspects& s, DiagnosticEngine& diagnostics) {
  using namespace thresholds;
  if (!hasSize(s.kind())) return;
  for (const Direction d : kDirections) {
    Points points = s.good(d);
    std::stable_sort(points.begin(), points.end(),
                     [&](const Sample* a, const Sample* b) { return timeOf(*a, d) < timeOf(*b, d); });
    size_t first = 0, from = 0, to = 0; // the most crowded span of times
    for (size_t last = 0; last < points.size(); ++last) {
      while (timeOf(*points[last], d) > kSameTime * timeOf(*points[first], d)) ++first;
      if (last + 1 - first > to - from) from = first, to = last + 1;
    }
    const auto count = static_cast<double>(to - from);
    if (count < kCrowd || count < kCrowdShare * static_cast<double>(points.size())) continue;
    const auto [small, large] = std::minmax_element(
        points.begin() + static_cast<std::ptrdiff_t>(from), points.begin() + static_cast<std::ptrdiff_t>(to),
        [](const Sample* a, const Sample* b) { return sizeOf(*a) < sizeOf(*b); });
    const double least = leastTime(s.part, **large, d);
    if (sizeOf(**large) < kOtherSize * sizeOf(**small) || least < timeOf(**large, d))
      continue; // a launch takes as long
    const Sample *lowest = *small, *highest = *large;
    const bool all = count > kLostSeries * static_cast<double>(points.size());
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

void falling(Suspects& s, DiagnosticEngine& diagnostics) {
  using namespace thresholds;
  if (!hasSize(s.kind()) || s.kind() == Kind::Optimizer)
    return; // an optimizer's time follows its number of tensors, too
  for (const Direction d : kDirections) {
    const Points points = bySize(s.good(d));
    const size_t width = std::max(kWindow, points.size() / kWindows);
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

void scattered(Suspects& s, DiagnosticEngine& diagnostics) {
  using namespace thresholds;
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
    const bool near = sizeOf(*points[from + 2 * kReach]) < kNearSize * sizeOf(*points[from]);
    if (near && spread > kSpread) wild.push_back(points[i]), most = std::max(most, spread);
  }
  if (wild.size() < kReach) return;
  // With what was taken out before: a series that is mostly wrong is not right in the rest.
  const size_t lost = s.points.size() - points.size() + wild.size();
  const bool all = static_cast<double>(lost) > kLostSeries * static_cast<double>(s.points.size());
  for (const Sample* p : all ? points : wild) s.exclude(p, Direction::Forward);
  diagnostics
      .report(ScatteredTimes, wild.front()->range,
              named(s, {{"count", wild.size()}, {"all", points.size()}, {"factor", fmt::format("{:.1f}", most)}}))
      .note(all ? "the series is skipped" : "these sizes are not fitted")
      .help("repeat them on an idle network, and with memory to spare for the result");
}

void wildRepeats(Suspects& s, DiagnosticEngine& diagnostics) {
  for (const Direction d : kDirections) {
    std::map<std::array<double, kExtents>, std::pair<const Sample*, const Sample*>> shapes; // fastest and slowest
    for (const Sample* p : s.good(d)) {
      auto& [fast, slow] = shapes.try_emplace(p->extents, p, p).first->second;
      if (timeOf(*p, d) < timeOf(*fast, d)) fast = p;
      if (timeOf(*p, d) > timeOf(*slow, d)) slow = p;
    }
    const Sample *fast = nullptr, *slow = nullptr;
    size_t wild = 0;
    double most = thresholds::kWildRepeats;
    for (const auto& [extents, pair] : shapes) {
      const double factor = timeOf(*pair.second, d) / timeOf(*pair.first, d);
      wild += factor > thresholds::kWildRepeats;
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
  using namespace thresholds;
  const Points good = s.good(Direction::Backward);
  Points same;
  for (const Sample* p : good)
    if (p->forward == p->backward) same.push_back(p);
  if (same.size() < kCopies || static_cast<double>(same.size()) < kCopiedShare * static_cast<double>(good.size()))
    return;
  const bool all = same.size() == good.size();
  for (const Sample* p : same) {
    s.exclude(p, Direction::Backward);
    if (!all) s.exclude(p, Direction::Forward); // nothing says which of the two is the copy
  }
  diagnostics.report(CopiedTimes, same.front()->range, named(s, {{"count", same.size()}, {"all", good.size()}}))
      .note(all ? "backward is not fitted" : "they are skipped: it is unknown which of the two is the copy");
}

} // namespace planc::calibrate
