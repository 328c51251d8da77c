// The facts of a plan's machine and software by path, off the tables of their records.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/PlanFacts.h"

namespace planc::ir {

/// A number as text that is no other number's: with a unit and a readable prefix, behind them all of its digits where
/// that does not say all.
std::string exactText(double value, const Unit& unit);
void addFacts(const Cluster& cluster, std::vector<PlanFact>& out);
void addFacts(const Stack& stack, std::vector<PlanFact>& out);

} // namespace planc::ir
