// Wraps toml++, without exceptions, and converts its nodes to plain data. No other file uses toml++.
// SPDX-License-Identifier: Apache-2.0
#include "project/Toml.h"

#include <algorithm>
#include <map>
#define TOML_EXCEPTIONS 0
// Limits the nesting of lists. planc.toml nests none; the parser recurses on each level, so that a hostile file could
// overflow the stack.
#define TOML_MAX_NESTED_VALUES 16
#include <toml++/toml.h>

namespace planc::project {
namespace {

/// Converts lines and columns in code points, as toml++ counts them, to byte offsets.
class Places {
public:
  Places(const SourceManager& sources, FileId file) : text_(sources.text(file)), file_(file) {
    for (size_t at = 0; at != std::string_view::npos; at = text_.find('\n', at), at += at != std::string_view::npos)
      lines_.push_back(at);
  }

  /// The byte offset of a position. A position outside of the text, such as after the last line, maps to the end of the
  /// text.
  uint32_t offset(const toml::source_position& position) const {
    if (position.line == 0 || position.line > lines_.size()) return static_cast<uint32_t>(text_.size());
    const std::vector<uint32_t>& columns = columnsOf(position.line - 1);
    return columns[std::min<size_t>(std::max<size_t>(position.column, 1), columns.size()) - 1];
  }
  SourceRange range(const toml::source_region& region) const {
    const uint32_t begin = offset(region.begin), end = offset(region.end);
    return {file_, begin, std::max(begin, end)};
  }

private:
  /// The byte offset of each code point of a line, followed by the end of the line. Cached, because one line may hold
  /// the whole file.
  const std::vector<uint32_t>& columnsOf(size_t line) const {
    std::vector<uint32_t>& columns = columns_[line];
    if (!columns.empty()) return columns;
    size_t at = lines_[line];
    for (; at < text_.size() && text_[at] != '\n'; ++at)
      if ((static_cast<unsigned char>(text_[at]) & 0xC0) != 0x80) columns.push_back(static_cast<uint32_t>(at));
    columns.push_back(static_cast<uint32_t>(at));
    return columns;
  }

  std::string_view text_;
  FileId file_;
  std::vector<size_t> lines_;
  mutable std::map<size_t, std::vector<uint32_t>> columns_; ///< for lines that were requested
};

TomlValue::Kind kindOf(const toml::node& node) {
  using Kind = TomlValue::Kind;
  switch (node.type()) {
  case toml::node_type::string:
    return Kind::Text;
  case toml::node_type::boolean:
    return Kind::Truth;
  case toml::node_type::integer:
  case toml::node_type::floating_point:
    return Kind::Number;
  case toml::node_type::array:
    return Kind::List;
  case toml::node_type::table:
    return Kind::Table;
  default:
    return Kind::Date;
  }
}

/// The offset after a quoted text that begins at `at`. An unterminated text ends with its line. A text in triple quotes
/// spans lines, and up to two more quotes may precede its closing three.
size_t behindQuoted(std::string_view text, size_t at) {
  const char quote = text[at];
  const std::string three(3, quote);
  const bool lines = text.substr(at, 3) == three;
  const std::string_view end = lines ? std::string_view(three) : std::string_view(three).substr(2);
  for (at += end.size(); at < text.size(); ++at) {
    if (!lines && text[at] == '\n') return at;
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (text.substr(at, end.size()) == end) {
      at += end.size();
      for (int more = 0; lines && more < 2 && at < text.size() && text[at] == quote; ++more) ++at;
      return at;
    }
  }
  return text.size();
}

/// The end of a name with more than this many parts (`a.a.a…`); nullopt if there is none. Each part is a table in the
/// previous one, and toml++ limits only the depth of values, so that such a name would overflow the stack.
std::optional<size_t> endlessName(std::string_view text) {
  constexpr size_t kMostParts = 256;
  size_t parts = 0;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '"' || text[at] == '\'') {
      at = behindQuoted(text, at);
      continue;
    }
    if (text[at] == '#') {
      at = text.find('\n', at);
      continue;
    }
    if (std::string_view("=,[]{}\n").find(text[at]) != std::string_view::npos) parts = 0;
    if (text[at] == '.' && ++parts >= kMostParts) return at;
    ++at;
  }
  return std::nullopt;
}

/// Recursion is limited by the depth of values and names.
TomlValue valueOf(const toml::node& node, const Places& places) {
  TomlValue out;
  out.kind = kindOf(node);
  out.range = places.range(node.source());
  if (const auto* text = node.as_string()) out.text = text->get();
  if (const auto* truth = node.as_boolean()) out.truth = truth->get();
  if (const auto* list = node.as_array())
    for (const toml::node& item : *list) out.items.push_back(valueOf(item, places));
  if (const auto* table = node.as_table()) {
    for (const auto& [key, value] : *table)
      out.members.push_back({std::string(key.str()), places.range(key.source()), valueOf(value, places)});
    std::sort(out.members.begin(), out.members.end(),
              [](const TomlMember& a, const TomlMember& b) { return a.range.begin < b.range.begin; });
  }
  return out;
}

} // namespace

std::string TomlValue::kindName() const {
  switch (kind) {
  case Kind::Text:
    return "a text";
  case Kind::Number:
    return "a number";
  case Kind::Truth:
    return "true or false";
  case Kind::Date:
    return "a date or a time";
  case Kind::List:
    return "a list";
  case Kind::Table:
    break;
  }
  return "a table";
}

std::string tomlText(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::optional<TomlValue> parseToml(const SourceManager& sources, FileId file, TomlMistake& mistake) {
  const Places places(sources, file);
  if (const auto at = endlessName(sources.text(file))) {
    const auto end = static_cast<uint32_t>(*at);
    mistake = {"a key with too many parts", {file, end, end + 1}};
    return std::nullopt;
  }
  const toml::parse_result result = toml::parse(sources.text(file));
  if (result) return valueOf(result.table(), places);
  mistake.reason = result.error().description();
  mistake.range = places.range(result.error().source());
  return std::nullopt;
}

} // namespace planc::project
