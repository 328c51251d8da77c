// Documents as text, Markdown and CSV.
// SPDX-License-Identifier: Apache-2.0
#include "report/document/Document.h"

#include "report/tables/Csv.h"
#include "report/tables/Markdown.h"
#include "support/text/TextCells.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace planc::report {
namespace {

/// Writes blocks as lines of text.
struct TextBlocks {
  bool color;
  std::string out = {};

  void operator()(const Heading& heading) {
    TextCells line;
    line.put(line.put(0, heading.text, TextStyle::Bold), heading.about);
    out += line.str(color) + "\n";
  }
  void operator()(const Remark& remark) { out += styledLine(remark.text, remark.style, color, remark.indent); }
  void operator()(const Table& table) { out += table.str(color); }
  void operator()(const Code& code) { out += code.text; }
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
    write(std::string(static_cast<size_t>(heading.level), '#') + " " + heading.text + heading.about + "\n", true);
  }
  void operator()(const Remark& remark) { write("- " + remark.text + "\n", false); }
  void operator()(const Table& table) {
    Sheet rows;
    if (!table.headed) rows.emplace_back(table.align.size()); // Markdown has no table without heads
    for (const std::vector<StyledText>& row : table.rows) {
      rows.emplace_back();
      for (const StyledText& cell : row) rows.back().push_back(cell.text);
    }
    write(markdownTable(rows, table.align), true);
  }
  void operator()(const Code& code) { write(code.fenced ? fmt::format("```\n{}```\n", code.text) : code.text, true); }
  void operator()(const Gap&) { write("\n", false); }
};

} // namespace

Table plainTable(const Sheet& sheet) {
  Table table{std::string(sheet.empty() ? 0 : sheet[0].size(), 'l'), {}, true};
  for (const std::vector<std::string>& row : sheet) table.addPlain(row);
  return table;
}

void addPart(Page& page, Page part) {
  if (!page.empty() && !part.empty()) page.push_back(Gap{});
  std::ranges::move(part, std::back_inserter(page));
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

std::string textOf(const Page& page, bool color) {
  TextBlocks text{color};
  for (const Block& block : page) std::visit(text, block);
  return text.out;
}

std::string markdownOf(const Document& document) {
  MarkdownBlocks text;
  for (const Block& block : document.markdown.empty() ? document.page : document.markdown) std::visit(text, block);
  return text.out;
}

std::string csvOf(const Sheet& sheet) {
  std::string out;
  for (const std::vector<std::string>& row : sheet) out += csvRow(row);
  return out;
}

} // namespace planc::report
