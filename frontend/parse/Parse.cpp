// Text to tree: lexer, brackets, line filter, then one declaration after the other.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/parse/Parse.h"

#include "frontend/parse/Learned.h"
#include "frontend/parse/LineFilter.h"
#include "frontend/parse/TokenRoles.h"
#include "frontend/parse/build/TreeBuilder.h"
#include "frontend/parse/errors/Repair.h"
#include "frontend/parse/errors/SyntaxMessages.h"

#include <array>

namespace planc::parse {
namespace {

/// The number of tokens that may be parsed again after errors. Limits the time for a large broken file.
constexpr size_t kRetryBudget = 2'000'000;

using Tree = antlr4::ParserRuleContext;
/// The rule of the grammar that a piece of text is parsed by.
using EntryRule = Tree* (*)(grammar::PlanParser&);

Tree* declaration(grammar::PlanParser& parser) {
  return parser.declaration();
}

/// Parses the pieces of a file, or a line, each by itself.
class PieceParser {
  const LexedFile& file_;
  SyntaxReporter& reporter_;
  size_t retryBudget_ = kRetryBudget;
  const EntryRule rule_;
  bool cutShort_ = false; // the last piece ended too early
  TokenStream* stream_ = nullptr;
  grammar::PlanParser parser_{nullptr};
  LearnedSimulator* simulator_;                                             // owned by the parser
  const std::shared_ptr<SilentBail> bail_ = std::make_shared<SilentBail>(); // has state, so each parser has its own

  TokenStream streamOf(const TokenRun& piece) const {
    std::vector<PlanToken> tokens;
    tokens.reserve(piece.tokens.size() + 1);
    for (size_t i : piece.tokens)
      tokens.emplace_back(file_.tokens[i].type, i, file_.tokens[i].begin, file_.tokens[i].end);
    // The end of the declaration has the position of its separator.
    auto size = static_cast<uint32_t>(file_.text.size());
    bool inside = piece.end < file_.tokens.size();
    tokens.emplace_back(antlr4::Token::EOF, piece.end, inside ? file_.tokens[piece.end].begin : size,
                        inside ? file_.tokens[piece.end].end : size);
    return TokenStream(std::move(tokens));
  }

  Tree* run(antlr4::atn::PredictionMode mode, Ref<antlr4::ANTLRErrorStrategy> strategy) {
    stream_->seek(0);
    parser_.setTokenStream(stream_);
    simulator_->setPredictionMode(mode);
    parser_.setErrorHandler(std::move(strategy));
    try {
      return rule_(parser_);
    } catch (const antlr4::ParseCancellationException&) {
      return nullptr;
    }
  }

  /// Parses with full context. Returns the tree if the fast mode was merely undecided, or null with the error.
  Tree* runExact(SyntaxError& error) {
    grammar::PlanParser::initialize(); // the expected tokens are read from the network
    auto strategy = std::make_shared<FirstErrorStrategy>();
    auto* tree = run(antlr4::atn::PredictionMode::LL, strategy);
    error = strategy->error();
    return tree;
  }

  ErrorSite siteOf(const SyntaxError& error) const {
    std::vector<uint16_t> types;
    for (const PlanToken& token : stream_->tokens()) types.push_back(static_cast<uint16_t>(token.getType()));
    types.pop_back(); // the end of the declaration
    return {file_, stream_->tokens(), error, statementAround(types, std::min(error.at, types.size()))};
  }

  /// Whether the text parses with the guess in place (then `tree` is set), or parses considerably further (then `next`
  /// is the next error).
  bool isRight(const ErrorSite& site, const KeywordGuess& guess, SyntaxError& next, Tree*& tree) {
    constexpr size_t kGoodWhile = 3; // tokens that a wrong guess rarely covers
    const size_t size = stream_->tokens().size();
    if (size > retryBudget_) return false;
    retryBudget_ -= size;
    const size_t before = site.type(guess.at);
    stream_->retype(guess.at, guess.type);
    tree = runExact(next);
    stream_->retype(guess.at, before);
    return tree || next.at >= site.error.at + kGoodWhile || next.at > site.statement.end;
  }

  /// Looks for the misspelt keyword that explains the error. If one is found, reports it, leaves the keyword in place,
  /// sets the tree or the next error, and returns true.
  bool misspeltKeyword(const ErrorSite& site, SyntaxError& next, Tree*& tree) {
    const std::vector<KeywordGuess> guesses = keywordGuesses(site);
    for (size_t i = 0; i < guesses.size(); ++i) {
      if (!isRight(site, guesses[i], next, tree)) continue;
      KeywordGuess guess = guesses[i];
      guess.only = true;
      SyntaxError ignored;
      Tree* other = nullptr;
      for (size_t k = i + 1; guess.only && k < guesses.size() && guesses[k].slips == guess.slips; ++k)
        guess.only = !isRight(site, guesses[k], ignored, other);
      reportKeyword(site, guess, reporter_);
      stream_->retype(guess.at, guess.type);
      // The parser holds only the tree of its last run.
      if (tree) tree = runExact(ignored);
      return true;
    }
    return false;
  }

