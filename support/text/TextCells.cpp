// Lays out text in terminal cells.
// SPDX-License-Identifier: Apache-2.0
#include "support/text/TextCells.h"

#include <algorithm>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/ConvertUTF.h>
#include <llvm/Support/Unicode.h>

namespace planc {
namespace {

constexpr size_t kTabStop = 4;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD"; // U+FFFD

struct Glyph {
  std::string_view text; // what to print
  size_t bytes;          // input bytes that it stands for
  size_t width;
};

/// The character at the start of a non-empty text.
Glyph firstGlyph(std::string_view text) {
  auto lead = static_cast<unsigned char>(text.front());
  if (lead >= 0x20 && lead < 0x7F) return {text.substr(0, 1), 1, 1};
  const auto* begin = reinterpret_cast<const llvm::UTF8*>(text.data());
  size_t bytes = llvm::getNumBytesForUTF8(lead);
  if (bytes > text.size() || !llvm::isLegalUTF8Sequence(begin, begin + bytes)) return {kReplacement, 1, 1};
  std::string_view glyph = text.substr(0, bytes);
  int width = llvm::sys::unicode::columnWidthUTF8(llvm::StringRef(glyph.data(), glyph.size()));
  if (width < 0) return {kReplacement, bytes, 1}; // control and formatting characters are never sent to a terminal
  return {glyph, bytes, static_cast<size_t>(width)};
}

const char* escape(TextStyle style) {
  switch (style) {
  case TextStyle::Plain:
    return "\x1b[0m";
  case TextStyle::Bold:
    return "\x1b[0;1m";
  case TextStyle::Gutter:
    return "\x1b[0;1;34m";
  case TextStyle::Error:
    return "\x1b[0;1;31m";
  case TextStyle::Warning:
    return "\x1b[0;1;33m";
  case TextStyle::Label:
    return "\x1b[0;1;36m";
  }
  return "";
}

} // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Glyph glyph = firstGlyph(text);
    out += text.front() == '\n' ? "\n" : glyph.text;
    text.remove_prefix(glyph.bytes);
  }
  return out;
}

std::string printableLine(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) out += c == '\n' ? kReplacement : std::string_view(&c, 1);
  return out;
}

size_t TextCells::put(size_t column, std::string_view text, TextStyle style) {
  return put(column, text, style, nullptr);
}

size_t TextCells::put(size_t column, std::string_view text, TextStyle style, std::vector<uint32_t>* columns) {
  if (const size_t most = column + text.size(); cells_.capacity() < most) cells_.reserve(2 * most);
  if (cells_.size() < column) cells_.resize(column);
  while (!text.empty()) {
    bool tab = text.front() == '\t';
    Glyph glyph = tab ? Glyph{" ", 1, kTabStop - column % kTabStop} : firstGlyph(text);
    if (columns) columns->insert(columns->end(), glyph.bytes, static_cast<uint32_t>(column));
    text.remove_prefix(glyph.bytes);
    if (glyph.width == 0) {
      if (column > 0) cells_[column - 1].glyph += glyph.text;
      continue;
    }
    for (size_t i = 0; i < glyph.width; ++i, ++column) {
      const std::string_view shown = i == 0 || tab ? glyph.text : std::string_view();
      if (column == cells_.size()) {
        cells_.push_back({std::string(shown), style});
        continue;
      }
      cells_[column].glyph = shown;
      cells_[column].style = style;
    }
  }
  if (columns) columns->push_back(static_cast<uint32_t>(column));
  return column;
}

TextCells TextCells::slice(size_t begin, size_t end) const {
  TextCells out;
  end = std::min(end, cells_.size());
  if (begin < end) out.cells_.assign(cells_.begin() + begin, cells_.begin() + end);
  return out;
}

void TextCells::append(const TextCells& other) {
  cells_.insert(cells_.end(), other.cells_.begin(), other.cells_.end());
}

std::string TextCells::str(bool color) const {
  size_t end = cells_.size();
  while (end > 0 && cells_[end - 1].glyph == " ") --end;
  std::string out;
  TextStyle current = TextStyle::Plain;
  for (size_t i = 0; i < end; ++i) {
    if (color && cells_[i].style != current && cells_[i].glyph != " ") {
      current = cells_[i].style;
      out += escape(current);
    }
    out += cells_[i].glyph;
  }
  if (color && current != TextStyle::Plain) out += escape(TextStyle::Plain);
  return out;
}

size_t displayWidth(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    Glyph glyph = firstGlyph(text);
    width += glyph.width;
    text.remove_prefix(glyph.bytes);
  }
  return width;
}

} // namespace planc
