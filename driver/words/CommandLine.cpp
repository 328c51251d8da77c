// Parses the command line with CLI11, checks it against the command tables, and suggests corrections of unknown words.
// SPDX-License-Identifier: Apache-2.0
#include "api/Compilation.h"
#include "driver/recipes/RecipeWords.h"
#include "driver/words/Command.h"
#include "driver/words/Help.h"
#include "support/text/Spelling.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <deque>

namespace planc::driver {
namespace {

/// The CLI11 application that is built from the tables, and the parsed values.
class Parser {
  CLI::App app_{"planc", "planc"};
  struct Slot {
    const Command* command = nullptr; ///< null: an option of planc itself
    const Option* option = nullptr;
    CLI::Option* parsed = nullptr;
  };
  std::deque<Slot> slots_;
  std::map<const Command*, std::vector<std::string>> positional_;
  std::map<const Command*, CLI::App*> apps_;
  std::vector<std::string> before_, afterDashes_; ///< words before and after `--`

  void addOption(CLI::App& app, const Command* command, const Option& option) {
    std::string name(option.name == "--help" ? "-h,--help" : option.name);
    CLI::Option* parsed = option.isSwitch() ? app.add_flag(name) : app.add_option(name)->expected(1);
    parsed->multi_option_policy(option.repeats == kOnce ? CLI::MultiOptionPolicy::TakeLast
                                                        : CLI::MultiOptionPolicy::TakeAll);
    slots_.push_back({command, &option, parsed});
  }

public:
  Parser() {
    app_.set_help_flag();
    app_.allow_extras();
    app_.add_flag("--version");
    for (const Option& option : commonOptions()) addOption(app_, nullptr, option);
    for (const Command* command : commands()) {
      CLI::App* sub = app_.add_subcommand(std::string(command->name));
      apps_[command] = sub;
      for (const Option& option : command->options) addOption(*sub, command, option);
      for (const Option& option : commonOptions()) addOption(*sub, command, option);
      sub->add_option("arguments", positional_[command])->expected(0, -1);
    }
    app_.require_subcommand(0, 1);
  }

  /// Parses the line. Words after `--` are no options.
  void parse(int argc, char** argv) {
    char** end = std::find(argv + 1, argv + argc, std::string_view("--"));
    before_.assign(argv + 1, end);
    for (char** word = end; word < argv + argc; ++word)
      if (word != end) afterDashes_.emplace_back(*word);
    app_.parse(static_cast<int>(end - argv), argv);
  }
  const std::vector<std::string>& before() const { return before_; }
  bool version() const { return app_.count("--version") > 0; }

  const Command* command() const {
    for (const auto& [command, sub] : apps_)
      if (sub->parsed()) return command;
    return nullptr;
  }

  /// Returns the words that fit nowhere.
  std::vector<std::string> unknown() const { return app_.remaining(true); }

  /// Returns options given anywhere on the line, and the defaults of options with choices.
  Arguments arguments(const Command* command) const {
    Arguments result;
    if (command) result.positional = positional_.at(command);
    result.positional.insert(result.positional.end(), afterDashes_.begin(), afterDashes_.end());
    for (const Slot& slot : slots_) {
      if (slot.command && slot.command != command) continue;
      std::string name(slot.option->name);
      if (slot.parsed->count() > 0) {
        result.said.insert(name);
        std::vector<std::string>& values = result.values[name];
        values.clear();
        for (const std::string& value : slot.parsed->results())
          if (slot.option->repeats != kEach || std::find(values.begin(), values.end(), value) == values.end())
            values.push_back(value);
      } else if (!slot.option->choices.empty()) {
        result.values.emplace(name, std::vector{std::string(slot.option->choices[0])});
      }
    }
    return result;
  }
};

std::vector<std::string> optionNames(const Command* command) {
  std::vector<std::string> names;
  for (const Option& option : commonOptions()) names.emplace_back(option.name);
  if (!command) names.emplace_back("--version");
  if (command)
    for (const Option& option : command->options) names.emplace_back(option.name);
  return names;
}

int unknownWord(Console& console, const Command* command, const std::string& word) {
  if (word.size() > 1 && word[0] == '-') {
    std::string name = word.substr(0, word.find('='));
    std::string of = command ? " of `planc " + std::string(command->name) + "`" : "";
    std::string list = command ? "planc " + std::string(command->name) + " --help" : "planc --help";
    return console.usageError("unknown option `" + name + "`" + of,
                              didYouMean(name, optionNames(command), "`" + list + "` lists them"));
  }
  return console.usageError("unknown command `" + word + "`",
                            didYouMean(word, commandNames(), "`planc --help` lists them"));
}

/// Returns the first code other than 0 that `check` returns for a common option or an option of the command; else 0.
template <class Check> int checkEach(const Command* command, Check check) {
  for (const Option& option : commonOptions())
    if (int code = check(option)) return code;
  if (command)
    for (const Option& option : command->options)
      if (int code = check(option)) return code;
  return 0;
}

/// Reports a word that is not among the choices; returns 0 if it is.
int checkChoice(Console& console, const std::string& what, const std::string& word,
                const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), word) != choices.end()) return 0;
  return console.usageError(what + " cannot be `" + word + "`",
                            didYouMean(word, choices, "it is one of " + quotedList(choices)));
}

