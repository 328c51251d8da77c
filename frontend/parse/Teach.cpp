// Writes ANTLR's automata as tables: explores the lexer's automaton completely, and walks the states that the parser
// computed.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/parse/Teach.h"

#include "PlanLexer.h"
#include "PlanParser.h"
#include "frontend/parse/ByteStream.h"
#include "frontend/parse/Decisions.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

namespace planc::parse {
namespace {

using antlr4::dfa::DFAState;

constexpr size_t kSymbols = 128;

/// Gives access to the simulator's transitions.
class Explorer final : public antlr4::atn::LexerATNSimulator {
public:
  using LexerATNSimulator::LexerATNSimulator;

  DFAState* start(antlr4::CharStream& input) {
    return addDFAState(computeStartState(&input, atn.modeToStartState[0]).release());
  }
  /// The next state; null if no token continues with this symbol.
  DFAState* behind(antlr4::CharStream& input, DFAState* state, size_t symbol) {
    DFAState* known = getExistingTargetState(state, symbol);
    DFAState* found = known ? known : computeTargetState(&input, state, symbol);
    return found == ERROR.get() ? nullptr : found;
  }
};

uint16_t acceptOf(const DFAState& state) {
  if (!state.isAcceptState) return 0;
  auto out = static_cast<uint16_t>(state.prediction);
  if (!state.lexerActionExecutor) return out;
  for (const auto& action : state.lexerActionExecutor->getLexerActions()) {
    if (action->getActionType() == antlr4::atn::LexerActionType::SKIP) out |= LexerTable::kSkipped;
    if (action->getActionType() == antlr4::atn::LexerActionType::CHANNEL) out |= LexerTable::kHidden;
  }
  return out;
}

std::string listOf(std::string_view type, std::string_view name, const std::vector<uint16_t>& numbers) {
  return fmt::format("const {} {}[] = {{{}}};\n", type, name, fmt::join(numbers, ","));
}

std::string lexerAsCpp() {
  grammar::PlanLexer::initialize();
  ByteStream input("");
  grammar::PlanLexer lexer(&input);
  auto& automata = lexer.getInterpreter<antlr4::atn::LexerATNSimulator>()->_decisionToDFA;
  antlr4::atn::PredictionContextCache cache;
  Explorer explorer(&lexer, lexer.getATN(), automata, cache);
  std::map<DFAState*, uint16_t> numbers{{nullptr, 0}};
  std::vector<DFAState*> states{nullptr};
  const auto numberOf = [&](DFAState* state) {
    const auto [at, fresh] = numbers.emplace(state, static_cast<uint16_t>(states.size()));
    if (fresh) states.push_back(state);
    return at->second;
  };
  numberOf(explorer.start(input));
  std::vector<std::array<uint16_t, kSymbols>> rows{{}};
  std::vector<uint16_t> accepts{0};
  for (size_t i = 1; i < states.size(); ++i) {
    accepts.push_back(acceptOf(*states[i]));
    std::array<uint16_t, kSymbols>& row = rows.emplace_back();
    for (size_t symbol = 0; symbol < kSymbols; ++symbol)
      row[symbol] = numberOf(explorer.behind(input, states[i], symbol));
  }
  std::map<std::vector<uint16_t>, uint16_t> classes; // class by the transitions of all states for a symbol
  std::vector<uint16_t> classOf;
  for (size_t symbol = 0; symbol < kSymbols; ++symbol) {
    std::vector<uint16_t> column;
    for (const auto& row : rows) column.push_back(row[symbol]);
    classOf.push_back(classes.emplace(std::move(column), static_cast<uint16_t>(classes.size())).first->second);
  }
  std::vector<uint16_t> next(rows.size() * classes.size());
  for (size_t state = 0; state < rows.size(); ++state)
    for (size_t symbol = 0; symbol < kSymbols; ++symbol)
      next[state * classes.size() + classOf[symbol]] = rows[state][symbol];
  return listOf("uint8_t", "kClassOf", classOf) + listOf("uint16_t", "kNext", next) +
         listOf("uint16_t", "kAccepts", accepts) + fmt::format("constexpr size_t kClasses = {};\n", classes.size());
}

/// Answers the precedence predicates of ANTLR: whether an operator binds at least as tightly as `binding`.
class PrecedenceParser final : public grammar::PlanParser {
public:
  PrecedenceParser() : PlanParser(nullptr) {}
  int binding = 0;
  bool precpred(antlr4::RuleContext*, int precedence) override { return precedence >= binding; }
};

/// Builds the numbers of ParserTable.
class ParserWriter {
public:
  std::vector<uint16_t> starts, states;

