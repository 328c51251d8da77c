// The name by which text that is added to a file refers to a record of another file.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Source.h"
#include "support/Symbol.h"

#include <optional>
#include <string>
#include <string_view>

namespace planc::format {

struct RecordName {
  std::string import; ///< the `import` line that is needed; empty in the record's own file
  std::string name;   ///< as used after that import
};

/// The name, in file `into`, of a record that is declared at `declared`. A record of another file is imported as
/// `alias`. Returns nullopt if its file does not export it, or if no import path leads to that file.
std::optional<RecordName> recordName(const SourceManager& sources, SourceRange declared, Symbol name, FileId into,
                                     std::string_view alias);

} // namespace planc::format
