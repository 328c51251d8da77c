// The price of compute nodes: one row per operator kind, each with its equation.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/price/Pricing.h"
#include "support/Memo.h"

#include <span>

namespace planc::cost {

/// A row of the operator table.
struct OperatorEquation {
  ir::OpKind kind;
  Priced (*price)(const Pricing& pricing);
};
/// One row per ir::OpKind, in its order.
std::span<const OperatorEquation> operatorEquations();

/// Prices a compute or copy node: one execution.
Priced priceNode(const Pricing& pricing);

// The equations, by file.
Priced gemm(const Pricing& pricing);           // Contractions.cpp
Priced groupedGemm(const Pricing& pricing);    // Contractions.cpp
Priced scoresProduct(const Pricing& pricing);  // Attention.cpp: kinds scores and context
Priced fusedAttention(const Pricing& pricing); // Attention.cpp
Priced memoryOperator(const Pricing& pricing); // MemoryOperators.cpp: also permute
Priced lookup(const Pricing& pricing);         // MemoryOperators.cpp
Priced cast(const Pricing& pricing);           // MemoryOperators.cpp
Priced accumulate(const Pricing& pricing);     // MemoryOperators.cpp: by role
Priced copy(const Pricing& pricing);           // MemoryOperators.cpp: by node kind

/// P · e of a type, at the clocks that long training leaves (docs/cost-model.md, section 1.1). `flops`: of the product,
/// where efficiency goes by them.
Term productRate(const Pricing& pricing, ir::DType type, Size flops);

/// bytes / (efficiency · B) + start: what every operator bound by memory costs (docs/cost-model.md, section 1.2).
Priced memoryTime(const Pricing& pricing, const Term& bytes);

/// Does its price depend on more of the program than `readByOperator` holds? It adds to a parameter's gradient.
bool readsProgram(const ir::Node& node);
/// All of a compute or copy node that its price depends on otherwise: nodes of which this is the same cost the same
/// with the same facts.
Reads readByOperator(const Pricing& pricing);

/// The sizes of the forward node of the same operator in the same class: the backward of kinds priced by a factor on
/// the forward time depends on them. The node's own work if the program holds no forward node.
const ir::LocalWork& forwardWork(const Pricing& pricing);

} // namespace planc::cost
