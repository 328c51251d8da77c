// What some kernels move by definition: the yardstick of memory samples. The one place here that names them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/Sample.h"

#include <span>

namespace planc::calibrate {

/// A kernel that reads its operands and writes its result once, forward: passes over the first operand.
struct Reference {
  std::string_view name;
  double passes;
};
/// Those that the device's memory is measured with, the first one that was sampled.
std::span<const Reference> references();

/// Passes over the tensor that `bytes` (of an optimizer: `params`) names, at the least.
double leastPasses(const Sample& sample);

} // namespace planc::calibrate
