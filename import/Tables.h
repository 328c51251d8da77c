// The tables of foreign fields: each format has a file of `tables/` that says what a field means, which fields do not
// matter, and what planc cannot express. Tables are embedded; a mistake in one is a bug of planc, which tests find:
// std::logic_error.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace planc::foreign {

/// A list that must consist of `start`, repetitions of `cycle`, and `end`. Values are compared as they are written.
struct ListPattern {
  std::vector<std::string> start, cycle, end;
  bool cut = false;                         ///< the last repetition may be incomplete
  std::map<std::string, std::string> given; ///< settings that a list of this form has
};

/// The values that a field takes.
enum class Takes : uint8_t { Any, Count, Whole, Number, Truth, Not, Flag, Text };

/// What a field means.
struct FieldRow {
  std::string key;
  std::string as; ///< the setting that it gives; empty: none
  Takes takes = Takes::Any;
  std::map<std::string, std::string> words; ///< values and what the setting is then; others are lacking
  std::vector<std::string> only;            ///< values that need nothing; others are lacking
  std::vector<ListPattern> patterns;        ///< of a list, the first that fits; `as` is the number of repetitions
  std::string why;                          ///< what planc lacks for other values
  bool leaves = false;                      ///< such a value is left out, with a warning, and no error
  std::string value;                        ///< of a flag: the setting if it is on
};

/// The rows of a format or of one of its parts.
struct FieldTable {
  std::map<std::string, FieldRow, std::less<>> rows;
  std::vector<std::string> ignored; ///< keys that do not matter; `*` at the end or beginning stands for any text

  bool ignores(std::string_view key) const;
  const FieldRow* row(std::string_view key) const;
  /// Adds the rows of another table, which replace rows of the same keys.
  void add(const FieldTable& more);
};

/// A statement of a plan that a setting with a value causes.
struct StatementRow {
  std::string setting, value; ///< `*`: any value that is not the default
  std::string text;           ///< plan text with `{setting}` and `@path@`
};

/// A model or a recipe of the library, and the settings that it can express.
struct Target {
  std::string path;     ///< `std.models.llama.dense`
  std::string inside;   ///< path from a repeated layer to its parts: `.out`
  bool repeats = false; ///< further tokens are repeated layers, whatever their number
  std::vector<std::pair<std::string, std::string>> arguments; ///< parameters and their texts with `{setting}`
  std::map<std::string, std::vector<std::string>> when;       ///< settings that must have one of these values
  std::vector<std::string> present;                           ///< settings that must be given and not be the default
  std::vector<std::string> always; ///< parameters that are written even if they are the default
  std::vector<StatementRow> statements;
};

/// Targets, and the default of each setting that belongs to them; a null default means that there is none.
struct TargetTable {
  std::map<std::string, std::optional<std::string>, std::less<>> settings;
  std::vector<Target> targets;
};

/// Returns the embedded table `megatron.json`, ….
const nlohmann::json& tableFile(std::string_view name);
/// Reads the keys `rows` and `ignored` of an object.
FieldTable fieldTable(const nlohmann::json& object);
/// Reads the keys `settings` and `targets` of a table file.
TargetTable targetTable(std::string_view name);
/// Reads an object of texts.
std::map<std::string, std::string> textsOf(const nlohmann::json& object);

} // namespace planc::foreign
