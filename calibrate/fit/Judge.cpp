// Computes held-out errors, outliers and ranges of fits.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/fit/Fits.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace planc::calibrate {

namespace {

constexpr size_t kFolds = 5;
/// An outlier's error is at least this many times the 75th percentile, and at least this factor.
constexpr double kFarther = 5, kFarLeast = 1.5;

/// Returns for each sample the index of its shape among the sorted distinct shapes, so that neighbouring shapes fall
/// into different folds.
std::vector<size_t> shapesOf(const Points& points, size_t& count) {
  std::map<std::array<double, kExtents>, size_t> shapes;
  for (const Sample* s : points) shapes.emplace(s->extents, 0);
  count = 0;
  for (auto& [extents, index] : shapes) index = count++;
  std::vector<size_t> out;
  for (const Sample* s : points) out.push_back(shapes[s->extents]);
  return out;
}

} // namespace

std::string_view name(Direction d) {
  return d == Direction::Forward ? "forward" : "backward";
}

double timeOf(const Sample& sample, Direction direction) {
  return direction == Direction::Forward ? sample.forward : sample.backward;
}

double sizeOf(const Sample& s, Size size) {
  switch (size) {
  case Size::Flops:
    return 2 * s[Extent::Batch] * s[Extent::M] * s[Extent::N] * s[Extent::K];
  case Size::Bytes:
    return s[Extent::Bytes];
  case Size::Params:
    return s[Extent::Params];
  case Size::HeadDim:
    return s[Extent::HeadDim];
  case Size::None:
    break;
  }
  return 0;
}

Quality judge(const Points& points, Direction direction, Size size, const Fitter& fitter) {
  Quality q;
  q.direction = direction;
  q.samples = points.size();
  q.size = size;
  const std::vector<size_t> shape = shapesOf(points, q.shapes);
  std::vector<double> errors;
  const size_t folds = std::min(kFolds, q.shapes);
  for (size_t fold = 0; fold < folds; ++fold) {
    Points train, test;
    for (size_t i = 0; i < points.size(); ++i)
      (folds > 1 && shape[i] % folds == fold ? test : train).push_back(points[i]);
    const Predict predict = fitter(train);
    for (const Sample* s : folds > 1 ? test : train)
      errors.push_back(std::fabs(predict(*s) / timeOf(*s, direction) - 1));
  }
  q.median = q.closedMedian = median(errors);
  q.p75 = quantile(errors, 0.75);
  q.p90 = quantile(errors, 0.9);
  const Predict predict = fitter(points);
  const double far = std::max(std::log(kFarLeast), kFarther * std::log1p(q.p75));
  std::vector<std::pair<double, Outlier>> out;
  for (const Sample* s : points) {
    const double x = sizeOf(*s, size), measured = timeOf(*s, direction), predicted = predict(*s);
    q.low = q.low == 0 ? x : std::min(q.low, x);
    q.high = std::max(q.high, x);
    const double off = std::fabs(std::log(predicted / measured));
    if (off > far) out.push_back({off, {s, measured, predicted}});
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (auto& [off, outlier] : out) q.outliers.push_back(outlier);
  return q;
}

} // namespace planc::calibrate
