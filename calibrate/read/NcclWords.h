// The names of programs and element types in nccl-tests: vocabulary/nccl.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/samples/Formula.h"
#include "calibrate/samples/Vocabulary.h"

namespace planc::calibrate {

/// A program of nccl-tests.
struct NcclProgram {
  std::string name; ///< without `_perf`
  ir::CollectiveKind collective;
  Formula bus; ///< bus bandwidth / algorithm bandwidth, for n ranks
};

struct NcclWords {
  TypeWords types;
  std::vector<NcclProgram> programs;
  std::vector<std::string> others; ///< programs whose collectives planc does not model
};
/// Parses `nccl.json`.
NcclWords ncclWords(std::string_view text);

} // namespace planc::calibrate
