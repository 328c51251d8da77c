// Interned names: equality compares pointers, order compares texts.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <compare>
#include <functional>
#include <string>
#include <string_view>

namespace planc {

/// A name that lives until the process ends. The default is the empty symbol. The table of names only grows; a lock
/// guards it.
class Symbol {
  const std::string* text_;
  explicit Symbol(const std::string* t) : text_(t) {}

public:
  Symbol();
  Symbol(std::string_view text);
  Symbol(const char* text) : Symbol(std::string_view(text)) {}
  const std::string& str() const { return *text_; }
  std::string_view view() const { return *text_; }
  bool empty() const { return text_->empty(); }
  bool operator==(const Symbol& o) const { return text_ == o.text_; }
  /// Compares texts, so that ordered containers print in the same order in every run.
  std::strong_ordering operator<=>(const Symbol& o) const {
    return text_ == o.text_ ? std::strong_ordering::equal : text_->compare(*o.text_) <=> 0;
  }
  const void* key() const { return text_; }
};

} // namespace planc

template <> struct std::hash<planc::Symbol> {
  size_t operator()(planc::Symbol s) const noexcept { return std::hash<const void*>()(s.key()); }
};
