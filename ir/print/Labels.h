// Names for operators, dimensions and rows that the compiler itself creates.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Symbol.h"

namespace planc::ir::labels {

inline const Symbol kCarry("carry");    ///< the identity at both ends of a repeat
inline const Symbol kRepeats("layers"); ///< at the start of a selector: every repeat, unless a layer has this name
inline const Symbol kBoundaryReshard("(carry)"); ///< the report row of values carried between classes
inline const Symbol kCopies("copies");           ///< copies of an operator's values that software keeps
inline const Symbol kMaster("master");           ///< an optimizer's copy of a parameter, one of its states
inline const Symbol kCast("cast");      ///< before a product in a narrower type; stacks give its passes under this name
inline const Symbol kRank("lora_rank"); ///< the dimension of low-rank adapters
inline const Symbol kMatrixA("lora_a"); ///< their two parameters
inline const Symbol kMatrixB("lora_b");

} // namespace planc::ir::labels
