// `planc help`: the help of a command, or of all of them.
// SPDX-License-Identifier: Apache-2.0
#include "driver/Commands.h"
#include "driver/Console.h"
#include "driver/Help.h"
#include "support/Spelling.h"

namespace planc::driver {
namespace {

int runHelp(Console& console, const Arguments& arguments) {
  if (arguments.positional.empty()) {
    console.out(programHelp());
    return kClean;
  }
  const std::string& name = arguments.positional[0];
  std::vector<std::string> names;
  for (const Command* command : commands()) {
    if (command->name == name) {
      console.out(commandHelp(*command));
      return kClean;
    }
    names.emplace_back(command->name);
  }
  return console.usageError("unknown command `" + name + "`", didYouMean(name, names, "`planc help` lists them"));
}

} // namespace

const Command kHelpCommand = {
    "help",
    "print the help of a command",
    {{"COMMAND", 0, 1, "whose; all of them, if not said"}},
    {},
    "planc help check",
    runHelp,
};

} // namespace planc::driver
