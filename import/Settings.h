// What foreign fields say in planc's words: settings by name, each with its place in the foreign file.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "import/Foreign.h"
#include "import/Tables.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planc::foreign {

/// A field of a foreign file, or of `--set`.
struct ForeignField {
  std::string key; ///< as the format writes it: `num_hidden_layers`, `--num-layers`
  SourceRange range;
  const ForeignValue* value = nullptr;
};

struct Setting {
  std::string value; ///< plan text: a number, `true`, a word of a table; never foreign text
  SourceRange range; ///< of the foreign value; invalid if no field gave it
  std::string key;   ///< the foreign field, for messages
};

/// How many fields were used. Fields of several tables count once each.
struct FieldUse {
  size_t used = 0, ignored = 0;
  std::vector<std::string> unknown; ///< names on one line
  size_t total() const { return used + ignored + unknown.size(); }
};

/// Settings of one import.
class Settings {
public:
  void set(std::string_view name, Setting setting) { all_.insert_or_assign(std::string(name), std::move(setting)); }
  /// Sets a value that no field gave.
  void set(std::string_view name, std::string value) { set(name, Setting{std::move(value), {}, std::string(name)}); }
  void set(std::string_view name, int64_t value) { set(name, std::to_string(value)); }
  /// Sets a value unless the setting is given.
  void fallback(std::string_view name, std::string value) {
    if (!find(name)) set(name, std::move(value));
  }
  void erase(std::string_view name);
  const Setting* find(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }
  /// The value, or `otherwise`.
  std::string text(std::string_view name, std::string otherwise = {}) const;
  bool is(std::string_view name, std::string_view value) const { return text(name) == value; }
  /// The whole number; nullopt if it is not given or not a number.
  std::optional<int64_t> count(std::string_view name) const;
  int64_t count(std::string_view name, int64_t otherwise) const { return count(name).value_or(otherwise); }
  const std::map<std::string, Setting, std::less<>>& all() const { return all_; }

private:
  std::map<std::string, Setting, std::less<>> all_;
};

/// State of one import: where diagnostics go, and what was found.
struct Import {
  std::string_view format; ///< `megatron`
  SourceManager& sources;
  DiagnosticEngine& found;
  Settings settings{};
  FieldUse use{};
  std::vector<std::string> assumed{}; ///< what no file says, for the comment of the plan
  std::vector<std::string> left{};    ///< what was left out, likewise
  SourceRange whole{};                ///< the first file, for errors about something that is nowhere
  std::string name{};                 ///< of the model; made an identifier
  std::string prefix{};               ///< what stands before a key in the files: `--`

  /// Returns the diagnostic that a value of a field has no counterpart in plans.
  DiagnosticEngine::Builder lacks(std::string_view key, SourceRange range, std::string_view value,
                                  std::string_view why);
  /// Reports that a field was left out, and notes it for the comment of the plan.
  void leave(std::string_view key, SourceRange range, std::string_view value, std::string_view why);
  /// Reports that a field is missing. `help`: what to do; empty: give it by `--set`.
  void missing(std::string_view key, std::string_view what, std::string_view help = {});
  /// Reports that two fields contradict each other.
  void conflict(const Setting& a, const Setting& b, std::string_view why);
  /// Notes an assumption.
  void assume(std::string text) { assumed.push_back(std::move(text)); }
};

/// Reads fields by a table into settings. Fields whose values are null count as used and give nothing.
void takeFields(Import& import, const FieldTable& table, const std::vector<ForeignField>& fields);
/// The fields of a table value, one per member.
std::vector<ForeignField> fieldsOf(const ForeignValue& table);
/// Likewise, but members of tables in it are fields `section.name`.
std::vector<ForeignField> sectionFieldsOf(const ForeignValue& table);
/// The number of repetitions if the list has the form; nullopt otherwise.
std::optional<int64_t> repetitions(const ForeignValue& list, const ListPattern& pattern);
/// The values of a list as they are written.
std::vector<std::string> textsOf(const ForeignValue& list);

} // namespace planc::foreign
