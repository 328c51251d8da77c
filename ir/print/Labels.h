// Names that the compiler gives to what no plan names: operators and dimensions that it makes itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Symbol.h"

namespace planc::ir::labels {

inline const Symbol kCarry("carry");             ///< the identity at both ends of a repeat
inline const Symbol kRepeats("layers");          ///< in front of a selector: every repeat, where no layer is called so
inline const Symbol kBoundaryReshard("(carry)"); ///< the row of what is carried between classes
inline const Symbol kCopies("copies");           ///< what software keeps of an operator beside its values
inline const Symbol kMaster("master");           ///< an optimizer's copy of a parameter, among its states
inline const Symbol kCast("cast");      ///< before a product that computes narrower; stacks say its passes by this name
inline const Symbol kRank("lora_rank"); ///< the dimension of low-rank adapters
inline const Symbol kMatrixA("lora_a"); ///< their two parameters
inline const Symbol kMatrixB("lora_b");

} // namespace planc::ir::labels
