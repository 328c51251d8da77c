// `planc help`: the help of a command, or of all of them.
// SPDX-License-Identifier: Apache-2.0
#include "driver/Commands.h"
#include "driver/Console.h"
#include "driver/Help.h"

namespace planc::driver {
namespace {

int runHelp(Console& console, const Arguments& arguments) {
  if (arguments.positional.empty()) console.out(programHelp());
  for (const Command* command : commands())
    if (!arguments.positional.empty() && command->name == arguments.positional[0]) console.out(commandHelp(*command));
  return kClean;
}

} // namespace

const Command kHelpCommand = {
    "help",
    "print the help of a command",
    {{"COMMAND", 0, 1, "whose; all of them, if not said", commandNames}},
    {},
    "planc help check",
    runHelp,
};

} // namespace planc::driver
