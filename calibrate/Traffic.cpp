// What some kernels move by definition: operands read once, results written once.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/Traffic.h"

namespace planc::calibrate {

namespace {

constexpr std::array<Reference, 6> kReferences{
    {{"add", 3}, {"copy", 2}, {"gelu", 2}, {"silu", 2}, {"relu", 2}, {"silu_mul", 3}}};

/// Where the least is not a tensor read once and written once.
constexpr std::array<Reference, 2> kLeast{{
    {"cross_entropy", 1}, // its result is small
    {"adam", 7},          // parameter, gradient and two states read, three of them written back
}};

} // namespace

std::span<const Reference> references() {
  return kReferences;
}

double leastPasses(const Sample& sample) {
  for (const Reference& r : kLeast)
    if (sample.name == Symbol(r.name)) return r.passes;
  return sample.kind == Kind::Optimizer ? 3 : 2; // parameter and gradient read, parameter written
}

} // namespace planc::calibrate
