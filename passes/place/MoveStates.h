// Data movement that follows from where states are stored: collectives over the axes that split them, copies to and
// from the host.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"

#include <set>
#include <vector>

namespace planc::passes {

/// Returns whether the host updates the parameter. Tables with an optimizer of their own are updated where they lie;
/// size-tables finds them later.
bool runsOnHost(const ir::ProgramHead& program, const ir::ParamState& p);

/// Adds the collectives and copies of the placed states of a class, in passes and once per step. `wanted`: whether a
/// value has a gradient, by value.
void moveStates(const ir::ProgramHead& program, ir::ClassHead& layerClass, const std::vector<bool>& wanted);

/// Returns where the moves of states and their results are cached. Returns null for a schedule with several routes,
/// because gradients are then also summed over the routes.
Memos* memosOfMoves(const ir::ProgramHead& program);

/// Adds the gradient sums of virtual stages that several devices hold, one per route. The sum runs over these devices
/// after the reductions between equal devices have left each device its share. Storages in `summed` are left out,
/// because a group of stages sums them.
void sumOverRoutes(ir::ProgramHead& program, const std::set<ir::ValueId>& summed);

} // namespace planc::passes
