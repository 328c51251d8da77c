// Collects the tokens that would be valid at the first error.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/parse/errors/ErrorStrategy.h"

#include "frontend/parse/TokenStream.h"

namespace planc::parse {
namespace {

void add(TokenSet& set, const antlr4::misc::IntervalSet& types) {
  for (const antlr4::misc::Interval& interval : types.getIntervals())
    for (ssize_t type = interval.a; type <= interval.b; ++type) {
      if (type == static_cast<ssize_t>(antlr4::Token::EOF)) set.set(kEndBit);
      if (type > 0 && static_cast<size_t>(type) < set.size()) set.set(static_cast<size_t>(type));
    }
}

/// Adds the tokens that the alternatives still alive before the offending token would have accepted. Returns whether
/// there are any.
bool addFrom(TokenSet& set, const antlr4::NoViableAltException& e) {
  const antlr4::atn::ATNConfigSet* configs = e.getDeadEndConfigs();
  if (!configs) return false;
  for (const auto& config : configs->configs)
    for (const antlr4::atn::Transition* transition : config->state->transitions)
      if (!transition->isEpsilon()) add(set, transition->label());
  return set.any();
}

} // namespace

void FirstErrorStrategy::sync(antlr4::Parser* parser) {
  size_t index = parser->getTokenStream()->index();
  if (index != index_) states_.clear();
  index_ = index;
  states_.push_back(parser->getState());
}

void FirstErrorStrategy::note(antlr4::Parser* parser, const antlr4::RecognitionException& e) {
  auto* stream = static_cast<TokenStream*>(parser->getTokenStream());
  auto* token = static_cast<PlanToken*>(e.getOffendingToken());
  error_.at = static_cast<size_t>(token - stream->tokens().data());
  auto* prediction = dynamic_cast<const antlr4::NoViableAltException*>(&e);
  if (!prediction || !addFrom(error_.expected, *prediction)) add(error_.expected, e.getExpectedTokens());
  if (error_.at == index_)
    for (size_t state : states_) add(error_.expected, parser->getATN().nextTokens(parser->getATN().states[state]));
  size_t next = error_.at + 1;
  if (next < stream->tokens().size()) {
    size_t type = stream->tokens()[next].getType();
    error_.extra = error_.expected[type == antlr4::Token::EOF ? kEndBit : type];
  }
}

void FirstErrorStrategy::reportError(antlr4::Parser* parser, const antlr4::RecognitionException& e) {
  note(parser, e);
}

void FirstErrorStrategy::recover(antlr4::Parser*, std::exception_ptr) {
  throw antlr4::ParseCancellationException();
}

antlr4::Token* FirstErrorStrategy::recoverInline(antlr4::Parser* parser) {
  note(parser, antlr4::InputMismatchException(parser));
  const auto& atn = parser->getATN();
  const antlr4::atn::ATNState* behind = atn.states[parser->getState()]->transitions[0]->target;
  antlr4::misc::IntervalSet after = atn.nextTokens(const_cast<antlr4::atn::ATNState*>(behind), parser->getContext());
  error_.missing = after.contains(static_cast<ssize_t>(parser->getTokenStream()->LA(1)));
  throw antlr4::ParseCancellationException();
}

} // namespace planc::parse
