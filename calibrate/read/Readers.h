// The table of sample formats: one row per format. A reader is one file and one row in Readers.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/samples/Sample.h"
#include "support/Diagnostics.h"

namespace planc::calibrate {

/// A file on its way in; `sources` holds its text under `id`, so that a range of bytes in it has a line.
struct SampleFile {
  FileId id;
  std::string path;
  std::string_view text;
};

/// `recognises` looks at the path and the first lines only. `read` adds series and samples, and reports what is wrong
/// with a place in the file; it never throws, whatever the bytes are.
struct Reader {
  std::string_view format; ///< `planc-csv`
  std::string_view about;  ///< one line for people
  bool (*recognises)(const SampleFile& file);
  void (*read)(const SampleFile& file, Samples& out, DiagnosticEngine& diagnostics);
};

/// In the order in which they are asked: the first that recognises a file reads it.
std::span<const Reader> readers();
/// Reads a file with the reader that recognises it. False if there is none: nothing is reported then.
bool readSamples(const SampleFile& file, Samples& out, DiagnosticEngine& diagnostics);

// The readers, each in the file of its name.
bool isPlancCsv(const SampleFile& file);
void readPlancCsv(const SampleFile& file, Samples& out, DiagnosticEngine& diagnostics);
bool isNcclTests(const SampleFile& file);
void readNcclTests(const SampleFile& file, Samples& out, DiagnosticEngine& diagnostics);
bool isKinetoTrace(const SampleFile& file);
void readKinetoTrace(const SampleFile& file, Samples& out, DiagnosticEngine& diagnostics);
bool isRegressorTable(const SampleFile& file);
void readRegressorTable(const SampleFile& file, Samples& out, DiagnosticEngine& diagnostics);
bool isModelList(const SampleFile& file);
void skipModelList(const SampleFile& file, Samples& out, DiagnosticEngine& diagnostics);

} // namespace planc::calibrate
