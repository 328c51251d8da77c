// Code that all fits share: selecting samples, choosing between closed form and table, and writing the source text of
// facts.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/fit/Fit.h"

#include "ir/facts/DeviceFacts.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace planc::calibrate {

Points Fitting::points(Kind kind, Direction direction, const std::function<bool(const Sample&)>& also) const {
  Points found;
  for (const Sample* s : all)
    if (s->kind == kind && timeOf(*s, direction) > 0 && usable(*s, direction) && (!also || also(*s)))
      found.push_back(s);
  return found;
}

std::vector<double> times(const Points& points, Direction direction) {
  std::vector<double> out;
  for (const Sample* s : points) out.push_back(timeOf(*s, direction));
  return out;
}

double working(double measured, double start) {
  constexpr double kLeast = 0.05;
  return std::max(measured - start, kLeast * measured);
}

double Fitting::peak(ir::DType type) const {
  const ir::Number* known = part.device.number(ir::DeviceFact::Peak, ir::arithmetic(type));
  return known ? known->value : 0;
}

double Fitting::bandwidth() const {
  return part.device.value(ir::DeviceFact::Bandwidth, 1);
}

const Fitting::Products& Fitting::productsOf(ir::DType type) {
  auto [it, isNew] = products.try_emplace(type);
  if (!isNew) return it->second;
  const auto known = [&](ir::DeviceFact fact, double& value) {
    if (const ir::Number* number = part.device.number(fact, ir::arithmetic(type))) value = number->value;
  };
  known(ir::DeviceFact::GemmEfficiency, it->second.efficiency);
  known(ir::DeviceFact::GemmMemoryEfficiency, it->second.memoryEfficiency);
  known(ir::DeviceFact::GemmStart, it->second.start);
  return it->second;
}

Quality Fitting::choose(std::string subject, const Points& points, Direction direction, Size size, const Fitter& closed,
                        const Fitter& table, const Fitter& factors) const {
  Quality q = judge(points, direction, size, closed);
  const double closedMedian = q.median;
  for (const auto& [form, fitter] : {std::pair(Form::Table, &table), std::pair(Form::Factors, &factors)}) {
    if (!*fitter || (q.median <= kTolerance && q.p75 <= kToleranceP75)) continue;
    Quality t = judge(points, direction, size, *fitter);
    t.closedMedian = closedMedian;
    t.form = form;
    const bool nearer = q.median > kTolerance ? t.median < q.median : t.p75 < q.p75 && t.median <= kTolerance;
    if (nearer) q = std::move(t);
  }
  q.subject = std::move(subject);
  return q;
}

bool Fitting::sustained(const Points& points) const {
  return std::all_of(points.begin(), points.end(), [&](const Sample* s) {
    return series[s->series].sustained && !(fullClocks && series[s->series].profiled);
  });
}

std::string Fitting::source(const Points& points, const std::vector<const Quality*>& qualities) const {
  std::set<std::string> files;
  std::set<double> shapes;
  for (const Sample* s : points) {
    const std::string& path = sources.path(s->range.file);
    files.insert(path.substr(path.find_last_of('/') + 1));
  }
  std::string text = files.empty() ? std::string() : *files.begin();
  if (files.size() > 1) text += fmt::format(" and {} more", files.size() - 1);
  text += fmt::format(": {} samples", points.size());
  for (const Quality* q : qualities)
    text += q->heldOut()
                ? fmt::format("; {}, held-out error {:.1f} % median, {:.1f} % p90 over {} shapes{}", name(q->direction),
                              q->median * 100, q->p90 * 100, q->shapes,
                              q->closedMedian > q->median
                                  ? fmt::format(", a table (the closed form misses by {:.0f} %)", q->closedMedian * 100)
                                  : "")
                : fmt::format("; {}, no held-out error: one shape", name(q->direction));
  return text;
}

std::string Section::path() const {
  if (row()) return samplesOf.path();
  const std::string path = facts.front().of.path();
  return alone ? path : path.substr(0, path.rfind('.'));
}

bool Section::holds(std::string_view path) const {
  return std::any_of(within.begin(), within.end(), [&](const ir::FactRef& fact) { return fact.path() == path; });
}

Section Fitting::section(Record record, const Points& points, const std::vector<const Quality*>& qualities) const {
  Section s;
  s.record = record;
  s.source = source(points, qualities);
  for (const Quality* q : qualities) {
    s.samples = std::max(s.samples, q->samples);
    if (q->heldOut()) {
      s.heldOut = true;
      s.error = std::max(s.error, q->median);
      s.p90 = std::max(s.p90, q->p90);
    }
    if (q->size != Size::Flops && q->size != Size::Bytes) continue;
    s.size = q->size;
    s.low = s.low == 0 ? q->low : std::min(s.low, q->low);
    s.high = std::max(s.high, q->high);
  }
  return s;
}

} // namespace planc::calibrate
