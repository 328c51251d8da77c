// Element types and their widths.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string_view>
#include <vector>

namespace planc::ir {

enum class DType { fp64, fp32, tf32, fp16, bf16, fp8, fp4, int64, int32, int16, int8, boolean };

/// Bytes per element (fp4: one half). tf32 is stored as fp32.
double width(DType t);
std::string_view name(DType t);
std::optional<DType> parseDType(std::string_view text);
const std::vector<DType>& allDTypes();
bool isFloat(DType t);

} // namespace planc::ir
