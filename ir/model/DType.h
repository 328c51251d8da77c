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
  fp8_block ///< fp8 with its scale: of the tensor, of each row, of 128 elements
};

/// Bytes per element as stored, its part of the block's scales included (fp4: one half). tf32 is stored as fp32.
double width(DType t);
/// The type whose products a device runs for operands of this one: mxfp8 runs as fp8, nvfp4 and mxfp4 as fp4.
DType arithmetic(DType t);
/// Only stored: unpacked to another type before anything computes with it (nf4, int4).
bool isStorageOnly(DType t);
/// fp8 or fp4 with a way to scale it: not every device multiplies every one.
bool isRecipe(DType t);
/// How often a cast to it reads its operand: twice where the largest element of the whole tensor must be known first.
int castReads(DType t);
std::string_view name(DType t);
std::optional<DType> parseDType(std::string_view text);
const std::vector<DType>& allDTypes();
bool isFloat(DType t);

} // namespace planc::ir
