// Builds the help texts from the command tables.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/words/Command.h"

namespace planc::driver {

/// Returns `planc --help`.
std::string programHelp();
/// Returns `planc estimate --help`.
std::string commandHelp(const Command& command);
/// Returns `usage: planc estimate [options] FILE`.
std::string usageLine(const Command& command);
/// Returns the manual page planc(1) in man(7) format. Its date is the environment variable SOURCE_DATE_EPOCH; without
/// it, the page has no date.
std::string programMan();
/// Returns the manual page planc-COMMAND(1).
std::string commandMan(const Command& command);
/// Return scripts for a shell that complete commands, options and their choices.
std::string bashCompletion();
std::string zshCompletion();
std::string fishCompletion();
/// Returns the names of all commands, in the order of the help.
std::vector<std::string> commandNames();
/// Returns `planc 1.2.3 (edition 2026)`, with the newest language edition that this program reads.
std::string versionText();
/// Returns `1.2.3`.
std::string_view versionNumber();

} // namespace planc::driver
