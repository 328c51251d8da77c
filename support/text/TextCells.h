// A row of terminal cells: text of any script, laid out by display width, with a style per cell.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace planc {

enum class TextStyle : uint8_t { Plain, Bold, Gutter, Error, Warning, Label };

/// One line of output under construction. Columns count cells: a wide character takes two, a combining character none.
class TextCells {
public:
  /// Writes `text` from `column` on, replacing what is there. Control characters and malformed bytes become U+FFFD;
  /// tabs advance to the next multiple of four columns. Returns the column after the text.
  size_t put(size_t column, std::string_view text, TextStyle style = TextStyle::Plain);
  /// As `put`, and appends to `columns` the column of every byte of `text` and of its end.
  size_t put(size_t column, std::string_view text, TextStyle style, std::vector<uint32_t>* columns);
  size_t width() const { return cells_.size(); }
  /// The cells [begin, end) as a row of their own.
  TextCells slice(size_t begin, size_t end) const;
  /// Appends another row.
  void append(const TextCells& other);
  /// The text without trailing blanks. If `color`, with escape sequences at changes of style.
  std::string str(bool color) const;

private:
  struct Cell {
    std::string glyph = " "; // empty: the second half of a wide character
    TextStyle style = TextStyle::Plain;
  };
  std::vector<Cell> cells_;
};

/// Replaces control characters (except line breaks) and malformed bytes by U+FFFD, so that user text cannot control a
/// terminal.
std::string printable(std::string_view text);

/// As `printable`, but also replaces line breaks; for file names, which may contain them.
std::string printableLine(std::string_view text);

/// The display width of a text that holds neither tabs nor line breaks.
size_t displayWidth(std::string_view text);

} // namespace planc
