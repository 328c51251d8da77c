// The table of readers.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/Readers.h"

#include <array>

namespace planc::calibrate {

std::span<const Reader> readers() {
  static constexpr std::array<Reader, 5> kTable{{
      {"kineto", "traces of PyTorch's profiler, with shapes", isKinetoTrace, readKinetoTrace},
      {"planc-csv", "the schema of docs/calibrate.md", isPlancCsv, readPlancCsv},
      {"nccl-tests", "what all_reduce_perf and its siblings print", isNcclTests, readNcclTests},
      {"regressor-models", "lists of models that other tools fitted: no samples", isModelList, skipModelList},
      {"regressor-tables", "PART_function_fp16.csv of estimate-train-time", isRegressorTable, readRegressorTable},
  }};
  return kTable;
}

bool readSamples(const SampleFile& file, Samples& out, DiagnosticEngine& diagnostics) {
  for (const Reader& reader : readers())
    if (reader.recognises(file)) {
      reader.read(file, out, diagnostics);
      return true;
    }
  return false;
}

} // namespace planc::calibrate
