// The equations of the table of algorithms, by file.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/price/collectives/Level.h"

namespace planc::cost {

// Transfers.cpp: one partner, or everybody with everybody.
/// Copies of a token that travel as one to a unit that holds several of its experts.
double copiesInOne(const Pricing& p);
/// How many of `units`, which hold its places in equal parts, the copies of a token reach in the mean: all over the
/// cluster, however they are grouped.
double distinctUnits(const Pricing& p, double units);
bool isTransfer(const Pricing& p, const Route& r);
double transfer(const Pricing& p, const Route& r);
bool isExchange(const Pricing& p, const Route& r);
double exchange(const Pricing& p, const Route& r);
/// Time that a direct exchange needs on the narrowest level: what leaves a unit goes over the links of its level.
/// `efficiencyAt` says what of the line rate is reached there.
double leavingTime(const Pricing& p, const Route& r, double (*efficiencyAt)(const Pricing&, const ir::Fabric&));

// Flat.cpp: the whole group as one.
bool isSampled(const Pricing& p, const Route& r);
double sampled(const Pricing& p, const Route& r);
bool isSampledAcross(const Pricing& p, const Route& r);
double sampledAcross(const Pricing& p, const Route& r);
bool isCard(const Pricing& p, const Route& r);
double card(const Pricing& p, const Route& r);
bool always(const Pricing& p, const Route& r);
double nominal(const Pricing& p, const Route& r);
bool isRing(const Pricing& p, const Route& r);
double ring(const Pricing& p, const Route& r);
bool isTree(const Pricing& p, const Route& r);
double tree(const Pricing& p, const Route& r);

// Hierarchical.cpp: level by level.
bool isHierarchical(const Pricing& p, const Route& r);
double hierarchical(const Pricing& p, const Route& r);

// Whole.cpp: as another collective that does more.
bool isReducedWhole(const Pricing& p, const Route& r);
double reducedWhole(const Pricing& p, const Route& r);

} // namespace planc::cost
