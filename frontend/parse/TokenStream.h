// The tokens of one declaration, as input of the generated parser.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "antlr4-runtime.h"

#include <vector>

namespace planc::parse {

/// A token without its own text. Its index is the index of the Lexeme; its positions are bytes.
class PlanToken final : public antlr4::Token {
public:
  PlanToken(size_t type, size_t index, uint32_t from, uint32_t to)
      : begin(from), end(to), type_(static_cast<uint32_t>(type)), index_(static_cast<uint32_t>(index)) {}

  uint32_t begin;
  uint32_t end;

  size_t getType() const override { return type_ == kEnd ? EOF : type_; }
  size_t getTokenIndex() const override { return index_; }
  size_t getStartIndex() const override { return begin; }
  size_t getStopIndex() const override { return end - 1; }
  std::string getText() const override { return ""; }
  size_t getLine() const override { return 0; }
  size_t getCharPositionInLine() const override { return 0; }
  size_t getChannel() const override { return DEFAULT_CHANNEL; }
  antlr4::TokenSource* getTokenSource() const override { return nullptr; }
  antlr4::CharStream* getInputStream() const override { return nullptr; }
  std::string toString() const override { return ""; }

private:
  static constexpr uint32_t kEnd = static_cast<uint32_t>(EOF);
  uint32_t type_;
  uint32_t index_;
};

/// An array of tokens. The last one has type EOF.
class TokenStream final : public antlr4::TokenStream {
public:
  explicit TokenStream(std::vector<PlanToken> tokens) : tokens_(std::move(tokens)) {}

  const std::vector<PlanToken>& tokens() const { return tokens_; }
  /// Removes the tokens [begin, end).
  void erase(size_t begin, size_t end) {
    tokens_.erase(tokens_.begin() + static_cast<ssize_t>(begin), tokens_.begin() + static_cast<ssize_t>(end));
    at_ = 0;
  }

  /// Changes the type of the token at `at`.
  void retype(size_t at, size_t type) {
    PlanToken& token = tokens_[at];
    token = PlanToken(type, token.getTokenIndex(), token.begin, token.end);
  }

  antlr4::Token* LT(ssize_t k) override {
    if (k < 0 && at_ < static_cast<size_t>(-k)) return nullptr;
    return &tokens_[std::min(k < 0 ? at_ - static_cast<size_t>(-k) : at_ + static_cast<size_t>(k - 1), last())];
  }
  size_t LA(ssize_t k) override {
    antlr4::Token* token = LT(k);
    return token ? token->getType() : antlr4::Token::INVALID_TYPE;
  }
  void consume() override { at_ = std::min(at_ + 1, last()); }
  ssize_t mark() override { return 0; }
  void release(ssize_t) override {}
  size_t index() override { return at_; }
  void seek(size_t index) override { at_ = std::min(index, last()); }
  size_t size() override { return tokens_.size(); }
  antlr4::Token* get(size_t index) const override { return const_cast<PlanToken*>(&tokens_[index]); }
  antlr4::TokenSource* getTokenSource() const override { return nullptr; }
  std::string getSourceName() const override { return ""; }
  std::string getText(const antlr4::misc::Interval&) override { return ""; }
  std::string getText() override { return ""; }
  std::string getText(antlr4::RuleContext*) override { return ""; }
  std::string getText(antlr4::Token*, antlr4::Token*) override { return ""; }

private:
  size_t last() const { return tokens_.size() - 1; }
  std::vector<PlanToken> tokens_;
  size_t at_ = 0;
};

} // namespace planc::parse