  /// Reports the error, then removes the statements with errors and looks for errors in the rest. Returns the tree if
  /// replacing misspelt keywords was enough, otherwise null.
  Tree* reportAll(SyntaxError error) {
    bool whole = true;
    for (size_t healed = ~size_t(0);;) {
      const ErrorSite site = siteOf(error);
      // An error at the place of a removal is a consequence of the error before.
      if (error.at == healed) return nullptr;
      Tree* tree = nullptr;
      SyntaxError next;
      if (misspeltKeyword(site, next, tree)) {
        if (tree) return whole ? tree : nullptr;
        error = next;
        continue;
      }
      reportSyntaxError(site, reporter_);
      whole = false;
      size_t size = stream_->tokens().size();
      if (site.statement.begin >= site.statement.end || site.statement.begin == 0 || reporter_.full() ||
          size > retryBudget_)
        return nullptr;
      retryBudget_ -= size;
      healed = site.statement.begin;
      stream_->erase(site.statement.begin, site.statement.end);
      if (runExact(error)) return nullptr;
    }
  }

  /// Reports one error for the whole region: the bracket's, or the grammar's if it comes first.
  void reportBroken(const BrokenRegion& region) {
    SyntaxError error;
    if (!runExact(error) && stream_->tokens()[error.at].begin < region.place.begin)
      reportSyntaxError(siteOf(error), reporter_);
    else
      reportBracket(region, reporter_);
  }

  /// Whether the piece has a lexical error. Errors in the repaired tokens would be meaningless.
  bool hasLexicalError(const TokenRun& piece) const {
    return reporter_.any() && !piece.tokens.empty() &&
           reporter_.anyWithin(file_.tokens[piece.tokens.front()].begin,
                               piece.end < file_.tokens.size() ? file_.tokens[piece.end].begin : file_.text.size());
  }

public:
  PieceParser(const LexedFile& file, SyntaxReporter& reporter, EntryRule rule, bool learned)
      : file_(file), reporter_(reporter), rule_(rule), simulator_(LearnedSimulator::install(parser_, learned)) {
    parser_.removeErrorListeners();
  }

