// Runs `check` or `test` on files with several threads, and handles files that cannot be read and wrong options.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/check/CheckOutputs.h"
#include "driver/files/InputFile.h"
#include "driver/files/Parallel.h"

#include <string>
#include <utility>

namespace planc::driver {

/// The result for one file that all commands share; each command derives its own result from it.
struct ReadFile {
  std::string unreadable; ///< why the file or one that it needs cannot be read; empty if it can
  bool set = true;        ///< `--set` was understood
  std::string refused;    ///< why an output may not be written after reading this file; empty if it may
  Inputs inputs;

  /// Stores the inputs of the file when it has been processed.
  void close(const InputFile& file, const CheckOutputs& outputs) {
    inputs.add(file.sources(), file.shownPath());
    refused = outputs.refused(file.sources());
  }
};

/// The result for all files.
struct ReadFiles {
  int stopped = kClean;    ///< exit code if there is no result
  bool set = true;         ///< `--set` was understood; otherwise the result ends at this file
  bool unreadable = false; ///< at least one file cannot be read
  Inputs inputs;
};

/// `work(i)` makes a `File`, which derives from ReadFile, on any thread. `use(file)` takes the files that were read, in
/// order, on the calling thread. A file that cannot be read is reported, and the rest is processed. Errors in `--set`
/// and `--output` concern all files, so the first file that shows one is the last.
template <class File, class Work, class Use>
ReadFiles readFiles(Console& console, size_t count, size_t jobs, Work work, Use use) {
  ReadFiles out;
  Ordered<File>(count, jobs).run(work, [&](File file) {
    if (!file.unreadable.empty()) {
      console.usageError(file.unreadable);
      return out.unreadable = true;
    }
    out.inputs.add(file.inputs);
    out.set = file.set;
    const std::string refused = std::move(file.refused);
    use(std::move(file));
    if (out.set && !refused.empty()) out.stopped = console.usageError("`--output` is refused: " + refused);
    return out.set && out.stopped == kClean;
  });
  return out;
}

} // namespace planc::driver
