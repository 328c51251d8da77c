// Reads the embedded tables.
// SPDX-License-Identifier: Apache-2.0
#include "import/Tables.h"

#include "support/files/Embedded.h"

#include <algorithm>
#include <fmt/format.h>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace planc::foreign {

using nlohmann::json;

namespace {

[[noreturn]] void failTable(std::string_view problem, const json& where) {
  throw std::logic_error(fmt::format("a table of imports: {}: {}", problem, where.dump().substr(0, 200)));
}

void checkKeys(const json& object, std::initializer_list<std::string_view> keys) {
  if (!object.is_object()) failTable("not an object", object);
  for (const auto& [key, value] : object.items())
    if (key != "source" && std::find(keys.begin(), keys.end(), key) == keys.end())
      failTable(fmt::format("unknown key `{}`", key), object);
}

std::string textOf(const json& object, const char* key) {
  return object.contains(key) ? object.at(key).get<std::string>() : std::string();
}

std::vector<std::string> listOf(const json& object, const char* key) {
  return object.contains(key) ? object.at(key).get<std::vector<std::string>>() : std::vector<std::string>();
}

Takes takesOf(const json& row) {
  static const std::map<std::string, Takes> kTakes = {
      {"", Takes::Any},        {"count", Takes::Count}, {"whole", Takes::Whole}, {"number", Takes::Number},
      {"truth", Takes::Truth}, {"not", Takes::Not},     {"flag", Takes::Flag},   {"text", Takes::Text}};
  const auto at = kTakes.find(textOf(row, "is"));
  if (at == kTakes.end()) failTable("unknown kind of value", row);
  return at->second;
}

ListPattern patternOf(const json& object) {
  checkKeys(object, {"start", "cycle", "end", "cut", "given"});
  ListPattern out{
      listOf(object, "start"), listOf(object, "cycle"), listOf(object, "end"), object.value("cut", false), {}};
  if (object.contains("given")) out.given = textsOf(object.at("given"));
  return out;
}

FieldRow rowOf(const json& row) {
  checkKeys(row, {"key", "as", "is", "words", "only", "patterns", "lacks", "leaves", "value"});
  FieldRow out;
  out.as = textOf(row, "as");
  out.takes = takesOf(row);
  if (row.contains("words")) out.words = textsOf(row.at("words"));
  out.only = listOf(row, "only");
  if (row.contains("patterns"))
    for (const json& pattern : row.at("patterns")) out.patterns.push_back(patternOf(pattern));
  out.leaves = row.contains("leaves");
  out.why = textOf(row, out.leaves ? "leaves" : "lacks");
  out.value = row.contains("value") ? textOf(row, "value") : "true";
  return out;
}

Target targetOf(const json& object) {
  checkKeys(object, {"path", "inside", "repeats", "arguments", "when", "present", "always", "statements"});
  Target out;
  out.path = textOf(object, "path");
  out.inside = textOf(object, "inside");
  out.repeats = object.value("repeats", false);
  out.present = listOf(object, "present");
  out.always = listOf(object, "always");
  for (const json& argument : object.at("arguments"))
    out.arguments.emplace_back(argument.at(0).get<std::string>(), argument.at(1).get<std::string>());
  if (object.contains("when"))
    for (const auto& [setting, values] : object.at("when").items())
      out.when[setting] = values.get<std::vector<std::string>>();
  if (object.contains("statements"))
    for (const json& row : object.at("statements"))
      out.statements.push_back(
          {row.at(0).get<std::string>(), row.at(1).get<std::string>(), row.at(2).get<std::string>()});
  return out;
}

} // namespace

std::map<std::string, std::string> textsOf(const json& object) {
  std::map<std::string, std::string> out;
  for (const auto& [key, value] : object.items()) out[key] = value.get<std::string>();
  return out;
}

bool FieldTable::ignores(std::string_view key) const {
  return std::any_of(ignored.begin(), ignored.end(), [&](std::string_view one) {
    if (one.ends_with('*')) return key.starts_with(one.substr(0, one.size() - 1));
    if (one.starts_with('*')) return key.ends_with(one.substr(1));
    return key == one;
  });
}

const FieldRow* FieldTable::row(std::string_view key) const {
  const auto at = rows.find(key);
  return at == rows.end() ? nullptr : &at->second;
}

void FieldTable::add(const FieldTable& more) {
  for (const auto& [key, row] : more.rows) rows[key] = row;
  for (const std::string& key : more.ignored) {
    rows.erase(key);
    ignored.push_back(key);
  }
}

const json& tableFile(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string, json, std::less<>> parsed;
  const std::lock_guard lock(mutex);
  if (const auto at = parsed.find(name); at != parsed.end()) return at->second;
  for (const EmbeddedFile& file : embeddedImportTables())
    if (file.path == name) return parsed.emplace(name, json::parse(file.text)).first->second;
  throw std::logic_error(fmt::format("there is no table {}", name));
}

FieldTable fieldTable(const json& object) {
  FieldTable out;
  if (object.contains("rows"))
    for (const json& one : object.at("rows")) {
      FieldRow row = rowOf(one);
      const json& keys = one.at("key");
      for (const std::string& key :
           keys.is_array() ? keys.get<std::vector<std::string>>() : std::vector{keys.get<std::string>()}) {
        row.key = key;
        out.rows[key] = row;
      }
    }
  out.ignored = listOf(object, "ignored");
  return out;
}

TargetTable targetTable(std::string_view name) {
  const json& file = tableFile(name);
  TargetTable out;
  for (const auto& [setting, value] : file.at("settings").items())
    out.settings[setting] = value.is_null() ? std::nullopt : std::optional(value.get<std::string>());
  for (const json& target : file.at("targets")) out.targets.push_back(targetOf(target));
  return out;
}

} // namespace planc::foreign
