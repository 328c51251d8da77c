// Lists the facts of a plan's machine and software by path, from the tables of their records.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/PlanFacts.h"

namespace planc::ir {

/// A number as text that is unique to it: with a unit and a readable prefix, followed by all digits if the prefixed
/// text is rounded.
std::string exactText(double value, const Unit& unit);
void addFacts(const Cluster& cluster, std::vector<PlanFact>& out);
void addFacts(const Stack& stack, std::vector<PlanFact>& out);

} // namespace planc::ir
