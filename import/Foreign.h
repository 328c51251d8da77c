// Files of other systems as plain data, with the source range of each value and name.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Diagnostics.h"
#include "support/Source.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planc::foreign {

struct ForeignMember;

/// A value of a foreign file.
struct ForeignValue {
  enum class Kind : uint8_t { Null, Truth, Number, Text, List, Table };
  Kind kind = Kind::Null;
  std::string text;                ///< of a text; of a number or truth as it is written
  double number = 0;               ///< of a number; may be infinite or NaN
  std::optional<int64_t> whole;    ///< of a number that is whole and fits
  std::vector<ForeignValue> items; ///< of a list
  std::vector<ForeignMember>
      members; ///< of a table, in the order of the file; names may repeat only where a reader says so
  SourceRange range;

  /// The kind for messages: `a text`, `a list`.
  std::string_view kindName() const;
  /// The value on one line for messages, shortened: `"silu"`, `[1, 2, …]`.
  std::string shown() const;
  /// The member with this name of a table; null if there is none.
  const ForeignValue* member(std::string_view name) const;
};

struct ForeignMember {
  std::string name;
  SourceRange range; ///< of the name
  ForeignValue value;
};

/// The value that a word of a command line or of a script stands for: a number, a truth, or a text.
ForeignValue valueOfWord(std::string word, SourceRange range);
/// A text on one line without control characters, shortened to `most` characters.
std::string oneLine(std::string_view text, size_t most = 60);

/// Reads a JSON file. Comments are warnings; a name that is given twice, too deep nesting, and everything that is not
/// JSON are errors with their place. `NaN` and `Infinity`, which Python writes, are numbers. Returns nullopt after an
/// error.
std::optional<ForeignValue> readJson(const SourceManager& sources, FileId file, DiagnosticEngine& found);
/// Reads a YAML file of one document, likewise. Anchors and aliases are expanded up to a limit.
std::optional<ForeignValue> readYaml(const SourceManager& sources, FileId file, DiagnosticEngine& found);
/// Reads a TOML file, likewise.
std::optional<ForeignValue> readToml(const SourceManager& sources, FileId file, DiagnosticEngine& found);

/// Reports a text that is not of its format.
void reportSyntax(DiagnosticEngine& found, SourceRange range, std::string_view format, std::string_view reason);
/// Reports the names that a table has twice: an error if the values differ, else a warning, and the second is removed.
/// Returns whether there are errors.
bool reportRepeats(ForeignValue& table, DiagnosticEngine& found);

/// The most levels of nesting and the most values of a file.
inline constexpr size_t kMostDepth = 64, kMostValues = 20'000;

} // namespace planc::foreign
