// Fits matrix products: efficiency, memory efficiency and start by element type, gradients relative to the forward
// pass, and products by expert (docs/cost-model.md, sections 1.1 and 1.5).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/Equations.h"
#include "calibrate/fit/Fit.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace planc::calibrate {

namespace eq = cost::equations;

namespace {

/// Initial values of the search, typical of kernels of any part.
constexpr double kOfPeak = 0.7, kOfMemory = 0.75, kProductStart = 5e-6;
/// The memory efficiency is fitted only if at least this share of the products is bound by memory.
constexpr double kLeastOnMemory = 0.03;
constexpr size_t kProductKnots = 10;

eq::Product product(const Sample& s) {
  return {s[Extent::Batch], s[Extent::M], s[Extent::N], s[Extent::K], ir::width(s.dtype)};
}
/// The products of the two gradients: m × n by n × k, and k × m by m × n.
eq::Product ofInput(const Sample& s) {
  return {s[Extent::Batch], s[Extent::M], s[Extent::K], s[Extent::N], ir::width(s.dtype)};
}
eq::Product ofWeights(const Sample& s) {
  return {s[Extent::Batch], s[Extent::K], s[Extent::N], s[Extent::M], ir::width(s.dtype)};
}

class ProductFit {
  Fitting& f_;
  ir::DType type_;
  double peak_;

public:
  ProductFit(Fitting& f, ir::DType type) : f_(f), type_(type), peak_(f.peak(type)) {}

  double time(const Fitting::Products& p, const eq::Product& x) const {
    const double flops = eq::flops(x);
    return eq::roofline(flops, peak_ * p.at(flops), eq::bytes(x), f_.bandwidth() * p.memoryEfficiency, p.start);
  }
  bool onMemory(const Fitting::Products& p, const eq::Product& x) const {
    const double flops = eq::flops(x);
    return flops / (peak_ * p.at(flops)) < eq::bytes(x) / (f_.bandwidth() * p.memoryEfficiency);
  }

  Fitting::Products closed(const Points& points) const {
    Fitting::Products known;
    const ir::Device& device = f_.part.device;
    const ir::DType type = ir::arithmetic(type_);
    if (const ir::Number* fact = device.number(ir::DeviceFact::GemmMemoryEfficiency, type))
      known.memoryEfficiency = fact->value;
    else if (device.has(ir::DeviceFact::GemmEfficiency, type) || device.has(ir::DeviceFact::GemmStart, type))
      known.memoryEfficiency = kOfMemory;
    std::vector<double> measured;
    for (const Sample* s : points) measured.push_back(s->forward);
    auto made = [&](std::span<const double> v) {
      Fitting::Products p = known;
      p.efficiency = v[0], p.start = v[1];
      if (v.size() > 2) p.memoryEfficiency = v[2];
      return p;
    };
    const PredictAt predict = [&](std::span<const double> v, size_t i) { return time(made(v), product(*points[i])); };
    const Fitting::Products all = made(fitClosed({kOfPeak, kProductStart, kOfMemory}, measured, predict));
    const auto bound =
        std::count_if(points.begin(), points.end(), [&](const Sample* s) { return onMemory(all, product(*s)); });
    if (static_cast<double>(bound) >= kLeastOnMemory * static_cast<double>(points.size()) && all.memoryEfficiency <= 1)
      return all;
    return made(fitClosed({kOfPeak, kProductStart}, measured, predict));
  }

  /// Returns the efficiency by FLOPs, from the products that are not bound by memory.
  Fitting::Products table(const Points& points) const {
    Fitting::Products p = closed(points);
    std::vector<double> x, y;
    for (const Sample* s : points) {
      if (onMemory(p, product(*s))) continue;
      const double flops = eq::flops(product(*s));
      x.push_back(flops);
      y.push_back(flops / (peak_ * working(s->forward, p.start)));
    }
    if (x.empty()) return p;
    p.table = monotone(
        fitCurve(x, y, kProductKnots), [&](double flops, double e) { return flops / (peak_ * e); },
        [&](double flops, double t) { return flops / (peak_ * t); });
    return p;
  }

