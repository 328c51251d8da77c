// Reads TOML by the reader of planc.toml.
// SPDX-License-Identifier: Apache-2.0
#include "import/Foreign.h"
#include "project/Toml.h"

#include <utility>

namespace planc::foreign {
namespace {

ForeignValue converted(const SourceManager& sources, const project::TomlValue& value) {
  using From = project::TomlValue::Kind;
  ForeignValue out;
  switch (value.kind) {
  case From::Number: {
    std::string word;
    for (const char c : sources.text(value.range))
      if (c != '_') word += c;
    if (word.starts_with('+')) word.erase(0, 1);
    out = valueOfWord(std::move(word), value.range);
    break;
  }
  case From::Truth:
    out.kind = ForeignValue::Kind::Truth;
    out.text = value.truth ? "true" : "false";
    break;
  case From::List:
    out.kind = ForeignValue::Kind::List;
    for (const project::TomlValue& item : value.items) out.items.push_back(converted(sources, item));
    break;
  case From::Table:
    out.kind = ForeignValue::Kind::Table;
    for (const project::TomlMember& member : value.members)
      out.members.push_back({member.name, member.range, converted(sources, member.value)});
    break;
  default:
    out.kind = ForeignValue::Kind::Text;
    out.text = value.kind == From::Text ? value.text : std::string(sources.text(value.range));
  }
  out.range = value.range;
  return out;
}

} // namespace

std::optional<ForeignValue> readToml(const SourceManager& sources, FileId file, DiagnosticEngine& found) {
  project::TomlMistake mistake;
  const std::optional<project::TomlValue> root = project::parseToml(sources, file, mistake);
  if (!root) {
    reportSyntax(found, mistake.range, "TOML", mistake.reason);
    return std::nullopt;
  }
  return converted(sources, *root);
}

} // namespace planc::foreign
