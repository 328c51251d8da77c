// The table of element types.
// SPDX-License-Identifier: Apache-2.0
#include "ir/model/DType.h"

#include <array>

namespace planc::ir {

namespace {

struct TypeRow {
  DType type;
  std::string_view name;
  double width;
  bool isFloat;
  DType arithmetic;
  bool recipe = false;
  int castReads =
      1; ///< fp8_tensor: 2, because the scale comes from the tensor itself (current scaling of TransformerEngine)
};

// Scales of blocks. Microscaling: one 8-bit exponent per 32 elements (OCP Microscaling Formats 1.0). NVFP4: one fp8
// scale per 16 elements; the scale of the whole tensor is negligible. NF4 with double quantisation: an 8-bit constant
// per 64 elements and an fp32 constant per 256 of these, 0.127 bits per parameter (arXiv 2305.14314, section 3).
// fp8_block: an fp32 scale per 128 elements (DeepSeek-V3, arXiv 2412.19437, section 3.3.2). fp8_row, fp8_tensor: an
// fp32 scale per row or tensor, negligible for rows of thousands of elements. int4: a 16-bit scale and a 4-bit zero
// point per group of 128 elements (GPTQ, arXiv 2210.17323, section 4, and AWQ, arXiv 2306.00978, section 5; g128 in
// both).
constexpr double kMicroscale = 1.0 / 32, kNvScale = 1.0 / 16, kNormalFloatScale = 1.0 / 64 + 4.0 / (64 * 256),
                 kTileScale = 4.0 / 128, kIntegerScale = (2 + 0.5) / 128;

/// In the order of the enumeration.
constexpr std::array<TypeRow, 20> kRows{{
    {DType::fp64, "fp64", 8, true, DType::fp64},
    {DType::fp32, "fp32", 4, true, DType::fp32},
    {DType::tf32, "tf32", 4, true, DType::tf32},
    {DType::fp16, "fp16", 2, true, DType::fp16},
    {DType::bf16, "bf16", 2, true, DType::bf16},
    {DType::fp8, "fp8", 1, true, DType::fp8},
    {DType::fp4, "fp4", 0.5, true, DType::fp4},
    {DType::int64, "int64", 8, false, DType::int64},
    {DType::int32, "int32", 4, false, DType::int32},
    {DType::int16, "int16", 2, false, DType::int16},
    {DType::int8, "int8", 1, false, DType::int8},
    {DType::boolean, "bool", 1, false, DType::boolean},
    {DType::mxfp8, "mxfp8", 1 + kMicroscale, true, DType::fp8, true},
    {DType::mxfp4, "mxfp4", 0.5 + kMicroscale, true, DType::fp4, true},
    {DType::nvfp4, "nvfp4", 0.5 + kNvScale, true, DType::fp4, true},
    {DType::nf4, "nf4", 0.5 + kNormalFloatScale, true, DType::nf4},
    {DType::int4, "int4", 0.5 + kIntegerScale, false, DType::int4},
    {DType::fp8_tensor, "fp8_tensor", 1, true, DType::fp8, true, 2},
    {DType::fp8_row, "fp8_row", 1, true, DType::fp8, true, 3},
    {DType::fp8_block, "fp8_block", 1 + kTileScale, true, DType::fp8, true},
}};

const TypeRow& row(DType t) {
  return kRows[static_cast<size_t>(t)];
}

} // namespace

double width(DType t) {
  return row(t).width;
}

DType arithmetic(DType t) {
  return row(t).arithmetic;
}

bool isRecipe(DType t) {
  return row(t).recipe;
}

int castReads(DType t) {
  return row(t).castReads;
}

bool isStorageOnly(DType t) {
  return t == DType::nf4 || t == DType::int4;
}

std::string_view name(DType t) {
  return row(t).name;
}

bool isFloat(DType t) {
  return row(t).isFloat;
}

bool isInteger(DType t) {
  return !isFloat(t) && !isStorageOnly(t);
}

std::optional<DType> parseDType(std::string_view text) {
  for (const TypeRow& r : kRows)
    if (r.name == text) return r.type;
  return std::nullopt;
}

const std::vector<DType>& allDTypes() {
  static const std::vector<DType> all = [] {
    std::vector<DType> types;
    for (const TypeRow& r : kRows) types.push_back(r.type);
    return types;
  }();
  return all;
}

} // namespace planc::ir
