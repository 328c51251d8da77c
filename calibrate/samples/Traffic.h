// What some kernels move by definition: the yardstick of memory samples. Their names stand in vocabulary/traffic.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/samples/Vocabulary.h"

#include <span>

namespace planc::calibrate {

/// Passes of a kernel over its first operand, forward.
struct Reference {
  Symbol name;
  double passes;
};
struct TrafficWords {
  std::vector<Reference> references, least;
};
/// Reads `traffic.json`.
TrafficWords trafficWords(std::string_view text);

/// Kernels that read their operands and write their result once. The device's memory is measured with the first one
/// that was sampled.
std::span<const Reference> references();

/// Passes over the tensor that `bytes` (of an optimizer: `params`) names, at the least.
double leastPasses(const Sample& sample);

/// What crosses the links, of the full tensor of a collective.
double wireBytes(const Sample& sample);

} // namespace planc::calibrate
