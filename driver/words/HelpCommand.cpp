// `planc help`: prints the help of one command or of the program.
// SPDX-License-Identifier: Apache-2.0
#include "driver/words/Commands.h"
#include "driver/words/Console.h"
#include "driver/words/Help.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::driver {
namespace {

struct HelpForm {
  std::string_view name;
  std::string (*ofProgram)();
  std::string (*ofCommand)(const Command&); ///< null: the form exists for the whole program only
};
constexpr HelpForm kForms[] = {
    {"text", programHelp, commandHelp}, {"man", programMan, commandMan},   {"bash", bashCompletion, nullptr},
    {"zsh", zshCompletion, nullptr},    {"fish", fishCompletion, nullptr},
};

std::vector<std::string_view> formNames() {
  std::vector<std::string_view> names;
  for (const HelpForm& form : kForms) names.push_back(form.name);
  return names;
}

int runHelp(Console& console, const Arguments& arguments) {
  const std::vector<std::string>& names = arguments.positional;
  const auto* form = std::find_if(std::begin(kForms), std::end(kForms),
                                  [&](const HelpForm& one) { return one.name == arguments.value("--format"); });
  if (names.empty()) {
    console.out(form->ofProgram());
    return kClean;
  }
  if (!form->ofCommand)
    return console.usageError(
        fmt::format("`--format {}` prints one completion of all commands; this is `{}`", form->name, names[0]),
        "remove the command");
  for (const Command* command : commands())
    if (command->name == names[0]) console.out(form->ofCommand(*command));
  return kClean;
}

} // namespace

const Command kHelpCommand = {
    "help",
    "print the help of a command",
    {{"COMMAND", 0, 1, "the command; default: all of them", commandNames}},
    {{"--format", "", formNames(), "man: a manual page; bash, zsh, fish: a file that completes words in this shell"}},
    "planc help check",
    runHelp,
};

} // namespace planc::driver
