// Draws one source line with underlines, and the texts attached to them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/text/TextCells.h"

namespace planc {

/// Bytes [begin, end) of a line to underline; empty ranges are drawn one cell wide.
struct SnippetMark {
  size_t begin = 0;
  size_t end = 0;
  bool primary = false;
  std::string text;
};

/// The source line and the rows of underlines below it, without a gutter. A line too long for a terminal is cut to a
/// window around the marks.
std::vector<TextCells> drawSnippet(std::string_view line, std::vector<SnippetMark> marks, TextStyle primaryStyle);

} // namespace planc
