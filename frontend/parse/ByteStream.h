// The text as a character stream for the generated lexer: one symbol per byte, so that token positions are byte
// offsets.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "antlr4-runtime.h"

#include <string_view>

namespace planc::parse {

/// A CharStream over validated UTF-8. All bytes outside of ASCII appear as the same control character: the grammar
/// allows them only in strings and comments, and the lexer caches transitions of ASCII symbols only.
class ByteStream final : public antlr4::CharStream {
public:
  explicit ByteStream(std::string_view text) : text_(text) {}

  void consume() override { ++at_; }
  size_t LA(ssize_t offset) override {
    size_t at = at_ + static_cast<size_t>(offset > 0 ? offset - 1 : offset);
    if (at >= text_.size()) return EOF;
    return symbol(text_[at]);
  }
  static unsigned char symbol(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x80 ? byte : 0x01;
  }
  ssize_t mark() override { return -1; }
  void release(ssize_t) override {}
  size_t index() override { return at_; }
  void seek(size_t index) override { at_ = index; }
  size_t size() override { return text_.size(); }
  std::string getSourceName() const override { return ""; }
  std::string getText(const antlr4::misc::Interval& interval) override {
    return std::string(text_.substr(static_cast<size_t>(interval.a), static_cast<size_t>(interval.length())));
  }
  std::string toString() const override { return std::string(text_); }

private:
  std::string_view text_;
  size_t at_ = 0;
};

} // namespace planc::parse
