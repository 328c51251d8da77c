// The tables of Decisions.h as C++, for the program that embeds them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace planc::parse {

/// A definition of `learnedDecisions`: the automaton of the lexer, explored to its end, and what the parser has learned
/// from the texts that this process has parsed.
std::string learnedAsCpp();

} // namespace planc::parse
