// Text of JSON events, written fast: whole nanoseconds as microseconds with three decimals.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/export/Export.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace planc::exports {

/// Returns a text as a JSON string with its quotes. `<`, `>` and `&` are escaped, too, so that the text is safe in a
/// page.
std::string jsonString(std::string_view text);
/// Returns a number as JSON: whole numbers without a fraction.
std::string numberText(double number);

/// Whole nanoseconds of a moment in seconds.
int64_t nanoseconds(double seconds);

/// Writes the events of a trace, separated by commas.
class EventText {
public:
  explicit EventText(Sink sink) : sink_(sink) {}
  ~EventText() { flush(); }
  EventText(const EventText&) = delete;

  /// Begins an event. The members follow as text, and `end` ends it.
  void begin() { text_ += events_++ == 0 ? "\n{" : ",\n{"; }
  void raw(std::string_view text) { text_ += text; }
  void number(int64_t number);
  /// Writes nanoseconds as microseconds: `1.250`.
  void time(int64_t nanoseconds);
  void end() {
    text_ += '}';
    if (text_.size() > kPiece) flush();
  }
  void flush();

private:
  static constexpr size_t kPiece = size_t(1) << 20;
  Sink sink_;
  std::string text_;
  size_t events_ = 0;
};

} // namespace planc::exports
