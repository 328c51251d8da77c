// Fits attention: the fused kernel's rate by sequence length and head dimension, and the two products with scores in
// memory (docs/cost-model.md, section 1.3).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/Equations.h"
#include "calibrate/fit/Bounds.h"
#include "calibrate/fit/Fit.h"
#include "ir/facts/DeviceFacts.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace planc::calibrate {

namespace eq = cost::equations;

namespace {

constexpr size_t kSeqKnots = 8, kHeadKnots = 48, kSizeKnots = 8;

double allFlops(const Sample& s) {
  return 2 * s[Extent::Batch] * s[Extent::Heads] * s[Extent::Seq] * s[Extent::KvSeq] * s[Extent::HeadDim];
}
double scoreBytes(const Sample& s) {
  return s[Extent::Batch] * s[Extent::Heads] * s[Extent::Seq] * s[Extent::KvSeq] * ir::width(s.dtype);
}

/// The ratio of backward time to `forward` at the same shape: one factor, or a table by head dimension.
struct Factor {
  ir::DeviceFact of;
  std::function<double(const Sample&)> forward;

  double closed(const Points& p) const {
    return fitClosed({2}, times(p, Direction::Backward),
                     [&](std::span<const double> v, size_t i) { return v[0] * forward(*p[i]); })[0];
  }
  ir::Table table(const Points& p) const {
    std::vector<double> x, y;
    for (const Sample* s : p) x.push_back((*s)[Extent::HeadDim]), y.push_back(s->backward / forward(*s));
    return fitCurve(x, y, kHeadKnots);
  }
  Fitter byClosed() const {
    return [this](const Points& p) -> Predict {
      return [this, factor = closed(p)](const Sample& s) { return factor * forward(s); };
    };
  }
  Fitter byTable() const {
    return [this](const Points& p) -> Predict {
      return [this, c = table(p)](const Sample& s) { return c.at(s[Extent::HeadDim]) * forward(s); };
    };
  }
  Fact fact(const Points& p, Quality& q) const {
    Fact out{of};
    if (q.form == Form::Table)
      out.table = table(p);
    else
      out.number = closed(p);
    q.constants = q.form == Form::Table ? fmt::format("factor {:.2f} to {:.2f} by head dimension",
                                                      *std::min_element(out.table.y.begin(), out.table.y.end()),
                                                      *std::max_element(out.table.y.begin(), out.table.y.end()))
                                        : fmt::format("factor {:.2f}", out.number);
    return out;
  }
};

/// The fused kernel: rate = keys(keys) · head(head dimension), both with log-linear interpolation; head(128) = 1.
struct Rate {
  ir::Table keys, head;
  double start = 0;
  double time(const Sample& s) const {
    return eq::fused(attentionFlops(s), keys.at(s[Extent::KvSeq]) * head.at(s[Extent::HeadDim]), start);
  }
};

Rate rateOf(const Points& points, double start) {
  Rate out;
  out.start = start;
  std::vector<double> keys, heads, rates;
  for (const Sample* s : points) {
    keys.push_back((*s)[Extent::KvSeq]);
    heads.push_back((*s)[Extent::HeadDim]);
    rates.push_back(attentionFlops(*s) / working(s->forward, start));
  }
  Factors found = fitFactors(keys, kSeqKnots, heads, kHeadKnots, rates, eq::kCurveHeadDim);
  out.keys = std::move(found.first);
  out.head = std::move(found.second);
  return out;
}

/// A product of attention with scores in memory, and its facts.
struct ScoresProduct {
  Kind kind;
  ir::DeviceFact efficiency, size, backward;
};
void fitProduct(Fitting& f, const ScoresProduct& product) {
  const Kind kind = product.kind;
  const Points points = f.points(kind, Direction::Forward);
  if (points.empty()) return;
  const std::string name(rowOf(kind).name);
  auto time = [&](const Sample& s, double share) {
    const Fitting::Products& g = f.productsOf(s.dtype);
    return eq::roofline(allFlops(s), f.peak(s.dtype) * g.at(allFlops(s)), scoreBytes(s), f.bandwidth() * share,
                        g.start);
  };
  auto closed = [&](const Points& p) {
    return fitClosed({0.6}, times(p, Direction::Forward),
                     [&](std::span<const double> v, size_t i) { return time(*p[i], v[0]); })[0];
  };
  struct Reached {
    std::vector<double> heads, bytes, shares;
  };
  auto reached = [&](const Points& p) {
    Reached out;
    for (const Sample* s : p) {
      const double work = working(s->forward, f.productsOf(s->dtype).start);
      out.heads.push_back((*s)[Extent::HeadDim]);
      out.bytes.push_back(scoreBytes(*s));
      out.shares.push_back(scoreBytes(*s) / (f.bandwidth() * work));
    }
    return out;
  };
  auto table = [&](const Points& p) {
    const Reached r = reached(p);
    return fitCurve(r.heads, r.shares, kHeadKnots);
  };
  // Adds a factor by size, because libraries choose faster kernels for larger results.
  auto factors = [&](const Points& p) {
    const Reached r = reached(p);
    return fitFactors(r.heads, kHeadKnots, r.bytes, kSizeKnots, r.shares,
                      *std::max_element(r.bytes.begin(), r.bytes.end()));
  };
  Quality q = f.choose(
      name, points, Direction::Forward, Size::HeadDim,
      [&](const Points& p) -> Predict { return [&, v = closed(p)](const Sample& s) { return time(s, v); }; },
      [&](const Points& p) -> Predict {
        return [&, c = table(p)](const Sample& s) { return time(s, c.at(s[Extent::HeadDim])); };
      },
      [&](const Points& p) -> Predict {
        return [&, c = factors(p)](const Sample& s) {
          return time(s, c.first.at(s[Extent::HeadDim]) * c.second.at(scoreBytes(s)));
        };
      });
  Fact share{product.efficiency}, size{product.size};
  if (q.form == Form::Closed) {
    share.number = closed(points);
  } else if (q.form == Form::Table) {
    share.table = table(points);
  } else {
    Factors found = factors(points);
    share.table = std::move(found.first);
    size.table = std::move(found.second);
  }
  q.constants = q.form == Form::Closed ? fmt::format("f {:.1f} %", share.number * 100)
                                       : fmt::format("f {:.0f} to {:.0f} % by head dimension",
                                                     share.table.y.front() * 100, share.table.y.back() * 100);
  if (q.form == Form::Factors) {
    const auto [least, most] = std::minmax_element(size.table.y.begin(), size.table.y.end());
    q.constants += fmt::format(", times {:.2f} to {:.2f} by size", *least, *most);
  }
  std::vector<Quality> qualities{q};
  std::vector<Fact> facts{share};
  if (!size.table.empty()) facts.push_back(size);
  const Points backward = f.points(kind, Direction::Backward);
  if (!backward.empty()) {
    const Factor factor{product.backward, [&](const Sample& s) {
                          return time(s, (share.table.empty() ? share.number : share.table.at(s[Extent::HeadDim])) *
                                             (size.table.empty() ? 1 : size.table.at(scoreBytes(s))));
                        }};
    qualities.push_back(
        f.choose(name, backward, Direction::Backward, Size::HeadDim, factor.byClosed(), factor.byTable()));
    facts.push_back(factor.fact(backward, qualities.back()));
  }
  std::vector<const Quality*> which;
  for (const Quality& each : qualities) which.push_back(&each);
  Section section = f.section(Record::Device, points, which);
  section.facts = std::move(facts);
  f.out.sections.push_back(std::move(section));
  for (Quality& each : qualities) f.out.qualities.push_back(std::move(each));
}

} // namespace

