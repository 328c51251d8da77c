// Vocabularies translate names of other programs into names of the library. Each is a file of `vocabulary/` that is
// embedded when planc is built and read by the source file of its name. An unknown word is a bug of planc, which tests
// find: std::logic_error names its place.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/samples/Sample.h"

#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace planc::calibrate {

/// Returns the text of `kineto.json`, ….
std::string_view vocabularyText(std::string_view file);

/// An object of a vocabulary. It may have the named keys and `source`, and no others.
class VocabularyEntry {
public:
  /// `where`: its name in messages. `keys`: the keys that it may have.
  VocabularyEntry(const nlohmann::json& json, std::string where, std::initializer_list<std::string_view> keys);

  bool has(const char* key) const { return json_.contains(key); }
  std::string text(const char* key) const;
  double number(const char* key) const;
  /// Returns a boolean; false if the key is missing.
  bool truth(const char* key) const;
  std::vector<std::string> texts(const char* key) const;
  /// Returns an object of strings by key: `{"float": "fp32"}`.
  std::map<std::string, std::string, std::less<>> words(const char* key) const;
  Kind kind(const char* key) const;
  VocabularyEntry object(const char* key, std::initializer_list<std::string_view> keys) const;
  /// Returns the objects of a list.
  std::vector<VocabularyEntry> rows(const char* key, std::initializer_list<std::string_view> keys) const;
  [[noreturn]] void fail(std::string_view problem) const;

private:
  const nlohmann::json& at(const char* key) const;

  const nlohmann::json& json_;
  std::string where_;
};

/// Parses a whole vocabulary file.
nlohmann::json parseVocabulary(std::string_view text);

using TypeWords = std::map<std::string, ir::DType, std::less<>>;
/// Returns `types` of a file: element types by their names in other programs, each with a source.
TypeWords typeWords(const VocabularyEntry& file);
/// Returns nothing if the name is unknown.
std::optional<ir::DType> typeOf(const TypeWords& words, std::string_view name);

} // namespace planc::calibrate
