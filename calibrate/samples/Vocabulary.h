// Vocabularies: how programs of others call what the library calls otherwise. Each is a file of `vocabulary/`, embedded
// when planc is built, and read by the file of its name here. A word that no reader knows is a bug of planc, which the
// tests find: std::logic_error says where it stands.
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

/// The text of `kineto.json`, ….
std::string_view vocabularyText(std::string_view file);

/// An object of a vocabulary. It has the keys that are named and no others, beside `source`.
class Entry {
public:
  /// `where` is how messages call it; `keys` are those that it may have.
  Entry(const nlohmann::json& json, std::string where, std::initializer_list<std::string_view> keys);

  bool has(const char* key) const { return json_.contains(key); }
  std::string text(const char* key) const;
  double number(const char* key) const;
  /// False where it is not given.
  bool truth(const char* key) const;
  std::vector<std::string> texts(const char* key) const;
  /// Words by word: `{"float": "fp32"}`.
  std::map<std::string, std::string, std::less<>> words(const char* key) const;
  Kind kind(const char* key) const;
  Entry object(const char* key, std::initializer_list<std::string_view> keys) const;
  /// The objects of a list.
  std::vector<Entry> rows(const char* key, std::initializer_list<std::string_view> keys) const;
  [[noreturn]] void fail(std::string_view problem) const;

private:
  const nlohmann::json& at(const char* key) const;

  const nlohmann::json& json_;
  std::string where_;
};

/// A whole file.
nlohmann::json parseVocabulary(std::string_view text);

using TypeWords = std::map<std::string, ir::DType, std::less<>>;
/// `types` of a file: element types by the names of others, each with a source.
TypeWords typeWords(const Entry& file);
/// Nothing for a name that is not there.
std::optional<ir::DType> typeOf(const TypeWords& words, std::string_view name);

} // namespace planc::calibrate
