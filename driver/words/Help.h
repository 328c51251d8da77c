// The help texts, made from the command tables.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/words/Command.h"

namespace planc::driver {

/// `planc --help`.
std::string programHelp();
/// `planc estimate --help`.
std::string commandHelp(const Command& command);
/// `usage: planc estimate [options] FILE`.
std::string usageLine(const Command& command);
/// The manual page planc(1), in man(7). Its date is that of the environment variable SOURCE_DATE_EPOCH; none without
/// it.
std::string programMan();
/// The manual page planc-COMMAND(1).
std::string commandMan(const Command& command);
/// Completion of commands, options and their choices for a shell, to be read by it.
std::string bashCompletion();
std::string zshCompletion();
std::string fishCompletion();
/// The names of all commands, in the order of the help.
std::vector<std::string> commandNames();
/// `planc 1.2.3 (edition 2026)`, with the newest edition of the language that this program reads.
std::string versionText();
/// `1.2.3`.
std::string_view versionNumber();

} // namespace planc::driver
