// Reweighted least squares, and curves made of them.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/Robust.h"

#include <algorithm>
#include <cmath>

namespace planc::calibrate {

namespace {

/// Residuals beyond this share count linearly: near the least absolute error, and still smooth.
constexpr double kSoft = 0.02;
constexpr int kRounds = 40;

/// 2·δ²·(√(1 + (r/δ)²) − 1), and its weight in a least-squares round.
double loss(double r) {
  return 2 * kSoft * kSoft * (std::sqrt(1 + r * r / (kSoft * kSoft)) - 1);
}
double weight(double r) {
  return 1 / std::sqrt(1 + r * r / (kSoft * kSoft));
}

/// A symmetric positive definite system, solved in place (Cholesky).
class Normal {
  size_t n_;
  std::vector<double> a_, b_;

public:
  explicit Normal(size_t n) : n_(n), a_(n * n), b_(n) {}
  double& a(size_t i, size_t j) { return a_[i * n_ + j]; }
  double& b(size_t i) { return b_[i]; }
  std::vector<double> solve() {
    for (size_t j = 0; j < n_; ++j) {
      for (size_t k = 0; k < j; ++k)
        for (size_t i = j; i < n_; ++i) a(i, j) -= a(i, k) * a(j, k);
      const double pivot = std::sqrt(std::max(a(j, j), 1e-300));
      for (size_t i = j; i < n_; ++i) a(i, j) /= pivot;
    }
    std::vector<double> x = b_;
    for (size_t i = 0; i < n_; ++i) {
      for (size_t k = 0; k < i; ++k) x[i] -= a(i, k) * x[k];
      x[i] /= a(i, i);
    }
    for (size_t i = n_; i-- > 0;) {
      for (size_t k = i + 1; k < n_; ++k) x[i] -= a(k, i) * x[k];
      x[i] /= a(i, i);
    }
    return x;
  }
};

class ClosedFit {
  static constexpr double kStep = 1e-4, kRange = 13.8; // of logarithms; e^13.8 is a million
  std::span<const double> measured_;
  const PredictAt& predict_;
  std::vector<double> start_, log_;

  std::vector<double> residuals(const std::vector<double>& logs) const {
    std::vector<double> theta(logs.size()), r(measured_.size());
    for (size_t i = 0; i < logs.size(); ++i) theta[i] = std::exp(logs[i]);
    for (size_t i = 0; i < r.size(); ++i) r[i] = std::log(predict_(theta, i) / measured_[i]);
    return r;
  }
  static double total(const std::vector<double>& r) {
    double sum = 0;
    for (double x : r) sum += loss(x);
    return sum;
  }

public:
  ClosedFit(const std::vector<double>& start, std::span<const double> measured, const PredictAt& predict)
      : measured_(measured), predict_(predict) {
    for (double s : start) start_.push_back(std::log(s));
    log_ = start_;
  }

  std::vector<double> run() {
    const size_t n = log_.size();
    std::vector<double> r = residuals(log_);
    double best = total(r), damping = 1e-3;
    for (int round = 0; round < kRounds; ++round) {
      std::vector<std::vector<double>> slopes;
      for (size_t p = 0; p < n; ++p) {
        std::vector<double> moved = log_;
        moved[p] += kStep;
        slopes.push_back(residuals(moved));
        for (size_t i = 0; i < r.size(); ++i) slopes[p][i] = (slopes[p][i] - r[i]) / kStep;
      }
      bool better = false;
      for (int attempt = 0; attempt < 8 && !better; ++attempt) {
        Normal system(n);
        for (size_t p = 0; p < n; ++p) {
          for (size_t i = 0; i < r.size(); ++i) {
            const double w = weight(r[i]) * slopes[p][i];
            for (size_t q = 0; q < n; ++q) system.a(p, q) += w * slopes[q][i];
            system.b(p) -= w * r[i];
          }
          system.a(p, p) += damping * system.a(p, p) + 1e-9;
        }
        std::vector<double> trial = system.solve();
        for (size_t p = 0; p < n; ++p)
          trial[p] = std::clamp(log_[p] + trial[p], start_[p] - kRange, start_[p] + kRange);
        std::vector<double> moved = residuals(trial);
        const double value = total(moved);
        if (value < best) {
          better = true;
          const bool settled = best - value < 1e-9 * best;
          best = value, log_ = std::move(trial), r = std::move(moved), damping /= 4;
          if (settled) return result();
        } else {
          damping = std::max(damping * 5, 1e-6);
        }
      }
      if (!better) break;
    }
    return result();
  }

