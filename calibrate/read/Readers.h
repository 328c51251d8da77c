// The table of sample formats. Each reader has its own file and a row in Readers.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/samples/Sample.h"
#include "support/Diagnostics.h"

namespace planc::calibrate {

struct Trace;

/// A file that is read. `sources` holds its text under `id`, so that byte ranges can be reported.
struct SampleFile {
  FileId id;
  std::string path;
  std::string_view text;
};

/// One sample format. `recognises` looks at the path and the first lines only. `read` adds series and samples, and
/// reports errors at their place in the file. It never throws, whatever the bytes are.
struct Reader {
  std::string_view format; ///< `planc-csv`
  std::string_view about;  ///< one-line description
  bool (*recognises)(const SampleFile& file);
  void (*read)(const SampleFile& file, Samples& out, DiagnosticEngine& diagnostics);
};

/// All readers. The first one that recognises a file reads it.
std::span<const Reader> readers();
/// Reads a file with the reader that recognises it. Returns false, without a report, if no reader does.
bool readSamples(const SampleFile& file, Samples& out, DiagnosticEngine& diagnostics);

// The readers, each defined in the file of its name.
bool isPlancCsv(const SampleFile& file);
void readPlancCsv(const SampleFile& file, Samples& out, DiagnosticEngine& diagnostics);
bool isNcclTests(const SampleFile& file);
void readNcclTests(const SampleFile& file, Samples& out, DiagnosticEngine& diagnostics);
bool isKinetoTrace(const SampleFile& file);
void readKinetoTrace(const SampleFile& file, Samples& out, DiagnosticEngine& diagnostics);
/// Returns the events of a trace of PyTorch's profiler; nothing after a report that it cannot be read or has no
/// kernels.
std::optional<Trace> kinetoTrace(const SampleFile& file, DiagnosticEngine& diagnostics);
bool isRegressorTable(const SampleFile& file);
void readRegressorTable(const SampleFile& file, Samples& out, DiagnosticEngine& diagnostics);
bool isModelList(const SampleFile& file);
void skipModelList(const SampleFile& file, Samples& out, DiagnosticEngine& diagnostics);

} // namespace planc::calibrate
