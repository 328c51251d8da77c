// Warns of facts of a machine that have no effect because of other facts that are given or missing (PLAN0541).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/eval/Context.h"
#include "ir/machine/Machine.h"

namespace planc::frontend {

/// Warns of facts of a fabric that have no effect without another fact: `hop` without `nic_efficiency`.
void reportVoidFacts(Context& context, const ir::Fabric& fabric);
/// Warns of facts of a cluster and its levels that have no effect with this fabric or device.
void reportVoidFacts(Context& context, const ir::Cluster& cluster);

} // namespace planc::frontend
