// Documents as text, Markdown and CSV.
// SPDX-License-Identifier: Apache-2.0
#include "report/document/Document.h"

#include "report/tables/Csv.h"
#include "report/tables/Markdown.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace planc::report {
namespace {

/// Writes blocks as lines of text.
struct TextBlocks {
  bool color;
  std::string out = {};

  void operator()(const Heading& heading) { out += styledLine(heading.text, TextStyle::Bold, color); }
  void operator()(const Remark& remark) { out += std::string(remark.indent, ' ') + remark.text + "\n"; }
  void operator()(const Grid& grid) {
    Table table(grid.align);
    for (const std::vector<StyledText>& row : grid.rows) table.add(row);
    out += table.str(color, grid.indent);
  }
  void operator()(const Gap&) { out += "\n"; }
};

/// Writes blocks as Markdown: an empty line stands between a heading or table and what follows it.
struct MarkdownBlocks {
  std::string out = {};
  bool open = false; ///< the last block needs an empty line behind it

  void write(const std::string& text, bool opens) {
    if (std::exchange(open, opens)) out += "\n";
    out += text;
  }
  void operator()(const Heading& heading) {
    write(std::string(static_cast<size_t>(heading.level), '#') + " " + heading.text + "\n", true);
  }
  void operator()(const Remark& remark) { write("- " + remark.text + "\n", false); }
  void operator()(const Grid& grid) {
    Sheet rows;
    for (const std::vector<StyledText>& row : grid.rows) {
      rows.emplace_back();
      for (const StyledText& cell : row) rows.back().push_back(cell.text);
    }
    write(markdownTable(rows, grid.align), true);
  }
  void operator()(const Gap&) { write("\n", false); }
};

} // namespace

void Grid::add(const std::vector<std::string>& cells, TextStyle style) {
  std::vector<StyledText>& row = rows.emplace_back();
  for (const std::string& cell : cells) row.emplace_back(cell, style);
}

Grid plainGrid(const Sheet& sheet) {
  Grid grid{std::string(sheet.empty() ? 0 : sheet[0].size(), 'l')};
  for (const std::vector<std::string>& row : sheet) grid.add(row);
  return grid;
}

void Document::addLines(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const size_t indent = std::min(line.find_first_not_of(' '), line.size());
    page.push_back(Remark{std::string(line.substr(indent)), indent});
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
}

void Document::append(Document other) {
  const auto move = [](auto& from, auto& to) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  if (other.data.is_object()) data.update(other.data);
  move(other.page, page);
  move(other.markdown, markdown);
  for (size_t i = 0; i < other.sheets.size(); ++i) {
    if (i == sheets.size()) sheets.emplace_back();
    const bool more = !sheets[i].empty() && !other.sheets[i].empty(); // the heads stand once
    sheets[i].insert(sheets[i].end(), other.sheets[i].begin() + more, other.sheets[i].end());
  }
}

std::string textOf(const Document& document, bool color) {
  TextBlocks text{color};
  for (const Block& block : document.page) std::visit(text, block);
  return text.out;
}

std::string markdownOf(const Document& document) {
  MarkdownBlocks text;
  for (const Block& block : document.markdown.empty() ? document.page : document.markdown) std::visit(text, block);
  return text.out;
}

std::string csvOf(const Document& document) {
  std::string out;
  for (const Sheet& sheet : document.sheets) {
    if (!out.empty()) out += "\n";
    for (const std::vector<std::string>& row : sheet) out += csvRow(row);
  }
  return out;
}

} // namespace planc::report
