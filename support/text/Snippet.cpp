// Draws a source line: cuts long lines to a window, underlines the marks, and places their texts.
// SPDX-License-Identifier: Apache-2.0
#include "support/text/Snippet.h"

#include <algorithm>

namespace planc {
namespace {

constexpr size_t kMaxColumns = 140; // source columns in one row
constexpr size_t kLead = 40;        // columns kept before the first mark of a cut line

/// A mark in columns of the drawn row.
struct Span {
  size_t begin;
  size_t end;
  bool primary;
  std::string text;
};

struct DrawnLine {
  TextCells cells;
  std::vector<Span> spans;
};

/// The mark that must be visible: the first one if all are near it, otherwise the primary one.
size_t anchorByte(const std::vector<SnippetMark>& marks) {
  size_t first = ~size_t(0), last = 0, primary = 0;
  for (const SnippetMark& mark : marks) {
    first = std::min(first, mark.begin);
    last = std::max(last, mark.begin);
    if (mark.primary) primary = mark.begin;
  }
  if (marks.empty()) return 0;
  bool hasPrimary = std::any_of(marks.begin(), marks.end(), [](const auto& m) { return m.primary; });
  return last - first <= kMaxColumns - kLead || !hasPrimary ? first : primary;
}

size_t alignToCodePoint(std::string_view line, size_t at) {
  while (at > 0 && at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0) == 0x80) --at;
  return at;
}

DrawnLine drawLine(std::string_view line, const std::vector<SnippetMark>& marks) {
  size_t anchor = std::min(anchorByte(marks), line.size());
  // Cut by bytes first, so that a line of megabytes costs no more than a line of a few hundred columns.
  size_t from = alignToCodePoint(line, anchor > 4 * kMaxColumns ? anchor - 4 * kMaxColumns : 0);
  size_t to = alignToCodePoint(line, std::min(line.size(), anchor + 8 * kMaxColumns));
  TextCells all;
  std::vector<uint32_t> columns;
  all.put(0, line.substr(from, to - from), TextStyle::Plain, &columns);
  auto columnOf = [&](size_t byte) -> size_t { return columns[std::clamp(byte, from, to) - from]; };

  size_t left = 0, right = all.width();
  if (right > kMaxColumns || from > 0 || to < line.size()) {
    size_t at = columnOf(anchor);
    left = at > kLead ? at - kLead : 0;
    if (to == line.size() && left + kMaxColumns > right) left = right > kMaxColumns ? right - kMaxColumns : 0;
    right = std::min(right, left + kMaxColumns);
  }
  DrawnLine out;
  bool cutLeft = left > 0 || from > 0, cutRight = right < all.width() || to < line.size();
  if (cutLeft) out.cells.put(0, "…", TextStyle::Gutter);
  out.cells.append(all.slice(left, right));
  if (cutRight) out.cells.put(out.cells.width(), "…", TextStyle::Gutter);
  auto place = [&](size_t byte) { return std::clamp(columnOf(byte), left, right) - left + (cutLeft ? 1 : 0); };
  for (const SnippetMark& mark : marks) {
    size_t begin = place(mark.begin), end = std::max(place(mark.end), begin + 1);
    out.spans.push_back({begin, end, mark.primary, mark.text});
  }
  return out;
}

/// The span whose text goes next to the underlines: the primary span if it ends last, otherwise the last of the spans
/// that do.
const Span* inlineSpan(const std::vector<Span>& spans) {
  size_t last = 0;
  for (const Span& span : spans) last = std::max(last, span.end);
  const Span* best = nullptr;
  for (const Span& span : spans) {
    if (span.end != last || span.text.empty()) continue;
    if (!best || (!best->primary && (span.primary || span.begin > best->begin))) best = &span;
  }
  return best;
}

/// Places texts that do not fit next to the underlines, from right to left, as many in a row as fit.
void hangTexts(std::vector<const Span*> hanging, TextStyle primaryStyle, std::vector<TextCells>& rows) {
  std::stable_sort(hanging.begin(), hanging.end(), [](auto* a, auto* b) { return a->begin > b->begin; });
  auto style = [&](const Span* span) { return span->primary ? primaryStyle : TextStyle::Label; };
  auto pillars = [&](TextCells& row, size_t next) {
    for (size_t i = hanging.size(); i-- > next;) row.put(hanging[i]->begin, "|", style(hanging[i]));
  };
  rows.emplace_back();
  pillars(rows.back(), 0);
  for (size_t i = 0; i < hanging.size();) {
    TextCells row;
    pillars(row, i);
    size_t limit = ~size_t(0); // the text must end two columns before the next one to the right
    while (i < hanging.size()) {
      size_t end = hanging[i]->begin + displayWidth(hanging[i]->text);
      if (limit != ~size_t(0) && end + 2 > limit) break;
      limit = hanging[i]->begin;
      row.put(limit, hanging[i]->text, style(hanging[i]));
      ++i;
    }
    rows.push_back(std::move(row));
  }
}

} // namespace

std::vector<TextCells> drawSnippet(std::string_view line, std::vector<SnippetMark> marks, TextStyle primaryStyle) {
  DrawnLine drawn = drawLine(line, marks);
  std::vector<TextCells> rows = {std::move(drawn.cells)};
  if (drawn.spans.empty()) return rows;

  // Wide spans first, so that a narrow span inside a wide one stays visible.
  std::vector<const Span*> order;
  for (const Span& span : drawn.spans) order.push_back(&span);
  std::stable_sort(order.begin(), order.end(), [](auto* a, auto* b) {
    return std::pair(b->end - b->begin, a->primary) < std::pair(a->end - a->begin, b->primary);
  });
  TextCells underline;
  for (const Span* span : order)
    underline.put(span->begin, std::string(span->end - span->begin, span->primary ? '^' : '-'),
                  span->primary ? primaryStyle : TextStyle::Label);
  const Span* beside = inlineSpan(drawn.spans);
  if (beside) underline.put(beside->end + 1, beside->text, beside->primary ? primaryStyle : TextStyle::Label);
  rows.push_back(std::move(underline));

  std::vector<const Span*> hanging;
  for (const Span& span : drawn.spans)
    if (&span != beside && !span.text.empty()) hanging.push_back(&span);
  if (!hanging.empty()) hangTexts(std::move(hanging), primaryStyle, rows);
  return rows;
}

} // namespace planc
