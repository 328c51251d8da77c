// The table of element types.
// SPDX-License-Identifier: Apache-2.0
#include "ir/DType.h"

#include <array>

namespace planc::ir {

namespace {

struct Row {
  DType type;
  std::string_view name;
  double width;
  bool isFloat;
};

/// In the order of the enumeration.
constexpr std::array<Row, 12> kRows{{
    {DType::fp64, "fp64", 8, true},
    {DType::fp32, "fp32", 4, true},
    {DType::tf32, "tf32", 4, true},
    {DType::fp16, "fp16", 2, true},
    {DType::bf16, "bf16", 2, true},
    {DType::fp8, "fp8", 1, true},
    {DType::fp4, "fp4", 0.5, true},
    {DType::int64, "int64", 8, false},
    {DType::int32, "int32", 4, false},
    {DType::int16, "int16", 2, false},
    {DType::int8, "int8", 1, false},
    {DType::boolean, "bool", 1, false},
}};

const Row& row(DType t) {
  return kRows[static_cast<size_t>(t)];
}

} // namespace

double width(DType t) {
  return row(t).width;
}

std::string_view name(DType t) {
  return row(t).name;
}

bool isFloat(DType t) {
  return row(t).isFloat;
}

std::optional<DType> parseDType(std::string_view text) {
  for (const Row& r : kRows)
    if (r.name == text) return r.type;
  return std::nullopt;
}

const std::vector<DType>& allDTypes() {
  static const std::vector<DType> all = [] {
    std::vector<DType> types;
    for (const Row& r : kRows) types.push_back(r.type);
    return types;
  }();
  return all;
}

} // namespace planc::ir
