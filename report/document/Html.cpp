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

  /// An element around a text; none around an empty one.
  static std::string within(const char* tag, std::string_view text) {
    return text.empty() ? "" : fmt::format("<{0}>{1}</{0}>", tag, xmlText(text));
  }
  void operator()(const Heading& heading) {
    out += fmt::format("<h{0}>{1}{2}</h{0}>\n", heading.level, xmlText(heading.text), within("small", heading.about));
  }
  void operator()(const Remark& remark) {
    const std::string text = remark.style == TextStyle::Plain ? xmlText(remark.text) : within("b", remark.text);
    out += fmt::format("<p style=\"margin-left:{}em\">{}</p>\n", remark.indent, text);
  }
  void operator()(const Table& table) {
    out += "<table>\n";
    for (const std::vector<StyledText>& row : table.rows) {
      const char* const tag = table.headed && &row == table.rows.data() ? "th" : "td";
      out += "<tr>";
      for (size_t i = 0; i < row.size(); ++i)
        out += fmt::format("<{0}{1}>{2}</{0}>", tag, table.align[i] == 'r' ? " class=\"r\"" : "", xmlText(row[i].text));
      out += "</tr>\n";
    }
    out += "</table>\n";
  }
  void operator()(const Code& code) { out += fmt::format("<pre>{}</pre>\n", xmlText(code.text)); }
  void operator()(const Gap&) {}
};

} // namespace

std::string htmlOf(const Page& page) {
  HtmlBlocks body;
  for (const Block& block : page) std::visit(body, block);
  return std::move(body.out);
}

std::string_view htmlHead() {
  static const std::string head =
      fmt::format("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>planc</title>\n"
                  "<style>{}</style>\n</head>\n<body>\n",
                  kStyle);
  return head;
}

std::string_view htmlTail() {
  return "</body>\n</html>\n";
}

} // namespace planc::report
