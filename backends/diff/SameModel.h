// Tests whether two models are equal, independent of names.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/Plan.h"

namespace planc::diff {

/// Returns whether the models of two plans hold the same operators on the same values in the same order, as two sizes
/// of one architecture do.
bool sameArchitecture(const ir::Plan& a, const ir::Plan& b);
/// Returns whether two plans train the same model: one architecture in one size. Extents that the workload sets, such
/// as the length of a sequence, do not count as size.
bool sameModel(const ir::Plan& a, const ir::Plan& b);

/// Returns whether two devices, or two stacks, hold the same facts. The price of a device is not compared.
bool sameFacts(const ir::Device& a, const ir::Device& b);
bool sameFacts(const ir::Stack& a, const ir::Stack& b);

} // namespace planc::diff
