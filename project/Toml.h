// TOML as plain data, each value and each name with its place.
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
  std::string text; ///< of a text, without its quotes
  bool truth = false;
  std::vector<TomlValue> items;    ///< of a list
  std::vector<TomlMember> members; ///< of a table, in the order of the file
  SourceRange range;

  /// `a text`, `a list`.
  std::string kindName() const;
};

struct TomlMember {
  std::string name;
  SourceRange range; ///< of the name
  TomlValue value;
};

/// What a text is not understood for.
struct TomlMistake {
  std::string reason;
  SourceRange range;
};

/// A text as TOML writes it, in quotes.
std::string tomlText(std::string_view text);
/// The root table of a file, or nothing and why.
std::optional<TomlValue> parseToml(const SourceManager& sources, FileId file, TomlMistake& mistake);

} // namespace planc::project
