// TOML as plain data, with the source range of each value and name.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Source.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planc::project {

struct TomlMember;

struct TomlValue {
  enum class Kind { Text, Number, Truth, Date, List, Table };
  Kind kind = Kind::Table;
  std::string text; ///< of a string, without quotes
  bool truth = false;
  std::vector<TomlValue> items;    ///< of a list
  std::vector<TomlMember> members; ///< of a table, in the order of the file
  SourceRange range;

  /// The kind for messages: `a text`, `a list`.
  std::string kindName() const;
};

struct TomlMember {
  std::string name;
  SourceRange range; ///< of the name
  TomlValue value;
};

/// Why a text is not valid TOML.
struct TomlMistake {
  std::string reason;
  SourceRange range;
};

/// A string in TOML syntax, with quotes.
std::string tomlText(std::string_view text);
/// The root table of a file. Returns nullopt, with the reason in `mistake`, if it is not valid TOML.
std::optional<TomlValue> parseToml(const SourceManager& sources, FileId file, TomlMistake& mistake);

} // namespace planc::project
