// What two models have in common, whatever they and their parts are called.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/Plan.h"

namespace planc::diff {

/// Returns whether the models of two plans hold the same operators on the same values in the same order: two sizes of
/// one architecture do.
bool sameArchitecture(const ir::Plan& a, const ir::Plan& b);
/// Returns whether two plans train one model: one architecture in one size. Extents that the workload sets, such as the
/// length of a sequence, are no part of a size.
bool sameModel(const ir::Plan& a, const ir::Plan& b);

/// Returns whether two devices, or two stacks, hold the same facts, the price of a device aside.
bool sameFacts(const ir::Device& a, const ir::Device& b);
bool sameFacts(const ir::Stack& a, const ir::Stack& b);

} // namespace planc::diff
