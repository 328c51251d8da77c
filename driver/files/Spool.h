// Text that is printed when all of it is there, however much it is: in one piece or, after an error of planc, not at
// all.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/words/Console.h"
#include "support/files/Files.h"

#include <optional>
#include <string>
#include <string_view>

namespace planc::driver {

/// Keeps a few megabytes in memory. What is more waits in a nameless file of the folder for temporary files (TMPDIR);
/// where that has no room, in memory, too.
class Spool {
public:
  void add(std::string_view text);
  bool empty() const { return stored_ == 0 && held_.empty(); }
  /// Bytes that lie in the file.
  size_t stored() const { return stored_; }
  /// Writes all of it, in the order in which it came; once.
  void print(Console& console) const;

private:
  void store();
  std::optional<Descriptor> file_;
  size_t stored_ = 0;
  bool full_ = false; ///< the file takes no more
  std::string held_;  ///< comes behind what is stored
};

} // namespace planc::driver
