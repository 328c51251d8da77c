// What nccl-tests call their programs and element types: vocabulary/nccl.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/samples/Formula.h"
#include "calibrate/samples/Vocabulary.h"

namespace planc::calibrate {

/// A program of nccl-tests.
struct NcclProgram {
  std::string name; ///< without `_perf`
  ir::CollectiveKind collective;
  Formula bus; ///< bandwidth of the bus over that of the algorithm, for n ranks
};

struct NcclWords {
  TypeWords types;
  std::vector<NcclProgram> programs;
  std::vector<std::string> others; ///< programs whose collectives no plan has
};
/// Reads `nccl.json`.
NcclWords ncclWords(std::string_view text);

} // namespace planc::calibrate