  std::vector<double> result() const {
    std::vector<double> theta;
    for (double l : log_) theta.push_back(std::exp(l));
    return theta;
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

std::vector<double> fitLinear(std::span<const LinearRow> rows, size_t unknowns) {
  constexpr double kTie = 1e-6; // of a row: far less than one sample
  std::vector<double> x(unknowns, 0);
  if (rows.empty()) return x;
  double last = -1;
  for (int round = 0; round < kRounds; ++round) {
    Normal system(unknowns);
    double sum = 0;
    for (const LinearRow& row : rows) {
      double r = -row.value;
      for (const auto& [i, w] : row.terms) r += w * x[i];
      sum += loss(r);
      const double trust = round == 0 ? 1 : weight(r);
      for (const auto& [i, w] : row.terms) {
        for (const auto& [j, v] : row.terms) system.a(i, j) += trust * w * v;
        system.b(i) += trust * w * row.value;
      }
    }
    for (size_t i = 0; i + 1 < unknowns; ++i) {
      system.a(i, i) += kTie, system.a(i + 1, i + 1) += kTie;
      system.a(i, i + 1) -= kTie, system.a(i + 1, i) -= kTie;
    }
    for (size_t i = 0; i < unknowns; ++i) system.a(i, i) += 1e-12;
    x = system.solve();
    if (round > 1 && std::fabs(last - sum) <= 1e-9 * sum) break;
    last = sum;
  }
  return x;
}

double Curve::at(double v) const {
  double sum = 0;
  for (const auto& [i, w] : between(x, v)) sum += w * std::log(y[i]);
  return std::exp(sum);
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
    // Half by rank, half by size: neither a crowd of equal points nor a wide gap decides alone.
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

std::vector<std::pair<size_t, double>> between(std::span<const double> knots, double x) {
  if (x <= knots.front()) return {{0, 1}};
  if (x >= knots.back()) return {{knots.size() - 1, 1}};
  const auto above = static_cast<size_t>(std::upper_bound(knots.begin(), knots.end(), x) - knots.begin());
  const double share = std::log(x / knots[above - 1]) / std::log(knots[above] / knots[above - 1]);
  return {{above - 1, 1 - share}, {above, share}};
}

Curve fitCurve(std::span<const double> x, std::span<const double> y, size_t most) {
  Curve curve;
  curve.x = knots({x.begin(), x.end()}, most);
  std::vector<LinearRow> rows;
  for (size_t i = 0; i < x.size(); ++i) rows.push_back({between(curve.x, x[i]), std::log(y[i])});
  for (double l : fitLinear(rows, curve.x.size())) curve.y.push_back(std::exp(l));
  return curve;
}

Factors fitFactors(std::span<const double> x, size_t mostX, std::span<const double> z, size_t mostZ,
                   std::span<const double> y, double anchor) {
  constexpr double kFirm = 1e3; // against one sample
  Factors out;
  std::vector<double> seconds(z.begin(), z.end());
  seconds.push_back(anchor);
  out.first.x = knots({x.begin(), x.end()}, mostX);
  out.second.x = knots(seconds, mostZ);
  const size_t first = out.first.x.size();
  auto second = [&](double at, double scale) {
    std::vector<std::pair<size_t, double>> terms;
    for (const auto& [i, w] : between(out.second.x, at)) terms.push_back({first + i, w * scale});
    return terms;
  };
  std::vector<LinearRow> rows;
  for (size_t i = 0; i < x.size(); ++i) {
    LinearRow row{between(out.first.x, x[i]), std::log(y[i])};
    for (const auto& term : second(z[i], 1)) row.terms.push_back(term);
    rows.push_back(std::move(row));
  }
  rows.push_back({second(anchor, kFirm), 0});
  const std::vector<double> logs = fitLinear(rows, first + out.second.x.size());
  double shift = 0;
  for (const auto& [i, w] : second(anchor, 1)) shift += w * logs[i];
  for (size_t i = 0; i < first; ++i) out.first.y.push_back(std::exp(logs[i] + shift));
  for (size_t i = first; i < logs.size(); ++i) out.second.y.push_back(std::exp(logs[i] - shift));
  return out;
}

Curve monotone(const Curve& curve, const std::function<double(double, double)>& time,
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
  Curve out;
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
