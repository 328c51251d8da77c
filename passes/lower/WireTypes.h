// Element types for data in transit: `precision { dispatch = fp8; combine.grad = fp8 }`.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"
#include "support/Diagnostics.h"

namespace planc::passes {

/// Returns the operator that routes the moved value: its producer, or else its reader `op`; null if neither routes.
const ir::Op* routerOf(const ir::Model& model, const ir::Traveller& what, ir::OpId op);

/// Returns the type that the plan gives for a value moved by a reshard or collective of `op`. It is found by the name
/// of the value's producer or, for routed values, of the operator that routes it. Returns null if the plan gives none.
const ir::WireTypes::Said* wireTypeOf(const ir::ProgramHead& program, const ir::Traveller& what, ir::OpId op);

/// Warns (PLAN0766) of each such type that applies to no value that a collective moves. The program is at level comm.
void warnOfIdleWireTypes(const ir::Program& program, DiagnosticEngine& diagnostics);

} // namespace planc::passes
