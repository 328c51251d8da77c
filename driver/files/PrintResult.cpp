// Documents as text, JSON, CSV, Markdown and HTML on stdout.
// SPDX-License-Identifier: Apache-2.0
#include "driver/files/PrintResult.h"

#include "driver/files/JsonDocument.h"

#include <algorithm>

namespace planc::driver {
namespace {

using Documents = std::span<const report::Document>;

/// An empty line between two pages.
template <class Page> void printPages(Console& console, Documents documents, Page page) {
  for (const report::Document& document : documents)
    console.out((&document == documents.data() ? "" : "\n") + page(document));
}

void printText(Console& console, const ResultForm&, Documents documents) {
  printPages(console, documents, [&](const auto& document) { return textOf(document, console.colorOut()); });
}

void printMarkdown(Console& console, const ResultForm&, Documents documents) {
  printPages(console, documents, report::markdownOf);
}

void printHtml(Console& console, const ResultForm&, Documents documents) {
  console.out(report::htmlOf(documents));
}

/// Sheets of the same kind become one, with its heads once.
void printCsv(Console& console, const ResultForm&, Documents documents) {
  report::Document all;
  for (const report::Document& document : documents) all.append({.sheets = document.sheets});
  std::erase_if(all.sheets, [](const report::Sheet& sheet) { return sheet.empty(); });
  console.out(csvOf(all));
}

void printAsJson(Console& console, const ResultForm& form, Documents documents) {
  nlohmann::ordered_json root = nlohmann::ordered_json::object();
  if (form.list.empty()) {
    for (const report::Document& document : documents) root.update(document.data);
  } else {
    nlohmann::ordered_json& list = root[std::string(form.list)] = nlohmann::ordered_json::array();
    for (const report::Document& document : documents) list.push_back(document.data);
  }
  printJson(console, form.version, root);
}

struct ResultFormat {
  std::string_view name;
  void (*print)(Console& console, const ResultForm& form, Documents documents);
};
constexpr ResultFormat kFormats[] = {
    {"text", printText}, {"json", printAsJson}, {"csv", printCsv}, {"md", printMarkdown}, {"html", printHtml}};

} // namespace

std::vector<std::string_view> resultFormats() {
  std::vector<std::string_view> names;
  for (const ResultFormat& format : kFormats) names.push_back(format.name);
  return names;
}

void printResult(Console& console, std::string_view format, const ResultForm& form, Documents documents) {
  const auto found = std::ranges::find(kFormats, format, &ResultFormat::name);
  if (found != std::end(kFormats)) found->print(console, form, documents);
}

} // namespace planc::driver
