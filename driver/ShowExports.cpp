// Prints modules and their exports as text and JSON.
// SPDX-License-Identifier: Apache-2.0
#include "driver/ShowExports.h"

#include "driver/files/JsonDocument.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace planc::driver {

namespace {

using Json = nlohmann::ordered_json;

/// Longer names do not widen the column of names; they move only their own sentence.
constexpr size_t kWidest = 56;

void printRows(Console& console, const std::vector<std::pair<std::string, std::string>>& rows) {
  size_t width = 0;
  for (const auto& [name, text] : rows)
    if (!text.empty()) width = std::max(width, std::min(name.size(), kWidest));
  for (const auto& [name, text] : rows)
    console.out(text.empty() ? name + "\n" : fmt::format("{:<{}}  {}\n", name, width, text));
}

Json parameterJson(const api::ExportParameter& of) {
  return {{"name", of.name},
          {"type", orNull(of.type.text)},
          {"default", orNull(of.value.text)},
          {"where", orNull(of.where.text)}};
}

Json factJson(const api::ExportFact& of) {
  return {{"path", of.path},         {"value", of.value.text},      {"number", orNull(of.number)},
          {"unit", orNull(of.unit)}, {"source", orNull(of.source)}, {"from", orNull(of.from)}};
}

Json exportJson(const api::Export& of) {
  Json parameters = Json::array(), facts = Json::array();
  for (const api::ExportParameter& p : of.parameters) parameters.push_back(parameterJson(p));
  for (const api::ExportFact& f : of.facts) facts.push_back(factJson(f));
  return {{"kind", of.kind},
          {"module", of.module},
          {"name", of.name},
          {"file", of.path},
          {"line", of.line},
          {"signature", of.signature},
          {"parameters", parameters},
          {"sentence", orNull(of.sentence)},
          {"doc", orNull(of.doc)},
          {"deprecated", orNull(of.deprecated)},
          {"extends", orNull(of.extends)},
          {"facts", facts},
          {"text", of.text}};
}

} // namespace

void listModules(Console& console, const std::vector<api::ModuleHead>& modules) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const api::ModuleHead& module : modules) rows.emplace_back(module.name, module.sentence);
  printRows(console, rows);
}

void listExports(Console& console, const std::vector<api::Export>& exports) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const api::Export& one : exports) {
    std::string text = one.deprecated.empty() ? one.sentence : fmt::format("deprecated: {}", one.deprecated);
    if (text.empty() && one.inherited) text = one.value.text;
    if (text.empty() && !one.extends.empty()) text = "extends " + one.extends;
    rows.emplace_back(fmt::format("{}.{}", one.module, one.call()), std::move(text));
  }
  printRows(console, rows);
}

void printExport(Console& console, const api::Export& of) {
  console.out(fmt::format("// {}.{}, {}\n", of.module, of.name, of.place()));
  std::string_view doc = of.doc;
  while (!doc.empty()) {
    const size_t end = std::min(doc.find('\n'), doc.size());
    console.out(fmt::format("///{}{}\n", end == 0 ? "" : " ", doc.substr(0, end)));
    doc.remove_prefix(std::min(end + 1, doc.size()));
  }
  console.out(of.text + "\n");
}

Json exportsJson(const std::vector<api::ModuleHead>& modules, const std::vector<api::Export>& exports) {
  Json heads = Json::array(), all = Json::array();
  for (const api::ModuleHead& m : modules)
    heads.push_back({{"name", m.name}, {"file", m.path}, {"sentence", orNull(m.sentence)}});
  for (const api::Export& one : exports) all.push_back(exportJson(one));
  return {{"modules", heads}, {"exports", all}};
}

} // namespace planc::driver
