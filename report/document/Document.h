// A result before it has a format: numbers for programs, a page for people, tables for spreadsheets. Each result of
// planc makes one document; each format writes any document.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "report/tables/Cells.h"

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace planc::report {

/// A heading of a page. Text reports print it bold, whatever its level.
struct Heading {
  std::string text;
  int level = 2; ///< of Markdown and HTML
};

/// A sentence of a page, a line by itself.
struct Remark {
  std::string text;
  size_t indent = 2; ///< of text reports
};

/// A table of a page: cells as people read them.
struct Grid {
  std::string align; ///< a letter per column: `l` or `r`
  std::vector<std::vector<StyledText>> rows = {};
  size_t indent = 2; ///< of text reports
  bool heads = true; ///< the first row holds the heads

  /// Adds a row in one style.
  void add(const std::vector<std::string>& cells, TextStyle style = TextStyle::Plain);
  /// Whether it has no row below its heads.
  bool empty() const { return rows.size() < 2; }
};

/// An empty line between parts of a page.
struct Gap {};

using Block = std::variant<Heading, Remark, Grid, Gap>;

/// A table for spreadsheets: numbers in full, the first row holds the heads.
using Sheet = std::vector<std::vector<std::string>>;

/// A sheet as a table of a page, every column at the left.
Grid plainGrid(const Sheet& sheet);

struct Document {
  nlohmann::ordered_json data = {}; ///< members of the root of a JSON result, or one element of its list
  std::vector<Block> page = {};
  std::vector<Block> markdown = {}; ///< shown by Markdown in place of the page, unless it is empty
  std::vector<Sheet> sheets = {};

  /// Adds each line of a text to the page as a remark with its indentation.
  void addLines(std::string_view text);
  /// Adds the page, the sheets and the members of the data of another document behind its own.
  void append(Document other);
};

/// The page as plain text, in colours if asked.
std::string textOf(const Document& document, bool color);
std::string markdownOf(const Document& document);
/// The sheets, an empty line between two.
std::string csvOf(const Document& document);
/// The pages of documents as one page of HTML that needs no other file.
std::string htmlOf(std::span<const Document> documents);

} // namespace planc::report
