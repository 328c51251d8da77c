// What storing states somewhere moves: collectives over the axes that split them, copies to and from the host.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"

#include <set>
#include <vector>

namespace planc::passes {

/// Do the host's processors update it? Not tables with an optimizer of their own, which are updated where they lie;
/// which ones they are is sized later.
bool runsOnHost(const ir::ProgramHead& program, const ir::ParamState& p);

/// Adds what the placed states of a class move, in passes and once per step. `wanted`: values with a gradient.
void moveStates(const ir::ProgramHead& program, ir::ClassHead& layerClass, const std::vector<bool>& wanted);

/// A virtual stage that lives on several devices, one per route: the gradients of its parameters are summed over them,
/// after the reductions between equal devices have left each its share. But for `summed`, which a group of stages sums.
void sumOverRoutes(ir::ProgramHead& program, const std::set<ir::ValueId>& summed);

} // namespace planc::passes
