// A parser that decides by the tables of Decisions.h, and falls back to ANTLR if they do not cover the input.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "PlanParser.h"
#include "frontend/parse/Decisions.h"

#include <algorithm>

namespace planc::parse {

class LearnedSimulator final : public antlr4::atn::ParserATNSimulator {
public:
  /// Replaces the parser's simulator by this one.
  static LearnedSimulator* install(grammar::PlanParser& parser, bool learned) {
    auto* own = parser.getInterpreter<ParserATNSimulator>();
    auto* made = new LearnedSimulator(parser, *own, learned ? &learnedDecisions().parser : nullptr);
    parser.setInterpreter(made); // frees the parser's own simulator
    return made;
  }

  size_t adaptivePredict(antlr4::TokenStream* input, size_t decision, antlr4::ParserRuleContext* context) override {
    const size_t alternative = learned(*input, decision);
    if (alternative > 0) return alternative;
    grammar::PlanParser::initialize();
    return ParserATNSimulator::adaptivePredict(input, decision, context);
  }

private:
  LearnedSimulator(grammar::PlanParser& of, ParserATNSimulator& own, const ParserTable* table)
      : ParserATNSimulator(&of, own.atn, own.decisionToDFA, own.getSharedContextCache()), parser_(of), table_(table) {}

  /// The alternative from the tables; 0 if they do not cover the input. The tables apply only to the fast (SLL) mode.
  size_t learned(antlr4::TokenStream& input, size_t decision) {
    if (!table_ || decision >= table_->decisions || getPredictionMode() != antlr4::atn::PredictionMode::SLL) return 0;
    const uint16_t* state = startOf(table_->states + table_->starts[decision]);
    for (ssize_t ahead = 1; state; ++ahead) {
      if (*state & ParserTable::kDecided) return *state & ~ParserTable::kDecided;
      const size_t type = input.LA(ahead);
      const uint16_t token = type == antlr4::Token::EOF ? 0 : static_cast<uint16_t>(type);
      const uint16_t *begin = state + 1, *end = begin + *state;
      const uint16_t* found = std::lower_bound(begin, end, token);
      state = found != end && *found == token ? table_->states + found[*state] : nullptr;
    }
    return 0;
  }

  const uint16_t* startOf(const uint16_t* starts) const {
    for (uint16_t i = 0; i < *starts; ++i) {
      const uint16_t precedence = starts[1 + 2 * i];
      if (precedence == ParserTable::kAny || precedence == parser_.getPrecedence())
        return table_->states + starts[2 + 2 * i];
    }
    return nullptr;
  }

  grammar::PlanParser& parser_;
  const ParserTable* table_; // null: there are no tables
};

/// Ends the parse at the first error without a report.
class SilentBail final : public antlr4::BailErrorStrategy {
  void reportError(antlr4::Parser*, const antlr4::RecognitionException&) override {}
};

} // namespace planc::parse
