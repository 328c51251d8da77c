// A result before it has a format: numbers for programs, a page for people, tables for spreadsheets. Each result of
// planc makes one document; each format writes any document.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "report/tables/Cells.h"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace planc::report {

/// A heading of a page. Text reports print it bold, whatever its level.
struct Heading {
  std::string text;
  int level = 2;          ///< of Markdown and HTML
  std::string about = {}; ///< follows on the same line, in plain text
};

/// A sentence of a page, a line by itself.
struct Remark {
  std::string text;
  size_t indent = 2; ///< of text reports
  TextStyle style = TextStyle::Plain;
};

/// Lines that are to be copied as they are: a plan.
struct Code {
  std::string text;
  bool fenced = true; ///< by Markdown; else they are Markdown
};

/// An empty line between parts of a page.
struct Gap {};

using Block = std::variant<Heading, Remark, Table, Code, Gap>;
/// The blocks that people read, from top to bottom.
using Page = std::vector<Block>;

/// A table for spreadsheets: numbers in full, the first row holds the heads.
using Sheet = std::vector<std::vector<std::string>>;

/// A sheet as a table of a page, every column at the left.
Table plainTable(const Sheet& sheet);

/// The part of a document that a format shows. Documents that are large are made of this part alone.
enum class Shown { Data, Page, Sheets };

struct Document {
  nlohmann::ordered_json data = {}; ///< members of the root of a JSON result, or one element of its list
  Page page = {};
  Page markdown = {}; ///< shown by Markdown in place of the page, unless it is empty
  std::vector<Sheet> sheets = {};

  /// Adds each line of a text to the page as a remark with its indentation.
  void addLines(std::string_view text);
  /// Adds the page, the sheets and the members of the data of another document behind its own.
  void append(Document other);
};

/// Returns a page of blocks without copying their tables, as a list of them would.
template <class... Blocks> Page pageOf(Blocks&&... blocks) {
  Page page;
  page.reserve(sizeof...(blocks));
  (page.emplace_back(std::forward<Blocks>(blocks)), ...);
  return page;
}

/// Moves the blocks of a part behind a page, after an empty line unless one of both is empty.
void addPart(Page& page, Page part);

/// A page as plain text, in colours if asked.
std::string textOf(const Page& page, bool color);
std::string markdownOf(const Document& document);
/// A sheet as CSV.
std::string csvOf(const Sheet& sheet);
/// A page as elements of HTML.
std::string htmlOf(const Page& page);
/// The body with such elements as a page of HTML that needs no other file, up to the body and behind it.
std::string_view htmlHead();
std::string_view htmlTail();

} // namespace planc::report
