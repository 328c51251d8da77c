// The checks of samples against what the part can do.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/Equations.h"
#include "calibrate/fit/Bounds.h"
#include "calibrate/fit/EachCheck.h"
#include "calibrate/samples/Traffic.h"
#include "ir/facts/DeviceFacts.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace planc::calibrate {

namespace eq = cost::equations;

PLANC_WARNING(ImpossibleTime, 1020,
              "`{series}` of {device}: {count} of {all} {direction} times are shorter than the hardware allows")
PLANC_WARNING(BackwardTooFast, 1021,
              "`{series}` of {device}: backward takes {ratio} times as long as forward, but has {work} times its work")
PLANC_WARNING(SlowNetwork, 1024,
              "`{series}` of {device}: {rate} between nodes, {share} % of the {line} that the cards carry")
PLANC_WARNING(SuspectUnit, 1025,
              "`{series}` of {device}: the fastest sample reaches {share} % of the peak of the device; is the unit of "
              "time right?")
PLANC_WARNING(SlowAttention, 1068,
              "`{series}` of {device}: the fastest sample takes {factor} times as long as the library's fused kernel")

void impossible(Suspects& s, DiagnosticEngine& diagnostics) {
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
    const bool all = static_cast<double>(count) > thresholds::kImpossible * static_cast<double>(good.size());
    if (all)
      for (const Sample* p : good) s.exclude(p, d);
    auto report = diagnostics.report(ImpossibleTime, worst->range,
                                     named(s, {{"count", count}, {"all", good.size()}, {"direction", name(d)}}));
    report.note(fmt::format("here {} takes {}; at the datasheet's peak rates it takes {}", shapeText(*worst),
                            seconds(timeOf(*worst, d)), seconds(leastTime(s.part, *worst, d))));
    if (all) report.note("the whole series is skipped, because the others were measured with the same clock");
    if (count == good.size())
      report.help("all of them: is the unit of time right, and are sizes elements rather than bytes?");
  }
}

namespace {

/// Least time of backward over forward; none for kinds that are not held to one.
std::optional<double> leastBackward(Kind kind) {
  if (kind == Kind::Gemm || kind == Kind::GroupedGemm || kind == Kind::Attention) return thresholds::kLeastBackward;
  if (kind == Kind::Scores || kind == Kind::Context) return thresholds::kLeastBackwardInMemory;
  return std::nullopt;
}

} // namespace

void backwardTooFast(Suspects& s, DiagnosticEngine& diagnostics) {
  const std::optional<double> least = leastBackward(s.kind());
  if (!least) return;
  std::vector<double> ratios;
  const Points good = s.good(Direction::Backward);
  for (const Sample* p : good)
    if (p->forward > 0) ratios.push_back(p->backward / p->forward);
  const double ratio = median(ratios);
  if (ratios.empty() || ratio >= *least) return;
  for (const Sample* p : good) s.exclude(p, Direction::Backward);
  diagnostics
      .report(
          BackwardTooFast, good.front()->range,
          named(s, {{"ratio", fmt::format("{:.2f}", ratio)}, {"work", fmt::format("{:g}", gradientWork(s.kind()))}}))
      .note(fmt::format("median of {} samples; a timer that stops before the kernels have ended looks like this",
                        ratios.size()));
}

void suspectUnit(Suspects& s, DiagnosticEngine& diagnostics) {
  for (const Direction d : kDirections) {
    double best = 0;
    const Points good = s.good(d);
    for (const Sample* p : good) best = std::max(best, leastTime(s.part, *p, d) / timeOf(*p, d));
    if (best == 0 || best >= thresholds::kReached) continue;
    for (const Sample* p : good) s.exclude(p, d);
    diagnostics.report(SuspectUnit, good.front()->range, named(s, {{"share", fmt::format("{:.2g}", best * 100)}}))
        .note(fmt::format("{} samples, {}", good.size(), name(d)))
        .help("times a thousand times shorter would be plausible: are they in ns instead of us?");
    return;
  }
}

void slowNetwork(Suspects& s, DiagnosticEngine& diagnostics) {
  if (s.kind() != Kind::Collective) return;
  const Points good = s.good(Direction::Forward);
  if (good.empty() || (*good.front())[Extent::Nodes] < 2 || s.part.card <= 0) return;
  std::vector<double> rates;
  for (const Sample* p : good) rates.push_back(wireBytes(*p) / p->forward);
  const double rate = quantile(rates, thresholds::kFastest), line = lineRate(s.part, *good.front());
  if (rate >= thresholds::kLineRate * line) return;
  diagnostics
      .report(SlowNetwork, good.front()->range,
              named(s, {{"rate", formatQuantity(rate, units::bandwidth)},
                        {"share", fmt::format("{:.1f}", rate / line * 100)},
                        {"line", formatQuantity(line, units::bandwidth)}}))
      .note("nine tenths of the samples are slower; a fabric that is fitted to them describes this network, not the "
            "cards")
      .help("NCCL falls back on TCP if it finds no network plugin: `NCCL_DEBUG=INFO` prints its choice");
}

void slowAttention(Suspects& s, DiagnosticEngine& diagnostics) {
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
  if (!fastest || least < thresholds::kSlowAttention) return;
  diagnostics.report(SlowAttention, fastest->range, named(s, {{"factor", fmt::format("{:.1f}", least)}}))
      .note(fmt::format("here {} reaches {}", shapeText(*fastest),
                        formatQuantity(attentionFlops(*fastest) / fastest->forward, units::rate)))
      .help("see which kernel ran: a fused one of this part, on 16-bit operands? The samples are fitted as they are");
}

} // namespace planc::calibrate
