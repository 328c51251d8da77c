// Expected sizes of routed dimensions, which need not be whole: 1.5 tokens per expert. `Dim::extent` is the rounded
// size that shapes show; work, bytes and shares are computed from the sizes here.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/model/Model.h"

#include <vector>

namespace planc::ir {

struct ProgramHead;

/// Elements along a dim: its extent. For a routed dim: scale · Π sizes of its parts, rounded if it differs from a whole
/// number only by floating-point error. For a pooled dim: scale · size of its part, rounded up.
double sizeOf(const Model& model, const Dim& dim);
double sizeOf(const Model& model, DimId dim);

/// FLOPs of one evaluation of an operator without masks, with its operands in their current types.
double flopsOf(const ProgramHead& program, const Op& op);
/// The FLOPs of the model: `flopsOf` without the pairs of different packed documents, which scores and context compute
/// and then mask, and without the slots that a capacity factor above 1 adds to those of balanced routing.
double modelFlopsOf(const ProgramHead& program, const Op& op);

/// The whole part of a size, at least 1.
int64_t wholeExtent(double size);

/// Expected elements of a value with these dims, divided by the product of their extents: 1 if every routed dim has a
/// whole size.
double overExtents(const Model& model, const std::vector<DimId>& dims);

/// Returns the expected load of the busiest of `devices` over the mean, if each holds as many of `experts` whose loads
/// have this Gini coefficient (below 1). Loads are taken as lognormal, Gini = erf(σ/2), and a device's as the mean of a
/// sample without replacement; the largest is that of normal samples (Blom, Statistical Estimates and Transformed Beta
/// Variables, 1958). At most `devices`, all load on one.
double busiestLoad(double gini, double experts, double devices);

} // namespace planc::ir
