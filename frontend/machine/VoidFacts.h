// Warnings of facts of a machine that change nothing, because of what is said or missing beside them (PLAN0541).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/eval/Context.h"
#include "ir/machine/Machine.h"

namespace planc::frontend {

/// Warns of facts of a fabric that nothing reads without others, as `hop` without `nic_efficiency`.
void reportVoidFacts(Context& context, const ir::Fabric& fabric);
/// Warns of facts of a cluster and its levels that the fabric or the device beside them makes void.
void reportVoidFacts(Context& context, const ir::Cluster& cluster);

} // namespace planc::frontend