  void add(const antlr4::dfa::DFA& automaton) {
    std::vector<std::pair<uint16_t, const DFAState*>> from;
    if (automaton.s0 && automaton.isPrecedenceDfa())
      for (const auto& [precedence, state] : automaton.s0->edges)
        from.emplace_back(static_cast<uint16_t>(precedence), state);
    else if (automaton.s0 && asks(automaton)) // the decision depends on the precedence of the expression
      for (uint16_t precedence = 0; precedence < kPrecedences; ++precedence)
        from.emplace_back(precedence, automaton.s0);
    else if (automaton.s0)
      from.emplace_back(ParserTable::kAny, automaton.s0);
    std::vector<uint16_t> out{static_cast<uint16_t>(from.size())};
    for (const auto& [precedence, state] : from) {
      out.push_back(precedence);
      out.push_back(place({state, precedence}));
    }
    starts.push_back(static_cast<uint16_t>(states.size()));
    states.insert(states.end(), out.begin(), out.end());
  }

private:
  static constexpr uint16_t kPrecedences = 12; // more than the grammar has; higher ones are left to ANTLR

  static bool asks(const antlr4::dfa::DFA& automaton) {
    return std::any_of(automaton.states.begin(), automaton.states.end(),
                       [](const DFAState* state) { return !state->predicates.empty(); });
  }

  using Place = std::pair<const DFAState*, uint16_t>; // a state reached from the start for a precedence

  /// The alternative that the fast mode takes, even if the exact mode would look at the context; 0 if the next token
  /// decides, or a predicate that is not about precedence.
  size_t decided(const Place& place) {
    const auto& [state, precedence] = place;
    if (!state->isAcceptState) return 0;
    if (state->predicates.empty()) return state->prediction;
    size_t first = 0;
    asked_.binding = precedence;
    for (const DFAState::PredPrediction* p : state->predicates) {
      const auto alternative = static_cast<size_t>(p->alt);
      const bool holds = p->pred == antlr4::atn::SemanticContext::NONE || p->pred->eval(&asked_, nullptr);
      if (holds && (first == 0 || alternative < first)) first = alternative;
    }
    return precedence == ParserTable::kAny ? 0 : first;
  }

  uint16_t place(const Place& from) {
    if (const auto known = places_.find(from); known != places_.end()) return known->second;
    const size_t at = states.size();
    places_[from] = static_cast<uint16_t>(at);
    if (const size_t alternative = decided(from)) {
      states.push_back(static_cast<uint16_t>(ParserTable::kDecided | alternative));
      return static_cast<uint16_t>(at);
    }
    std::map<uint16_t, Place> edges;
    for (const auto& [type, target] : from.first->edges) {
      const uint16_t token = type == antlr4::Token::EOF ? 0 : static_cast<uint16_t>(type);
      if (target != antlr4::atn::ATNSimulator::ERROR.get()) edges.emplace(token, Place{target, from.second});
    }
    std::erase_if(edges, [&](const auto& edge) { return edge.second.first->isAcceptState && !decided(edge.second); });
    states.push_back(static_cast<uint16_t>(edges.size()));
    for (const auto& [token, target] : edges) states.push_back(token);
    states.resize(states.size() + edges.size());
    size_t i = at + 1 + edges.size();
    for (const auto& [token, target] : edges) {
      const uint16_t found = place(target);
      states[i++] = found;
    }
    return static_cast<uint16_t>(at);
  }

  PrecedenceParser asked_;
  std::map<Place, uint16_t> places_;
};

std::string parserAsCpp() {
  grammar::PlanParser::initialize();
  grammar::PlanParser parser(nullptr);
  ParserWriter out;
  for (const auto& automaton : parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->decisionToDFA)
    out.add(automaton);
  if (out.states.size() >= ParserTable::kDecided) throw std::length_error("the tables of the parser are too large");
  return listOf("uint16_t", "kStarts", out.starts) + listOf("uint16_t", "kStates", out.states) +
         fmt::format("constexpr size_t kDecisions = {};\n", out.starts.size());
}

} // namespace

std::string learnedAsCpp() {
  return "namespace planc::parse {\nnamespace {\n" + lexerAsCpp() + parserAsCpp() +
         "}\nconst Decisions& learnedDecisions() {\n"
         "  static constexpr Decisions learned{{kClasses, kClassOf, kNext, kAccepts}, {kDecisions, kStarts, "
         "kStates}};\n"
         "  return learned;\n}\n}\n";
}

} // namespace planc::parse
