// What the generated parser tells about the first token it cannot use: it stops there, others decide what to say.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "antlr4-runtime.h"

#include <bitset>

namespace planc::parse {

/// Token types; the end of the declaration is bit 0.
using TokenSet = std::bitset<128>;
inline constexpr size_t kEndBit = 0;

struct SyntaxError {
  size_t at = 0;        ///< position of the token in the stream
  TokenSet expected;    ///< every type that could have stood there
  bool missing = false; ///< one more token before it would have done
  bool extra = false;   ///< the token after it could have stood there
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
  // The decisions made before the current token: what each would have accepted is expected too, although the parser has
  // already left it by the time it fails.
  size_t index_ = ~size_t(0);
  std::vector<size_t> states_;
};

} // namespace planc::parse