void fitScores(Fitting& f) {
  using enum ir::DeviceFact;
  fitProduct(f, {Kind::Scores, ScoresMemoryEfficiency, ScoresSize, ScoresBackward});
  fitProduct(f, {Kind::Context, ContextMemoryEfficiency, ContextSize, ContextBackward});
}

namespace {

/// Returns the samples of fused attention. The curve is fitted to causal kernels, because decoders train with them;
/// kernels without a mask are 10 to 33 % faster on short sequences. If there are no causal samples, all are used.
Points fusedPoints(Fitting& f, Direction direction) {
  const auto masked = [](const Sample& s) { return s[Extent::Causal] > 0; };
  const Points all = f.points(Kind::Attention, direction), causal = f.points(Kind::Attention, direction, masked);
  if (causal.empty() || causal.size() == all.size()) return all;
  if (direction == Direction::Forward)
    f.out.notes.push_back(
        fmt::format("attention: {} samples without a mask are not fitted: the curve is of causal kernels",
                    all.size() - causal.size()));
  return causal;
}

} // namespace

void fitAttention(Fitting& f) {
  const Points points = fusedPoints(f, Direction::Forward);
  if (points.empty()) return;
  const ir::Device& known = f.part.device;
  const double start = known.value(ir::DeviceFact::AttentionStart, 0);
  Quality q = judge(points, Direction::Forward, Size::None, [&](const Points& p) -> Predict {
    return [r = rateOf(p, start)](const Sample& s) { return r.time(s); };
  });
  Rate rate = rateOf(points, start);
  const bool oneHead = std::all_of(points.begin(), points.end(), [&](const Sample* s) {
    return (*s)[Extent::HeadDim] == (*points.front())[Extent::HeadDim];
  });
  const double only = (*points.front())[Extent::HeadDim];
  const ir::Number* head = known.number(ir::DeviceFact::AttentionHead);
  if (oneHead && only != eq::kCurveHeadDim && head) { // apply the library's loss for narrow heads
    for (double& y : rate.keys.y) y /= head->at(only);
    rate.head = {{only}, {head->at(only)}};
  }
  q.subject = "attention";
  q.form = Form::Table;
  const double shown = oneHead ? rate.head.at(only) : 1; // report the measured rate, and not the curve's
  const auto [least, most] = std::minmax_element(rate.keys.y.begin(), rate.keys.y.end());
  q.constants =
      fmt::format("{} to {}", formatQuantity(shown * *least, units::rate), formatQuantity(shown * *most, units::rate));
  if (oneHead && only != eq::kCurveHeadDim) q.constants += fmt::format(" at {} per head", only);
  std::vector<Quality> qualities{q};
  std::vector<Fact> facts{{ir::DeviceFact::AttentionForward, 0, rate.keys}};
  if (!oneHead) facts.push_back({ir::DeviceFact::AttentionHead, 0, rate.head});
  const Points backward = fusedPoints(f, Direction::Backward);
  if (!backward.empty()) {
    const Factor factor{ir::DeviceFact::AttentionBackward, [&](const Sample& s) { return rate.time(s); }};
    Quality b =
        f.choose("attention", backward, Direction::Backward, Size::HeadDim, factor.byClosed(), factor.byTable());
    facts.push_back(factor.fact(backward, b));
    qualities.push_back(std::move(b));
  }
  std::vector<const Quality*> which;
  for (const Quality& each : qualities) which.push_back(&each);
  Section section = f.section(Record::Device, points, which);
  const bool unmasked =
      std::none_of(points.begin(), points.end(), [](const Sample* s) { return (*s)[Extent::Causal] > 0; });
  if (unmasked) section.source += "; no mask: causal kernels reach less on short sequences";
  section.facts = std::move(facts);
  if (f.sustained(points)) section.within = {{ir::DeviceFact::AttentionEnergy}};
  f.out.sections.push_back(std::move(section));
  for (Quality& each : qualities) f.out.qualities.push_back(std::move(each));
}

} // namespace planc::calibrate