  Predict predictor(const Fitting::Products& p) const {
    return [this, p](const Sample& s) { return time(p, product(s)); };
  }
  double gradients(const Fitting::Products& p, const Sample& s) const {
    return (time(p, ofInput(s)) + time(p, ofWeights(s))) / 2;
  }
  double ratio(const Fitting::Products& p, const Points& points) const {
    std::vector<double> measured;
    for (const Sample* s : points) measured.push_back(s->backward);
    return fitClosed({2}, measured,
                     [&](std::span<const double> v, size_t i) { return v[0] * gradients(p, *points[i]); })[0];
  }
};

/// Returns whether the samples ran at full clocks. A profile of a few steps is too short to reach the power limit; its
/// efficiency is then nearer to the library's at full clocks than to that of long training.
bool atFullClocks(const Fitting& f, ir::DType type, const Fitting::Products& found) {
  using enum ir::DeviceFact;
  const ir::Device& device = f.part.device;
  const ir::Number *energy = device.number(GemmEnergy, type), *efficiency = device.number(GemmEfficiency, type),
                   *power = device.number(Power);
  if (!energy || !efficiency || !power) return false;
  const double held = eq::clocks(power->value, f.peak(type), energy->value);
  const double reached = found.table.empty() ? found.efficiency : found.table.y.back();
  return held < 1 && reached > efficiency->value * std::sqrt(held);
}

void fitType(Fitting& f, ir::DType type, std::vector<std::pair<double, Points>>& ratios) {
  const Points points = f.points(Kind::Gemm, Direction::Forward, [&](const Sample& s) { return s.dtype == type; });
  if (points.empty() || f.peak(type) == 0) return;
  const ProductFit fit(f, type);
  Quality q = f.choose(
      fmt::format("gemm {}", ir::name(type)), points, Direction::Forward, Size::Flops,
      [&](const Points& p) { return fit.predictor(fit.closed(p)); },
      [&](const Points& p) { return fit.predictor(fit.table(p)); });
  const Fitting::Products found = q.form == Form::Table ? fit.table(points) : fit.closed(points);
  f.products[type] = found;
  q.constants = fmt::format("e {}, f {:.1f} %, t0 {}",
                            found.table.empty() ? fmt::format("{:.1f} %", found.efficiency * 100) : "by FLOPs",
                            found.memoryEfficiency * 100, formatQuantity(found.start, units::time));
  Section section = f.section(Record::Device, points, {&q});
  section.facts = {{{ir::DeviceFact::GemmEfficiency, type}, found.efficiency, found.table},
                   {{ir::DeviceFact::GemmMemoryEfficiency, type}, found.memoryEfficiency},
                   {{ir::DeviceFact::GemmStart, type}, found.start}};
  const bool profiled =
      std::all_of(points.begin(), points.end(), [&](const Sample* s) { return f.series[s->series].profiled; });
  if (profiled && atFullClocks(f, type, found)) {
    f.fullClocks = true;
    f.out.notes.push_back(fmt::format("gemm {}: this profile was too short for the power of the part to lower its "
                                      "clocks: the energy of the library is kept, which lowers them in long training",
                                      ir::name(type)));
  }
  if (f.sustained(points)) section.within = {{ir::DeviceFact::GemmEnergy, type}};
  f.out.sections.push_back(std::move(section));
  f.out.qualities.push_back(std::move(q));

  const Points backward = f.points(Kind::Gemm, Direction::Backward, [&](const Sample& s) { return s.dtype == type; });
  if (backward.empty()) return;
  Quality b = judge(backward, Direction::Backward, Size::Flops, [&](const Points& p) -> Predict {
    const double r = fit.ratio(found, p);
    return [&fit, &found, r](const Sample& s) { return r * fit.gradients(found, s); };
  });
  b.subject = fmt::format("gemm {}", ir::name(type));
  const double r = fit.ratio(found, backward);
  b.constants = fmt::format("r {:.2f}", r);
  Section ratio = f.section(Record::Stack, backward, {&b});
  ratio.facts = {{ir::StackFact::BackwardRatio, r}};
  ratio.alone = true;
  // A stack has one ratio for all types, so keep the one of the type with the most samples.
  ratios.push_back({static_cast<double>(backward.size()), backward});
  if (std::all_of(ratios.begin(), ratios.end(),
                  [&](const auto& other) { return other.first <= ratios.back().first; })) {
    std::erase_if(f.out.sections,
                  [&](const Section& s) { return !s.row() && s.facts.front().of == ratio.facts.front().of; });
    f.out.sections.push_back(std::move(ratio));
  }
  f.out.qualities.push_back(std::move(b));
}

/// Fits the efficiency of products by expert relative to one large product, by tokens per expert.
void fitGrouped(Fitting& f) {
  const Points points = f.points(Kind::GroupedGemm, Direction::Forward);
  if (points.empty()) return;
  auto share = [&](const Sample& s) {
    const Fitting::Products& p = f.productsOf(s.dtype);
    const double flops = eq::flops(product(s));
    return flops / (f.peak(s.dtype) * p.at(flops) * working(s.forward, p.start));
  };
  auto curve = [&](const Points& p) {
    std::vector<double> x, y;
    for (const Sample* s : p) x.push_back((*s)[Extent::M]), y.push_back(share(*s));
    return fitCurve(x, y, kProductKnots);
  };
  Quality q = judge(points, Direction::Forward, Size::None, [&](const Points& p) -> Predict {
    return [&f, c = curve(p)](const Sample& s) {
      const Fitting::Products& base = f.productsOf(s.dtype);
      const double flops = eq::flops(product(s)), weights = s[Extent::Batch] * s[Extent::K] * s[Extent::N];
      return eq::roofline(flops, f.peak(s.dtype) * base.at(flops) * c.at(s[Extent::M]), weights * ir::width(s.dtype),
                          f.bandwidth() * base.memoryEfficiency, base.start);
    };
  });
  q.subject = rowOf(Kind::GroupedGemm).name;
  q.form = Form::Table;
  q.constants = "E by tokens per expert";
  Section section = f.section(Record::Stack, points, {&q});
  section.facts = {{ir::StackFact::Grouped, 0, curve(points)}};
  section.alone = true;
  f.out.sections.push_back(std::move(section));
  f.out.qualities.push_back(std::move(q));
}

} // namespace

void fitProducts(Fitting& f) {
  std::set<ir::DType> types;
  for (const Sample* s : f.points(Kind::Gemm, Direction::Forward)) types.insert(s->dtype);
  std::vector<std::pair<double, Points>> ratios;
  for (const ir::DType type : types) fitType(f, type, ratios);
  fitGrouped(f);
}

} // namespace planc::calibrate
