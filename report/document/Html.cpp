// Documents as pages of HTML that need nothing beside them.
// SPDX-License-Identifier: Apache-2.0
#include "report/document/Document.h"
#include "report/tables/Svg.h"

#include <fmt/format.h>

namespace planc::report {
namespace {

constexpr std::string_view kStyle =
    "body{font:15px/1.5 system-ui,sans-serif;margin:2em;max-width:80em}table{border-collapse:collapse;margin:1em 0}"
    "td,th{padding:.2em .8em;border-bottom:1px solid #ddd;text-align:left}.r{text-align:right}p{margin:.3em 0}";

/// Writes blocks as elements of a body.
struct HtmlBlocks {
  std::string out = {};

  void operator()(const Heading& heading) {
    out += fmt::format("<h{0}>{1}</h{0}>\n", heading.level, xmlText(heading.text));
  }
  void operator()(const Remark& remark) {
    out += fmt::format("<p style=\"margin-left:{}em\">{}</p>\n", remark.indent, xmlText(remark.text));
  }
  void operator()(const Grid& grid) {
    out += "<table>\n";
    for (const std::vector<StyledText>& row : grid.rows) {
      const char* const tag = grid.heads && &row == grid.rows.data() ? "th" : "td";
      out += "<tr>";
      for (size_t i = 0; i < row.size(); ++i)
        out += fmt::format("<{0}{1}>{2}</{0}>", tag, grid.align[i] == 'r' ? " class=\"r\"" : "", xmlText(row[i].text));
      out += "</tr>\n";
    }
    out += "</table>\n";
  }
  void operator()(const Gap&) {}
};

} // namespace

std::string htmlOf(std::span<const Document> documents) {
  HtmlBlocks body;
  for (const Document& document : documents)
    for (const Block& block : document.page) std::visit(body, block);
  return fmt::format("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>planc</title>\n"
                     "<style>{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
                     kStyle, body.out);
}

} // namespace planc::report
