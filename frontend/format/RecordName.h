// How text that is added to a file names a record of another file.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Source.h"
#include "support/Symbol.h"

#include <optional>
#include <string>
#include <string_view>

namespace planc::format {

struct RecordName {
  std::string import; ///< the line that it needs; empty in the file of the record
  std::string name;   ///< as the file writes it then
};

/// The name in file `into` of a record that is declared at `declared`, imported as `alias` where that is elsewhere.
/// Nothing if its file does not export it, or there is no way from the one file to the other.
std::optional<RecordName> recordName(const SourceManager& sources, SourceRange declared, Symbol name, FileId into,
                                     std::string_view alias);

} // namespace planc::format
