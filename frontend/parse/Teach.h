// Writes the tables of Decisions.h as C++, for the program that embeds them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace planc::parse {

/// A definition of `learnedDecisions`: the complete automaton of the lexer, and the parser decisions that ANTLR
/// computed for the texts that this process has parsed.
std::string learnedAsCpp();

} // namespace planc::parse
