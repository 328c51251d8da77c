// Files that `check` and `test` work on by several threads: what each came to before its plans, and what that means for
// the command.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/check/CheckOutputs.h"
#include "driver/files/InputFile.h"
#include "driver/files/Parallel.h"

#include <string>
#include <utility>

namespace planc::driver {

/// A file without what it was worked on with; commands add what they found.
struct ReadFile {
  std::string unreadable; ///< why: itself, or what it needs
  bool set = true;        ///< what `--set` says can be read
  std::string refused;    ///< why an output may not be written beside it
  Inputs inputs;

  /// What is known of it when it has been worked on.
  void close(const InputFile& file, const CheckOutputs& outputs) {
    inputs.add(file.sources(), file.shownPath());
    refused = outputs.refused(file.sources());
  }
};

/// What all of them came to.
struct ReadFiles {
  int stopped = kClean;    ///< the exit code, where there is no result
  bool set = true;         ///< else the result ends at the file where that was wrong
  bool unreadable = false; ///< one of them
  Inputs inputs;
};

/// `work(i)` makes a `File`, which derives from ReadFile, on any thread; `use(file)` takes those that were read on this
/// one, in order. A file that cannot be read is told, and the others are worked on; `--set` and `--output` are said for
/// all of them, so that the first at which they are wrong is the last.
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
