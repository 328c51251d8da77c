// Element types and their widths.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string_view>
#include <vector>

namespace planc::ir {

enum class DType {
  fp64,
  fp32,
  tf32,
  fp16,
  bf16,
  fp8,
  fp4,
  int64,
  int32,
  int16,
  int8,
  boolean,
  mxfp8,
  mxfp4,
  nvfp4,
  nf4,
  int4, ///< one scale per block of elements
  fp8_tensor,
  fp8_row,
  fp8_block ///< fp8 with its scale: per tensor, per row, per 128 elements
};

/// Bytes per element as stored, including its share of the block's scales (fp4: one half). tf32 is stored as fp32.
double width(DType t);
/// The type in which a device multiplies operands of type `t`: mxfp8 as fp8, nvfp4 and mxfp4 as fp4.
DType arithmetic(DType t);
/// Storage-only types (nf4, int4) are unpacked to another type before anything computes with them.
bool isStorageOnly(DType t);
/// fp8 or fp4 with a way of scaling. A device may support only some of them.
bool isRecipe(DType t);
/// How often a cast to `t` reads its operand: twice if it needs the largest element of the whole tensor first.
int castReads(DType t);
std::string_view name(DType t);
std::optional<DType> parseDType(std::string_view text);
const std::vector<DType>& allDTypes();
bool isFloat(DType t);
/// Whole numbers and booleans: they have no gradient. int4 is none of these: it stores scaled numbers.
bool isInteger(DType t);

} // namespace planc::ir
