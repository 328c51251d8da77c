// The kernels of the oracle. Softmax, norms and cross-entropy are the real ones; attention is linearised (a product of
// its three operands), which keeps its contractions and its one travelling dimension.
// SPDX-License-Identifier: Apache-2.0
#include "Kernels.h"

#include <cmath>
#include <stdexcept>

namespace planc::oracle {

namespace {

double product(const Point& p) {
  double r = 1;
  for (double a : p.args) r *= a;
  return r;
}
double others(int i, const Point& p) {
  double r = p.dy;
  for (size_t k = 0; k < p.args.size(); ++k)
    if (static_cast<int>(k) != i) r *= p.args[k];
  return r;
}
double mask(const Point& p) {
  return (p.position * 2654435761u >> 7) % 10 == 0 ? 0.0 : 1.0 / 0.9;
}
double silu(double x) {
  return x / (1 + std::exp(-x));
}
double siluSlope(double x) {
  const double s = 1 / (1 + std::exp(-x));
  return s * (1 + x * (1 - s));
}

// Norms by the root of a sum of squares, over whichever dimension the operator reduces.
double squares(int, const Point& p) {
  return p.args[0] * p.args[0];
}
double normed(const Point& p) {
  return p.args[0] * p.args[1] / std::sqrt(p.stats[0] + 1);
}
double scaledSlope(int, const Point& p) {
  return p.dy * p.args[1] * p.args[0];
}
double normSlope(int i, const Point& p) {
  const double r = 1 / std::sqrt(p.stats[0] + 1);
  return i == 1 ? p.dy * p.args[0] * r : p.dy * p.args[1] * r - p.args[0] * p.back[0] * r * r * r;
}

const std::vector<Kernel> kKernels = {
    {"matmul", 0, 0, nullptr, product, nullptr, others},
    {"project_kv", 0, 0, nullptr, product, nullptr, others},
    {"scores", 0, 0, nullptr, product, nullptr, others},
    {"context", 0, 0, nullptr, product, nullptr, others},
    {"attention", 0, 0, nullptr, product, nullptr, others},
    {"biased_attention", 0, 0, nullptr, product, nullptr, others},
    {"add", 0, 0, nullptr, [](const Point& p) { return p.args[0] + p.args[1]; }, nullptr,
     [](int, const Point& p) { return p.dy; }},
    {"bias", 0, 0, nullptr, [](const Point& p) { return p.args[0] + p.args[1]; }, nullptr,
     [](int, const Point& p) { return p.dy; }},
    {"weigh", 0, 0, nullptr, product, nullptr, others},
    {"select_first", 0, 0, nullptr, [](const Point& p) { return p.index == 0 ? p.args[0] : 0.0; }, nullptr,
     [](int, const Point& p) { return p.index == 0 ? p.dy : 0.0; }, "seq"},
    {"mean", 0, 0, nullptr, [](const Point& p) { return p.args[0] / 4; },
     nullptr, // the oracle's sequences have 4 elements
     [](int, const Point& p) { return p.dy / 4; }},
    {"gelu", 0, 0, nullptr, [](const Point& p) { return silu(1.702 * p.args[0]) / 1.702; }, nullptr,
     [](int, const Point& p) { return p.dy * siluSlope(1.702 * p.args[0]); }},
    {"silu_mul", 0, 0, nullptr, [](const Point& p) { return silu(p.args[0]) * p.args[1]; }, nullptr,
     [](int i, const Point& p) { return p.dy * (i == 0 ? siluSlope(p.args[0]) * p.args[1] : silu(p.args[0])); }},
    {"dropout", 0, 0, nullptr, [](const Point& p) { return p.args[0] * mask(p); }, nullptr,
     [](int, const Point& p) { return p.dy * mask(p); }},
    {"rope", 0, 0, nullptr, [](const Point& p) { return p.args[0] * (1 + 0.1 * static_cast<double>(p.index)); },
     nullptr, [](int, const Point& p) { return p.dy * (1 + 0.1 * static_cast<double>(p.index)); }, "seq"},
    {"lookup", 0, 0, nullptr,
     [](const Point& p) { return static_cast<int64_t>(p.args[0]) == p.index ? p.args[1] : 0.0; }, nullptr,
     [](int i, const Point& p) { return i == 1 && static_cast<int64_t>(p.args[0]) == p.index ? p.dy : 0.0; }, "vocab"},
    {"latent_attention", 0, 0, nullptr, product, nullptr, others},
    {"grouped_matmul", 0, 0, nullptr, product, nullptr, others},
    {"relu", 0, 0, nullptr, [](const Point& p) { return silu(p.args[0]); }, nullptr,
     [](int, const Point& p) { return p.dy * siluSlope(p.args[0]); }},
    // Every choice of a token has the same weight: a mean of the choices' numbers under the softmax of the logits.
    {"top_k", 2, 0, [](int k, const Point& p) { return std::exp(p.args[0]) * (k == 0 ? 1 : 1 + p.index); },
     [](const Point& p) { return p.stats[1] / p.stats[0]; }, nullptr,
     [](int, const Point& p) {
       const double e = std::exp(p.args[0]);
       return p.dy * (e * (1 + p.index) / p.stats[0] - p.stats[1] * e / (p.stats[0] * p.stats[0]));
     },
     "choices"},
    {"dispatch", 0, 0, nullptr, [](const Point& p) { return p.chosen ? p.args[0] : 0.0; }, nullptr,
     [](int i, const Point& p) { return i == 0 && p.chosen ? p.dy : 0.0; }, "", true},
    {"combine", 0, 0, nullptr, [](const Point& p) { return p.chosen ? p.args[0] * p.args[1] : 0.0; }, nullptr,
     [](int i, const Point& p) { return p.chosen ? p.dy * p.args[1 - i] : 0.0; }, "", true},
    {"dispatch_all", 0, 0, nullptr, [](const Point& p) { return p.chosen ? p.args[0] : 0.0; }, nullptr,
     [](int i, const Point& p) { return i == 0 && p.chosen ? p.dy : 0.0; }, "", true},
    {"combine_all", 0, 0, nullptr, [](const Point& p) { return p.chosen ? p.args[0] * p.args[1] : 0.0; }, nullptr,
     [](int i, const Point& p) { return p.chosen ? p.dy * p.args[1 - i] : 0.0; }, "", true},
    {"embedding_bag", 0, 0, nullptr,
     [](const Point& p) { return static_cast<int64_t>(p.args[0]) == p.index ? p.args[1] : 0.0; }, nullptr,
     [](int i, const Point& p) { return i == 1 && static_cast<int64_t>(p.args[0]) == p.index ? p.dy : 0.0; }, "rows"},
    {"interaction", 0, 0, nullptr, [](const Point& p) { return product(p) * (1 + 0.1 * static_cast<double>(p.index)); },
     nullptr, [](int i, const Point& p) { return others(i, p) * (1 + 0.1 * static_cast<double>(p.index)); }, "pairs"},
    {"softmax", 1, 1, [](int, const Point& p) { return std::exp(p.args[0]); },
     [](const Point& p) { return std::exp(p.args[0]) / p.stats[0]; },
     [](int, const Point& p) { return p.dy * std::exp(p.args[0]) / p.stats[0]; },
     [](int, const Point& p) { return std::exp(p.args[0]) / p.stats[0] * (p.dy - p.back[0]); }},
    {"rms_norm", 1, 1, squares, normed, scaledSlope, normSlope},
    {"head_norm", 1, 1, squares, normed, scaledSlope, normSlope},
    {"cross_entropy", 2, 0,
     [](int k, const Point& p) {
       return k == 0 ? std::exp(p.args[0]) : static_cast<int64_t>(p.args[1]) == p.index ? p.args[0] : 0.0;
     },
     [](const Point& p) { return std::log(p.stats[0]) - p.stats[1]; }, nullptr,
     [](int i, const Point& p) {
       return i == 0 ? p.dy * (std::exp(p.args[0]) / p.stats[0] - (static_cast<int64_t>(p.args[1]) == p.index ? 1 : 0))
                     : 0.0;
     },
     "vocab"},
};

} // namespace

const Kernel& kernelOf(Symbol op) {
  for (const Kernel& k : kKernels)
    if (op == Symbol(k.name)) return k;
  throw std::runtime_error("the oracle has no kernel for " + op.str());
}

} // namespace planc::oracle
