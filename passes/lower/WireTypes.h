// Types that hold while something travels: `precision { dispatch = fp8; combine.grad = fp8 }`.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"
#include "support/Diagnostics.h"

namespace planc::passes {

/// The operator that routes what travels: the one that made it, or else `op`, which it goes to; null if neither does.
const ir::Op* routerOf(const ir::Model& model, const ir::Traveller& what, ir::OpId op);

/// What the plan says of the type of what a reshard or collective of `op` moves: by the name of the operator that made
/// it, or else, of routed values, of the one that routes it. Null if the plan says nothing.
const ir::WireTypes::Said* wireTypeOf(const ir::ProgramHead& program, const ir::Traveller& what, ir::OpId op);

/// Warns (PLAN0766) of such a type where nothing that it speaks of travels; of a program at level comm.
void warnOfIdleWireTypes(const ir::Program& program, DiagnosticEngine& diagnostics);

} // namespace planc::passes