/// Reports an option value that is not among its choices; returns 0 if there is none.
int checkChoices(Console& console, const Command* command, const Arguments& arguments) {
  auto check = [&](const Option& option) {
    auto value = arguments.value(option.name);
    if (option.choices.empty() || !value) return 0;
    return checkChoice(console, "`" + std::string(option.name) + "`", *value,
                       {option.choices.begin(), option.choices.end()});
  };
  return checkEach(command, check);
}

/// Reports an option that accepts one value and has several; returns 0 if there is none.
int checkOnce(Console& console, const Command* command, const Arguments& arguments) {
  auto check = [&](const Option& option) {
    const std::vector<std::string>& values = arguments.all(option.name);
    if (option.repeats != kOnce || option.isSwitch() || values.size() < 2) return 0;
    return console.usageError("`" + std::string(option.name) + "` takes one value, not both `" + values[0] + "` and `" +
                                  values[1] + "`",
                              "remove one of them");
  };
  return checkEach(command, check);
}

/// Reports a switch with a value, which CLI11 would accept as the switch; returns 0 if there is none.
int checkSwitches(Console& console, const Command* command, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    const auto isIt = [&](const Option& option) { return option.isSwitch() && option.name == name ? 1 : 0; };
    if (name.size() < word.size() && (name == "--version" || checkEach(command, isIt)))
      return console.usageError("`" + name + "` takes no value; this is `" + word.substr(name.size() + 1) + "`",
                                "write it without a value to turn it on");
  }
  return 0;
}

int checkPositionals(Console& console, const Command& command, const Arguments& arguments) {
  size_t least = 0, most = 0, given = arguments.positional.size();
  for (const Positional& p : command.arguments) {
    least += p.least;
    most += p.most;
  }
  std::string usage = usageLine(command);
  if (given < least) {
    std::string_view missing = command.arguments[std::min(given, command.arguments.size() - 1)].name;
    const bool words = std::any_of(command.options.begin(), command.options.end(),
                                   [](const Option& option) { return option.name == kModelOption.name; });
    return console.usageError("`planc " + std::string(command.name) + "` needs a " + std::string(missing),
                              usage + (words ? ", or `--model NAME --cluster NAME` instead" : ""));
  }
  if (given > most)
    return console.usageError(
        "`planc " + std::string(command.name) + "` does not take `" + arguments.positional[most] + "`", usage);
  size_t at = 0;
  for (const Positional& p : command.arguments)
    for (const size_t end = std::min(given, at + p.most); at < end; ++at) {
      if (!p.choices) continue;
      const std::string what = std::string(p.name) + " of `planc " + std::string(command.name) + "`";
      if (int code = checkChoice(console, what, arguments.positional[at], p.choices())) return code;
    }
  return 0;
}

int dispatch(Console& console, const Parser& parser) {
  const Command* command = parser.command();
  Arguments arguments = parser.arguments(command);
  if (auto unknown = parser.unknown(); !unknown.empty()) return unknownWord(console, command, unknown.front());
  if (int code = checkSwitches(console, command, parser.before())) return code;
  if (int code = checkChoices(console, command, arguments)) return code;
  if (int code = checkOnce(console, command, arguments)) return code;
  console.setColor(*arguments.value("--color"));
  console.setDiagnosticFormat(*arguments.value("--diagnostics"));
  std::optional<WarningRules> rules = warningRules(console, arguments);
  if (!rules) return kUsage;
  console.setWarningRules(std::move(*rules));
  if (arguments.has("--help")) {
    console.out(command ? commandHelp(*command) : programHelp());
    return kClean;
  }
  if (parser.version()) {
    console.out(versionText());
    return kClean;
  }
  if (!command) {
    console.remark(programHelp());
    return kUsage;
  }
  if (arguments.has("--verify") || std::getenv("PLANC_VERIFY")) api::verifyPasses();
  if (int code = takeWords(console, *command, arguments)) return code;
  if (int code = checkPositionals(console, *command, arguments)) return code;
  return command->run(console, arguments);
}

} // namespace

int runCommandLine(int argc, char** argv) {
  Console console;
  Parser parser;
  try {
    parser.parse(argc, argv);
  } catch (const CLI::ArgumentMismatch& e) {
    std::string text = e.what();
    return console.usageError("`" + text.substr(0, text.find(':')) + "` needs a value");
  } catch (const CLI::ParseError& e) {
    return console.usageError(e.what());
  }
  int code = dispatch(console, parser);
  if (!console.finish()) return console.usageError("standard output cannot be written");
  return code;
}

} // namespace planc::driver
