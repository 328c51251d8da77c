// What a command of planc is: its words, its options as data, and the function that runs it. One command per file, one
// row each in Commands.cpp.
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

/// How often an option may be given, each time with a value.
enum Repeat : uint8_t {
  kOnce,
  kEach, ///< several times, for a set of things: one that is named again is none more
  kLines ///< several times, as lines of the plan: what is wrong with two of them is told as of its text
};

/// An option of a command. Without a `value` it is a switch.
struct Option {
  std::string_view name;  ///< `--format`
  std::string_view value; ///< how help names its value: `NAME`; empty for a switch and where there are choices
  std::vector<std::string_view> choices; ///< the values it may have; the first is the default
  std::string_view help;
  Repeat repeats = kOnce;
  unsigned use = 0;            ///< of a command that has several forms: those that it goes with, as bits
  std::string_view needs = {}; ///< another option, without which it means nothing
  bool isSwitch() const { return value.empty() && choices.empty(); }
};

/// As many as there are.
inline constexpr size_t kMany = 1u << 20;

/// What stands on the command line beside options.
struct Positional {
  std::string_view name; ///< `FILE`
  size_t least = 0;
  size_t most = 0;
  std::string_view help;
  std::vector<std::string> (*choices)() = nullptr; ///< the words it may be; null: any word
};

/// A command line, taken apart and checked against the command's tables.
class Arguments {
public:
  std::vector<std::string> positional;
  std::map<std::string, std::vector<std::string>, std::less<>> values; ///< by option, in the order of the line
  std::set<std::string, std::less<>> said;                             ///< options that stand on the line
  std::optional<std::string>
      text; ///< of the first file, where options name a plan in its place (recipes/RecipeWords.h)

  /// Stands it on the line? Defaults do not.
  bool given(std::string_view option) const { return said.count(option) != 0; }
  /// A switch that was given.
  bool has(std::string_view option) const { return values.count(option) != 0; }
  /// The value given, or the default of an option with choices.
  std::optional<std::string> value(std::string_view option) const {
    auto it = values.find(option);
    return it == values.end() || it->second.empty() ? std::nullopt : std::optional(it->second.back());
  }
  /// All values of an option that may be repeated, in the order of the line; of `kEach` each once.
  const std::vector<std::string>& all(std::string_view option) const {
    static const std::vector<std::string> kNone;
    auto it = values.find(option);
    return it == values.end() ? kNone : it->second;
  }
};

struct Command {
  std::string_view name;
  std::string_view summary;          ///< one line
  std::vector<Positional> arguments; ///< for help; all of them go to `Arguments::positional` in order
  std::vector<Option> options;
  std::string_view example; ///< one line that runs
  int (*run)(Console& console, const Arguments& arguments);
  bool searches = false; ///< the command goes over the choices of the plan's `search` block
};

/// Every command, in the order of the help.
const std::vector<const Command*>& commands();
/// Options that every command takes.
const std::vector<Option>& commonOptions();

/// Parses the command line and runs the command; returns the exit code.
int runCommandLine(int argc, char** argv);

} // namespace planc::driver
