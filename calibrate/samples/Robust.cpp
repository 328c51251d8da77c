// Fits by reweighted least squares.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/samples/Robust.h"

#include "ir/Between.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace planc::calibrate {

namespace {

/// Larger residuals count linearly. The loss is then close to the absolute error, but smooth.
constexpr double kSoft = 0.02;
constexpr int kRounds = 40;

/// The loss 2·δ²·(√(1 + (r/δ)²) − 1), and its weight in a round of least squares.
double loss(double r) {
  return 2 * kSoft * kSoft * (std::sqrt(1 + r * r / (kSoft * kSoft)) - 1);
}
double weight(double r) {
  return 1 / std::sqrt(1 + r * r / (kSoft * kSoft));
}

class ClosedFit {
  static constexpr double kStep = 1e-4, kRange = 13.8; // in logarithms; e^13.8 is a million
  std::span<const double> measured_;
  const PredictAt& predict_;
  Eigen::VectorXd start_, log_;

  Eigen::VectorXd residuals(const Eigen::VectorXd& logs) const {
    const std::vector<double> theta = parameters(logs);
    Eigen::VectorXd r(measured_.size());
    for (size_t i = 0; i < measured_.size(); ++i)
      r[static_cast<Eigen::Index>(i)] = std::log(predict_(theta, i) / measured_[i]);
    return r;
  }
  /// Returns the derivatives of the residuals, one column per parameter.
  Eigen::MatrixXd slopes(const Eigen::VectorXd& r) const {
    Eigen::MatrixXd out(r.size(), log_.size());
    for (Eigen::Index p = 0; p < log_.size(); ++p) {
      Eigen::VectorXd moved = log_;
      moved[p] += kStep;
      out.col(p) = (residuals(moved) - r) / kStep;
    }
    return out;
  }
  static std::vector<double> parameters(const Eigen::VectorXd& logs) {
    std::vector<double> theta;
    for (double l : logs) theta.push_back(std::exp(l));
    return theta;
  }
  static double total(const Eigen::VectorXd& r) {
    return std::accumulate(r.begin(), r.end(), 0.0, [](double sum, double x) { return sum + loss(x); });
  }

public:
  ClosedFit(std::span<const double> start, std::span<const double> measured, const PredictAt& predict)
      : measured_(measured), predict_(predict), start_(start.size()) {
    for (size_t i = 0; i < start.size(); ++i) start_[static_cast<Eigen::Index>(i)] = std::log(start[i]);
    log_ = start_;
  }

  std::vector<double> run() {
    Eigen::VectorXd r = residuals(log_);
    double best = total(r), damping = 1e-3;
    for (int round = 0; round < kRounds; ++round) {
      const Eigen::MatrixXd slope = slopes(r);
      // Sum in the order of the samples, because the result of nearly tied fits depends on the order.
      Eigen::MatrixXd squares = Eigen::MatrixXd::Zero(log_.size(), log_.size());
      Eigen::VectorXd pull = Eigen::VectorXd::Zero(log_.size());
      for (Eigen::Index i = 0; i < r.size(); ++i) {
        const Eigen::VectorXd trusted = weight(r[i]) * slope.row(i).transpose();
        squares += trusted * slope.row(i);
        pull -= trusted * r[i];
      }
      bool better = false;
      for (int attempt = 0; attempt < 8 && !better; ++attempt) {
        Eigen::MatrixXd damped = squares;
        damped.diagonal() += damping * squares.diagonal();
        damped.diagonal().array() += 1e-9;
        const Eigen::VectorXd trial = (log_ + damped.llt().solve(pull))
                                          .cwiseMax((start_.array() - kRange).matrix())
                                          .cwiseMin((start_.array() + kRange).matrix());
        const Eigen::VectorXd moved = residuals(trial);
        const double value = total(moved);
        if (value < best) {
          better = true;
          const bool settled = best - value < 1e-9 * best;
          best = value, log_ = trial, r = moved, damping /= 4;
          if (settled) return parameters(log_);
        } else {
          damping = std::max(damping * 5, 1e-6);
        }
      }
      if (!better) break;
    }
    return parameters(log_);
  }
};

} // namespace

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const auto low = static_cast<size_t>(at);
  const size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (values[high] - values[low]) * (at - static_cast<double>(low));
}

double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

std::vector<double> fitClosed(std::vector<double> start, std::span<const double> measured, const PredictAt& predict) {
  if (measured.empty()) return start;
  return ClosedFit(start, measured, predict).run();
}