  /// Parses a piece and passes its tree to `use`. Returns false, after a report, if the piece has no tree.
  template <class Use> bool parse(const TokenRun& piece, Use use) {
    TokenStream stream = streamOf(piece);
    stream_ = &stream;
    // A `{` on the line below its declaration: the error is already reported.
    if (std::exchange(cutShort_, false) && stream.tokens().front().getType() == Type::LB) return false;
    if (piece.broken) {
      reportBroken(*piece.broken);
      return false;
    }
    const bool repaired = hasLexicalError(piece);
    auto* tree = run(antlr4::atn::PredictionMode::SLL, bail_);
    SyntaxError error;
    if (!tree) tree = runExact(error);
    cutShort_ = !tree && error.at + 1 == stream.tokens().size();
    if (!tree) tree = reportAll(error);
    if (!tree || repaired) return false;
    return use(tree);
  }
};

/// Lexes and parses. Calls `use` for each declaration with a tree, with whether it is sound, and `lose` with the tokens
/// of each other declaration.
template <class Use, class Lose>
std::optional<LexedFile> parseDeclarations(const SourceManager& sources, FileId id, SyntaxReporter& reporter,
                                           const ParseLimits& limits, Use use, Lose lose) {
  std::optional<LexedFile> file = lex(sources, id, reporter, limits);
  if (!file || exceedsNesting(*file, reporter, limits.maxDepth)) return std::nullopt;
  std::vector<BrokenRegion> broken = findBrokenRegions(*file, limits.maxErrors);
  filterLineBreaks(*file, broken);
  PieceParser parser(*file, reporter, declaration, limits.learned);
  for (const TokenRun& piece : cutDeclarations(*file, broken)) {
    auto useTree = [&](Tree* tree) {
      return use(*file, static_cast<Rule::DeclarationContext*>(tree), piece.tokens.front());
    };
    if (reporter.full() || !parser.parse(piece, useTree)) lose(*file, piece);
  }
  return file;
}

RawToken::Kind kindOf(const Lexeme& token) {
  switch (token.type) {
  case Type::NL:
    return RawToken::Kind::LineBreak;
  case Type::STRING:
    return RawToken::Kind::String;
  case Type::INT:
  case Type::FLOAT:
  case Type::QUANTITY:
    return RawToken::Kind::Number;
  case Type::DOC_COMMENT:
    return RawToken::Kind::DocComment;
  case Type::LINE_COMMENT:
    return RawToken::Kind::Comment;
  case Type::BLOCK_COMMENT:
    return RawToken::Kind::BlockComment;
  default:
    return isName(token.type) || isReserved(token.type) ? RawToken::Kind::Word : RawToken::Kind::Punctuation;
  }
}

} // namespace

std::unique_ptr<syntax::File> parseFile(const SourceManager& sources, FileId id, DiagnosticEngine& diagnostics,
                                        const ParseLimits& limits) {
  SyntaxReporter reporter(sources, diagnostics, limits.maxErrors);
  auto out = std::make_unique<syntax::File>();
  out->id = id;
  auto build = [&](const LexedFile& file, auto* tree, size_t firstToken) {
    const size_t before = reporter.found();
    TreeBuilder(file, reporter, *out).declaration(tree, firstToken);
    if (reporter.found() == before) return true;
    out->decls.pop_back();
    return false;
  };
  auto lose = [&](const LexedFile& file, const TokenRun& piece) {
    for (Symbol name : namesOf(file, piece)) out->lostNames.insert(name);
  };
  const auto file = parseDeclarations(sources, id, reporter, limits, build, lose);
  out->broken = reporter.any();
  return file ? std::move(out) : nullptr;
}

std::unique_ptr<syntax::File> parseLine(const SourceManager& sources, FileId id, LineKind kind,
                                        DiagnosticEngine& diagnostics) {
  static constexpr std::array<EntryRule, 7> kRules{
      [](grammar::PlanParser& p) -> Tree* { return p.factLine(); },
      [](grammar::PlanParser& p) -> Tree* { return p.ruleLine(); },
      [](grammar::PlanParser& p) -> Tree* { return p.varyLine(); },
      [](grammar::PlanParser& p) -> Tree* { return p.fillLine(); },
      [](grammar::PlanParser& p) -> Tree* { return p.whereLine(); },
      [](grammar::PlanParser& p) -> Tree* { return p.valueLine(); },
      [](grammar::PlanParser& p) -> Tree* { return p.valueLine(); },
  };
  const ParseLimits limits;
  SyntaxReporter reporter(sources, diagnostics, limits.maxErrors);
  std::optional<LexedFile> file = lex(sources, id, reporter, limits);
  if (!file || exceedsNesting(*file, reporter, limits.maxDepth)) return nullptr;
  file->isLine = true;
  const std::vector<BrokenRegion> broken = findBrokenRegions(*file, limits.maxErrors);
  filterLineBreaks(*file, broken);
  std::vector<TokenRun> pieces = cutDeclarations(*file, broken);
  auto out = std::make_unique<syntax::File>();
  out->id = id;
  if (pieces.size() > 1) return out;
  if (pieces.empty()) pieces.push_back({{}, file->tokens.size()});
  PieceParser parser(*file, reporter, kRules[static_cast<size_t>(kind)], limits.learned);
  const bool read = parser.parse(pieces.front(), [&](Tree* tree) {
    out->line = TreeBuilder(*file, reporter, *out).line(tree, kind == LineKind::Maximize);
    return !reporter.any();
  });
  return read ? std::move(out) : nullptr;
}

std::optional<std::vector<RawToken>> tokenize(const SourceManager& sources, FileId id, DiagnosticEngine& diagnostics,
                                              const ParseLimits& limits) {
  SyntaxReporter reporter(sources, diagnostics, limits.maxErrors);
  std::vector<RawToken> out;
  auto assign = [&](const LexedFile& lexed, auto* tree, size_t) {
    out.resize(lexed.tokens.size());
    assignRoles(tree, out);
    return true;
  };
  auto file = parseDeclarations(sources, id, reporter, limits, assign, [](const LexedFile&, const TokenRun&) {});
  if (!file || reporter.any()) return std::nullopt;
  out.resize(file->tokens.size());
  for (size_t i = 0; i < out.size(); ++i) {
    const Lexeme& token = file->tokens[i];
    out[i].kind = kindOf(token);
    out[i].range = file->range(token);
    out[i].statementEnd = token.type == Type::NL && token.kept;
    if (token.type == Type::SEMI) out[i].role = RawToken::Role::Separator;
  }
  return out;
}

} // namespace planc::parse
