// What the generated lexer and parser decide, as tables: ANTLR computes its automata while it reads, in every process
// anew, so planc has it do that once, while it is built.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

namespace planc::parse {

/// The automaton of the lexer, complete. Symbols are bytes below 128; ByteStream.h shows all others as one of these.
struct LexerTable {
  size_t classes = 0;             ///< of symbols between which no token tells
  const uint8_t* classOf;         ///< by symbol
  const uint16_t* next = nullptr; ///< by state * classes + class; 0: no token goes on so. State 1 is the start
  const uint16_t* accepts;        ///< by state: the type of the token that ends here, with the flags below; 0: none

  static constexpr uint16_t kSkipped = 0x8000, kHidden = 0x4000, kType = 0x3FFF;
};

/// The automata of the parser, as far as the library and the examples led ANTLR: one per decision. In the numbers
/// behind `states`, a place is an index of them.
struct ParserTable {
  size_t decisions = 0;
  /// By decision, the place of its starts: their number, then for each the precedence of the expression that it is for
  /// (kAny of other decisions) and its state.
  const uint16_t* starts = nullptr;
  /// A state is an alternative with the flag kDecided; or the number of tokens that it knows, these in ascending order,
  /// and the state behind each.
  const uint16_t* states;

  static constexpr uint16_t kAny = 0xFFFF, kDecided = 0x8000;
};

struct Decisions {
  LexerTable lexer;
  ParserTable parser;
};

/// Those of this program; empty in the one that makes them (frontend/embed), which asks ANTLR for everything.
const Decisions& learnedDecisions();

} // namespace planc::parse
