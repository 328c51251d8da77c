// Defines a command of planc: its name, its options as data, and the function that runs it. Each command has its own
// file and a row in Commands.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/words/Console.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace planc::driver {

/// How often an option with a value may be given.
enum Repeat : uint8_t {
  kOnce,
  kEach, ///< several times, as a set: repeated values count once
  kLines ///< several times, as lines of the plan, whose conflicts are reported like those of plan text
};

/// An option of a command. An option without a value is a switch.
struct Option {
  std::string_view name;  ///< `--format`
  std::string_view value; ///< name of its value in the help: `NAME`; empty for a switch, or if there are choices
  std::vector<std::string_view> choices; ///< the allowed values, the default first
  std::string_view help;
  Repeat repeats = kOnce;
  unsigned use = 0;            ///< for a command with several forms: bits of the forms that it goes with
  std::string_view needs = {}; ///< another option that it requires
  bool isSwitch() const { return value.empty() && choices.empty(); }
};

/// No limit on the count of positional arguments.
inline constexpr size_t kMany = 1u << 20;

/// A positional argument.
struct Positional {
  std::string_view name; ///< `FILE`
  size_t least = 0;
  size_t most = 0;
  std::string_view help;
  std::vector<std::string> (*choices)() = nullptr; ///< the allowed words; null: any word
};

/// A command line, parsed and checked against the command's tables.
class Arguments {
public:
  std::vector<std::string> positional;
  std::map<std::string, std::vector<std::string>, std::less<>> values; ///< by option, in the order of the line
  std::set<std::string, std::less<>> said;                             ///< options given on the line
  std::optional<std::string>
      text; ///< content of the first file, if options name a plan in its place (recipes/RecipeWords.h)

  /// Returns whether the option is on the line. Defaults do not count.
  bool given(std::string_view option) const { return said.count(option) != 0; }
  /// Returns whether an option has a value or is a given switch.
  bool has(std::string_view option) const { return values.count(option) != 0; }
  /// Returns the last value given, or the default of an option with choices.
  std::optional<std::string> value(std::string_view option) const {
    auto it = values.find(option);
    return it == values.end() || it->second.empty() ? std::nullopt : std::optional(it->second.back());
  }
  /// Returns all values of a repeatable option in the order of the line; without duplicates for `kEach`.
  const std::vector<std::string>& all(std::string_view option) const {
    static const std::vector<std::string> kNone;
    auto it = values.find(option);
    return it == values.end() ? kNone : it->second;
  }
};

struct Command {
  std::string_view name;
  std::string_view summary;          ///< one line
  std::vector<Positional> arguments; ///< for the help; all go to `Arguments::positional` in order
  std::vector<Option> options;
  std::string_view example; ///< an example command line
  int (*run)(Console& console, const Arguments& arguments);
  bool searches = false; ///< uses the choices of the plan's `search` block
};

/// All commands, in the order of the help.
const std::vector<const Command*>& commands();
/// The options that every command accepts.
const std::vector<Option>& commonOptions();

/// Parses the command line and runs the command; returns the exit code.
int runCommandLine(int argc, char** argv);

} // namespace planc::driver
