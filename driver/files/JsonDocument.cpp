// Writes JSON results piece by piece.
// SPDX-License-Identifier: Apache-2.0
#include "driver/files/JsonDocument.h"

#include "driver/words/Help.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace planc::driver {
namespace {

using Json = nlohmann::ordered_json;
constexpr int kIndent = 2;

} // namespace

std::string JsonStream::dumped(const Json& value) {
  return value.dump(kIndent, ' ', false, Json::error_handler_t::replace);
}

/// Writes the separator and indentation of the next value or name.
void JsonStream::place() {
  if (std::exchange(named_, false) || open_.empty()) return;
  text_.add(std::exchange(open_.back().any, true) ? ",\n" : "\n");
  text_.add(std::string(kIndent * open_.size(), ' '));
}

void JsonStream::begin(char bracket) {
  place();
  text_.add(std::string(1, bracket));
  open_.push_back({bracket == '{' ? '}' : ']'});
}

void JsonStream::key(std::string_view name) {
  place();
  text_.add(dumped(Json(name)) + ": ");
  named_ = true;
}

void JsonStream::dumpedValue(std::string_view text) {
  place();
  // line breaks in strings are escaped, so each one here separates lines
  const std::string indent(kIndent * open_.size(), ' ');
  for (size_t from = 0; from < text.size();) {
    const size_t line = std::min(text.find('\n', from), text.size() - 1) + 1;
    text_.add(text.substr(from, line - from));
    if (line < text.size()) text_.add(indent);
    from = line;
  }
}

void JsonStream::member(std::string_view name, const Json& of) {
  key(name);
  value(of);
}

void JsonStream::members(const Json& of) {
  for (const auto& [name, value] : of.items()) member(name, value);
}

void JsonStream::end() {
  const Level level = open_.back();
  open_.pop_back();
  if (level.any) text_.add("\n" + std::string(kIndent * open_.size(), ' '));
  text_.add(std::string(1, level.close));
}

nlohmann::ordered_json orNull(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

void addInputs(JsonStream& root, const Inputs& inputs) {
  root.member("inputs", inputs.json());
  root.member("library_sha256", libraryDigest());
}

JsonDocument::JsonDocument(std::string_view format) {
  json_.begin('{');
  json_.member("format_version", format);
  json_.member("planc", versionNumber());
}

void JsonDocument::print(Console& console) {
  json_.member("diagnostics", console.diagnosticsJson());
  if (!console.suppressedJson().empty()) json_.member("suppressed", console.suppressedJson());
  json_.end();
  json_.text().print(console);
  console.out("\n");
}

void printJson(Console& console, std::string_view format, const Json& found) {
  JsonDocument document(format);
  document.found().members(found);
  document.print(console);
}

} // namespace planc::driver
