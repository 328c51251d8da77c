// Output text that is printed only when it is complete: the whole text or, after an internal error, nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/words/Console.h"
#include "support/files/Files.h"

#include <optional>
#include <string>
#include <string_view>

namespace planc::driver {

/// Keeps a few megabytes in memory. More text goes to a nameless file in the temporary folder (TMPDIR), or stays in
/// memory if that folder has no room.
class Spool {
public:
  void add(std::string_view text);
  bool empty() const { return stored_ == 0 && held_.empty(); }
  /// Count of bytes in the file.
  size_t stored() const { return stored_; }
  /// Writes the whole text in order. Call it once.
  void print(Console& console) const;

private:
  void store();
  std::optional<Descriptor> file_;
  size_t stored_ = 0;
  bool full_ = false; ///< the file accepts no more text
  std::string held_;  ///< text after what is stored in the file
};

} // namespace planc::driver
