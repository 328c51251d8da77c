// Precomputed decision tables of the generated lexer and parser. ANTLR computes its automata at run time, in every
// process anew; planc computes them once at build time.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

namespace planc::parse {

/// The complete automaton of the lexer. Symbols are bytes below 128; ByteStream.h maps all other bytes to one of these.
struct LexerTable {
  size_t classes = 0;             ///< number of symbol classes: symbols of a class are equivalent for all tokens
  const uint8_t* classOf;         ///< class by symbol
  const uint16_t* next = nullptr; ///< by state * classes + class; 0: no token continues. State 1 is the start
  const uint16_t* accepts;        ///< by state: the type of the token that ends here, with the flags below; 0: none

  static constexpr uint16_t kSkipped = 0x8000, kHidden = 0x4000, kType = 0x3FFF;
};

/// The automata of the parser, one per decision, as far as ANTLR computed them for the library and the examples. All
/// places are indices into `states`.
struct ParserTable {
  size_t decisions = 0;
  /// By decision, the place of its list of starts: the number of starts, then for each start the precedence of the
  /// expression that it applies to (kAny for other decisions) and the place of its state.
  const uint16_t* starts = nullptr;
  /// A state is an alternative with the flag kDecided; otherwise the number of its tokens, these tokens in ascending
  /// order, and the place of the next state for each.
  const uint16_t* states;

  static constexpr uint16_t kAny = 0xFFFF, kDecided = 0x8000;
};

struct Decisions {
  LexerTable lexer;
  ParserTable parser;
};

/// The tables of this program. Empty in the program that computes them (frontend/embed), which uses ANTLR alone.
const Decisions& learnedDecisions();

} // namespace planc::parse
