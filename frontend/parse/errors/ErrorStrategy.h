// Records the first token that the generated parser cannot use, and stops. Other code composes the message.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "antlr4-runtime.h"

#include <bitset>

namespace planc::parse {

/// A set of token types; bit 0 is the end of the declaration.
using TokenSet = std::bitset<128>;
inline constexpr size_t kEndBit = 0;

struct SyntaxError {
  size_t at = 0;        ///< position of the token in the stream
  TokenSet expected;    ///< every type that would be valid there
  bool missing = false; ///< inserting one token before it would repair the text
  bool extra = false;   ///< the token after it would be valid in its place
  bool operator==(const SyntaxError&) const = default;
};

/// Ends the parse at the first error with antlr4::ParseCancellationException.
class FirstErrorStrategy final : public antlr4::DefaultErrorStrategy {
public:
  const SyntaxError& error() const { return error_; }

  void sync(antlr4::Parser* parser) override;
  void reportError(antlr4::Parser* parser, const antlr4::RecognitionException& e) override;
  void recover(antlr4::Parser* parser, std::exception_ptr e) override;
  antlr4::Token* recoverInline(antlr4::Parser* parser) override;

private:
  void note(antlr4::Parser* parser, const antlr4::RecognitionException& e);
  SyntaxError error_;
  // The states of decisions before the current token. The tokens that each would have accepted are expected too,
  // although the parser has already left these states when it fails.
  size_t index_ = ~size_t(0);
  std::vector<size_t> states_;
};

} // namespace planc::parse
