// What is expected of routed dimensions, which need not be whole: 1.5 tokens per expert. `Dim::extent` of one is what a
// shape shows; work, bytes and shares are made of the numbers here.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/model/Model.h"

#include <vector>

namespace planc::ir {

struct ProgramHead;

/// Elements along a dim: its extent; of a routed one scale · Π sizes of its parts, where what is whole but for rounding
/// is whole.
double sizeOf(const Model& model, const Dim& dim);
double sizeOf(const Model& model, DimId dim);

/// FLOPs of one evaluation of an operator, masks aside, with its operands in the types in which they stand.
double flopsOf(const ProgramHead& program, const Op& op);
/// The same, less what scores and context compute between packed documents and mask: the work of the model.
double modelFlopsOf(const ProgramHead& program, const Op& op);

/// The whole part of a size, at least 1.
int64_t wholeExtent(double size);

/// What is expected of a value with these dims over the product of their extents: 1 unless a routed one is not whole.
double overExtents(const Model& model, const std::vector<DimId>& dims);

} // namespace planc::ir
