// Prices of compute nodes: one row per operator kind with its equation.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/price/Pricing.h"
#include "support/Memo.h"

#include <optional>
#include <span>

namespace planc::cost {

/// A row of the operator table.
struct OperatorEquation {
  ir::OpKind kind;
  Priced (*price)(const Pricing& pricing);
};
/// The table: one row per ir::OpKind, in the order of the enumeration.
std::span<const OperatorEquation> operatorEquations();

/// Prices one execution of a compute or copy node.
Priced priceNode(const Pricing& pricing);

// The equations and the files that hold them.
Priced gemm(const Pricing& pricing);           // Contractions.cpp
Priced groupedGemm(const Pricing& pricing);    // Contractions.cpp
Priced scoresProduct(const Pricing& pricing);  // Attention.cpp: kinds scores and context
Priced fusedAttention(const Pricing& pricing); // Attention.cpp
Priced memoryOperator(const Pricing& pricing); // MemoryOperators.cpp: also permute
Priced lookup(const Pricing& pricing);         // MemoryOperators.cpp
Priced cast(const Pricing& pricing);           // MemoryOperators.cpp
Priced accumulate(const Pricing& pricing);     // MemoryOperators.cpp: by role
Priced copy(const Pricing& pricing);           // MemoryOperators.cpp: by node kind

/// Returns the rate P · e of a type in FLOP/s, peak times efficiency, at the clocks of long training
/// (docs/cost-model.md, section 1.1). `flops`: size of the product, for an efficiency that depends on the size.
Term productRate(const Pricing& pricing, ir::DType type, Size flops);

/// Returns factor · (bytes / (efficiency · B · rate) + start), the price of every operator bound by memory
/// (docs/cost-model.md, section 1.2). `rate`: the rate of its kernel over what the equation says; `factor`: backward
/// over forward.
Priced memoryTime(const Pricing& pricing, const Term& bytes, const Term& rate = 1, const Term& factor = 1);

/// Returns the rate that the stack states for the operator's own kernel, over the rate of the operator's equation; 1 if
/// it states none.
Term kernelRate(const Pricing& pricing);
/// Returns backward over forward as the stack states it for the operator's own kernel; nothing if it states none.
std::optional<Term> kernelRatio(const Pricing& pricing);

/// Returns the bytes that work reads and writes, as two named numbers.
Term readsAndWrites(const Pricing& pricing, const ir::LocalWork& work);

/// Returns whether the price depends on more of the program than `readByOperator` holds: true for nodes that add to a
/// parameter's gradient.
bool readsProgram(const ir::Node& node);
/// Returns everything in a compute or copy node on which its price depends. If the facts are equal, nodes whose reads
/// are equal have equal prices.
Reads readByOperator(const Pricing& pricing);

/// Returns the sizes of the forward node of the same operator in the same class. Operators whose backward time is a
/// multiple of the forward time need them. Returns the node's own work if the program holds no forward node.
const ir::LocalWork& forwardWork(const Pricing& pricing);

} // namespace planc::cost
