// Reads objects of vocabularies and reports errors in them.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/samples/Vocabulary.h"

#include "support/files/Embedded.h"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

namespace planc::calibrate {

using nlohmann::json;

std::string_view vocabularyText(std::string_view file) {
  for (const EmbeddedFile& embedded : embeddedVocabularies())
    if (embedded.path == file) return embedded.text;
  throw std::logic_error(fmt::format("there is no vocabulary {}", file));
}

json parseVocabulary(std::string_view text) {
  try {
    return json::parse(text);
  } catch (const json::parse_error& e) {
    throw std::logic_error(e.what());
  }
}

VocabularyEntry::VocabularyEntry(const json& entry, std::string where, std::initializer_list<std::string_view> keys)
    : json_(entry), where_(std::move(where)) {
  if (!json_.is_object()) fail("is not an object");
  for (const auto& [key, value] : json_.items())
    if (key != "source" && std::find(keys.begin(), keys.end(), key) == keys.end())
      fail(fmt::format("`{}` is not one of its keys", key));
  if (has("source")) text("source");
}

void VocabularyEntry::fail(std::string_view problem) const {
  throw std::logic_error(fmt::format("{}: {}: {}", where_, problem, json_.dump().substr(0, 200)));
}

const json& VocabularyEntry::at(const char* key) const {
  const auto it = json_.find(key);
  if (it == json_.end()) fail(fmt::format("`{}` is missing", key));
  return *it;
}

std::string VocabularyEntry::text(const char* key) const {
  const json& value = at(key);
  if (!value.is_string() || value.get_ref<const std::string&>().empty()) fail(fmt::format("`{}` is not a string", key));
  return value;
}

double VocabularyEntry::number(const char* key) const {
  const json& value = at(key);
  if (!value.is_number()) fail(fmt::format("`{}` is not a number", key));
  return value;
}

bool VocabularyEntry::truth(const char* key) const {
  if (!has(key)) return false;
  if (!at(key).is_boolean()) fail(fmt::format("`{}` is neither true nor false", key));
  return at(key);
}

std::vector<std::string> VocabularyEntry::texts(const char* key) const {
  const json& list = at(key);
  if (!list.is_array() || !std::all_of(list.begin(), list.end(), [](const json& item) { return item.is_string(); }))
    fail(fmt::format("`{}` is not a list of strings", key));
  return list;
}

std::map<std::string, std::string, std::less<>> VocabularyEntry::words(const char* key) const {
  const json& object = at(key);
  if (!object.is_object() ||
      !std::all_of(object.begin(), object.end(), [](const json& item) { return item.is_string(); }))
    fail(fmt::format("`{}` are not words", key));
  std::map<std::string, std::string, std::less<>> out;
  for (const auto& [word, meaning] : object.items()) out.emplace(word, meaning);
  return out;
}

Kind VocabularyEntry::kind(const char* key) const {
  const std::optional<Kind> kind = parseKind(text(key));
  if (!kind) fail(fmt::format("`{}` is not a kind of samples", text(key)));
  return *kind;
}

VocabularyEntry VocabularyEntry::object(const char* key, std::initializer_list<std::string_view> keys) const {
  return VocabularyEntry(at(key), fmt::format("{}, {}", where_, key), keys);
}

std::vector<VocabularyEntry> VocabularyEntry::rows(const char* key,
                                                   std::initializer_list<std::string_view> keys) const {
  const json& list = at(key);
  if (!list.is_array() || list.empty()) fail(fmt::format("`{}` is not a list of rows", key));
  std::vector<VocabularyEntry> out;
  for (const json& row : list) out.emplace_back(row, fmt::format("{}, {} {}", where_, key, out.size() + 1), keys);
  return out;
}

TypeWords typeWords(const VocabularyEntry& file) {
  const VocabularyEntry types = file.object("types", {"names"});
  types.text("source");
  TypeWords out;
  for (const auto& [word, name] : types.words("names")) {
    const std::optional<ir::DType> type = ir::parseDType(name);
    if (!type) types.fail(fmt::format("`{}` is not an element type", name));
    out.emplace(word, *type);
  }
  return out;
}

std::optional<ir::DType> typeOf(const TypeWords& words, std::string_view name) {
  const auto it = words.find(name);
  return it == words.end() ? std::nullopt : std::optional(it->second);
}

} // namespace planc::calibrate