std::vector<double> fitLinear(std::span<const LinearRow> rows, size_t unknowns, size_t second) {
  constexpr double kTie = 1e-6; // weight relative to one row, far below a sample
  const auto at = [](size_t i) { return static_cast<Eigen::Index>(i); };
  const Eigen::Index size = at(unknowns);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(size);
  if (rows.empty()) return {x.begin(), x.end()};
  double last = -1;
  for (int round = 0; round < kRounds; ++round) {
    Eigen::MatrixXd squares = Eigen::MatrixXd::Zero(size, size);
    Eigen::VectorXd pull = Eigen::VectorXd::Zero(size);
    double sum = 0;
    for (const LinearRow& row : rows) {
      double r = -row.value;
      for (const auto& [i, w] : row.terms) r += w * x[at(i)];
      sum += loss(r);
      const double trust = round == 0 ? 1 : weight(r);
      for (const auto& [i, w] : row.terms) {
        for (const auto& [j, v] : row.terms) squares(at(i), at(j)) += trust * w * v;
        pull[at(i)] += trust * w * row.value;
      }
    }
    for (Eigen::Index i = 0; i + 1 < size; ++i) {
      if (i + 1 == at(second)) continue;
      squares(i, i) += kTie, squares(i + 1, i + 1) += kTie;
      squares(i, i + 1) -= kTie, squares(i + 1, i) -= kTie;
    }
    squares.diagonal().array() += 1e-12;
    x = squares.llt().solve(pull);
    if (round > 1 && std::fabs(last - sum) <= 1e-9 * sum) break;
    last = sum;
  }
  return {x.begin(), x.end()};
}

std::vector<double> knots(std::vector<double> x, size_t most) {
  constexpr double kApart = 1.1;
  std::sort(x.begin(), x.end());
  std::vector<double> distinct = x;
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<double> at;
  if (distinct.size() <= most) {
    return distinct;
  } else {
    // Combine quantiles by rank and by size, so that neither crowded points nor wide gaps decide alone.
    for (size_t i = 0; i < most; ++i) {
      const double q = static_cast<double>(i) / static_cast<double>(most - 1);
      const double rank = quantile(distinct, q);
      const double size = distinct.front() * std::pow(distinct.back() / distinct.front(), q);
      at.push_back(std::sqrt(rank * size));
    }
    at.front() = distinct.front();
    at.back() = distinct.back();
  }
  std::vector<double> out;
  for (double v : at)
    if (out.empty() || v >= out.back() * kApart) out.push_back(v);
  return out;
}

namespace {

/// Returns the weights of the one or two knots around x.
std::vector<std::pair<size_t, double>> weights(std::span<const double> knots, double x) {
  const ir::Between at = ir::between(knots, x);
  if (at.low == at.high) return {{at.low, 1}};
  return {{at.low, 1 - at.share}, {at.high, at.share}};
}

} // namespace

ir::Table fitCurve(std::span<const double> x, std::span<const double> y, size_t most) {
  ir::Table curve;
  curve.x = knots({x.begin(), x.end()}, most);
  std::vector<LinearRow> rows;
  for (size_t i = 0; i < x.size(); ++i) rows.push_back({weights(curve.x, x[i]), std::log(y[i])});
  for (double l : fitLinear(rows, curve.x.size())) curve.y.push_back(std::exp(l));
  return curve;
}

Factors fitFactors(std::span<const double> x, size_t mostX, std::span<const double> z, size_t mostZ,
                   std::span<const double> y, double anchor) {
  constexpr double kFirm = 1e3; // weight relative to one sample
  Factors out;
  std::vector<double> seconds(z.begin(), z.end());
  seconds.push_back(anchor);
  out.first.x = knots({x.begin(), x.end()}, mostX);
  out.second.x = knots(seconds, mostZ);
  const size_t first = out.first.x.size();
  auto second = [&](double at, double scale) {
    std::vector<std::pair<size_t, double>> terms;
    for (const auto& [i, w] : weights(out.second.x, at)) terms.push_back({first + i, w * scale});
    return terms;
  };
  std::vector<LinearRow> rows;
  for (size_t i = 0; i < x.size(); ++i) {
    LinearRow row{weights(out.first.x, x[i]), std::log(y[i])};
    for (const auto& term : second(z[i], 1)) row.terms.push_back(term);
    rows.push_back(std::move(row));
  }
  rows.push_back({second(anchor, kFirm), 0});
  const std::vector<double> logs = fitLinear(rows, first + out.second.x.size(), first);
  double shift = 0;
  for (const auto& [i, w] : second(anchor, 1)) shift += w * logs[i];
  for (size_t i = 0; i < first; ++i) out.first.y.push_back(std::exp(logs[i] + shift));
  for (size_t i = first; i < logs.size(); ++i) out.second.y.push_back(std::exp(logs[i] - shift));
  return out;
}

ir::Table monotone(const ir::Table& curve, const std::function<double(double, double)>& time,
                   const std::function<double(double, double)>& value) {
  struct Pool {
    double sum;
    size_t count;
    double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Pool> pools;
  for (size_t i = 0; i < curve.x.size(); ++i) {
    pools.push_back({std::log(time(curve.x[i], curve.y[i])), 1});
    while (pools.size() > 1 && pools.back().mean() < pools[pools.size() - 2].mean()) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().count += last.count;
    }
  }
  ir::Table out;
  for (const Pool& pool : pools)
    for (size_t i = 0; i < pool.count; ++i) {
      const double x = curve.x[out.x.size()];
      const double y = pool.count == 1 ? curve.y[out.x.size()] : value(x, std::exp(pool.mean()));
      out.x.push_back(x);
      out.y.push_back(y);
    }
  return out;
}

} // namespace planc::calibrate
