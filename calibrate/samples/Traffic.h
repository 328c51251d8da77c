// Kernels with known memory traffic, against which memory samples are measured. Their names are in
// vocabulary/traffic.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/samples/Vocabulary.h"

#include <span>

namespace planc::calibrate {

/// A kernel, and its passes over the first operand in the forward pass.
struct Reference {
  Symbol name;
  double passes;
};
struct TrafficWords {
  std::vector<Reference> references, least;
};
/// Parses `traffic.json`.
TrafficWords trafficWords(std::string_view text);

/// Returns kernels that read their operands and write their result once. The first one with samples determines the
/// device's memory efficiency.
std::span<const Reference> references();

/// Returns the smallest possible number of passes over the tensor that `bytes` (for an optimizer: `params`) describes.
double leastPasses(const Sample& sample);

/// Returns the bytes that cross the links in a collective; `bytes` of the sample is the size of the full tensor.
double wireBytes(const Sample& sample);

} // namespace planc::calibrate
