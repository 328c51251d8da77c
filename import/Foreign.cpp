// Values of foreign files, and the errors that all readers share.
// SPDX-License-Identifier: Apache-2.0
#include "import/Foreign.h"

#include "support/text/Spelling.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace planc::foreign {

PLANC_ERROR(ForeignSyntax, 1201, "this is not {format}: {reason}")
PLANC_ERROR(ForeignRepeat, 1202, "`{key}` is given twice, with two values")
PLANC_WARNING(ForeignRepeated, 1217, "`{key}` is given twice, with the same value")

std::string_view ForeignValue::kindName() const {
  static constexpr std::string_view kNames[] = {"null", "true or false", "a number", "a text", "a list", "a table"};
  return kind == Kind::Truth ? std::string_view(text) : kNames[static_cast<size_t>(kind)];
}

namespace {

/// The length of the UTF-8 sequence at the front of a text; 0 if its first byte begins none.
size_t sequenceLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const size_t length = byte(0) < 0x80 ? 1 : byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) >= 0x80 && (byte(0) < 0xC2 || byte(0) > 0xF4)) return 0;
  if (length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const bool overlong = (byte(0) == 0xE0 && byte(1) < 0xA0) || (byte(0) == 0xF0 && byte(1) < 0x90);
  const bool beyond = (byte(0) == 0xED && byte(1) > 0x9F) || (byte(0) == 0xF4 && byte(1) > 0x8F);
  return overlong || beyond ? 0 : length;
}

} // namespace

std::string oneLine(std::string_view text, size_t most) {
  std::string out;
  while (!text.empty()) {
    if (out.size() >= most) return out + "…";
    const size_t length = sequenceLength(text);
    const bool control =
        length == 1 && (static_cast<unsigned char>(text[0]) < ' ' || text[0] == 0x7f || text[0] == '`');
    const bool c1 =
        length == 2 && static_cast<unsigned char>(text[0]) == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
    if (length == 0)
      out += '?';
    else if (control || c1)
      out += ' ';
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return out;
}

std::string ForeignValue::shown() const {
  switch (kind) {
  case Kind::Null:
    return "null";
  case Kind::Text:
    return "\"" + oneLine(text) + "\"";
  case Kind::List: {
    constexpr size_t kFew = 4;
    std::string out = "[";
    for (size_t i = 0; i < items.size() && i < kFew; ++i) out += (i ? ", " : "") + items[i].shown();
    return out + (items.size() > kFew ? ", …]" : "]");
  }
  case Kind::Table:
    return "{…}";
  default:
    return oneLine(text);
  }
}

const ForeignValue* ForeignValue::member(std::string_view name) const {
  for (const ForeignMember& one : members)
    if (one.name == name) return &one.value;
  return nullptr;
}

ForeignValue valueOfWord(std::string word, SourceRange range) {
  ForeignValue out;
  out.range = range;
  out.kind = ForeignValue::Kind::Text;
  if (word == "true" || word == "True" || word == "false" || word == "False") {
    out.kind = ForeignValue::Kind::Truth;
    word[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(word[0])));
  }
  int64_t whole = 0;
  double number = 0;
  const char *begin = word.data(), *end = begin + word.size();
  if (const auto [at, error] = std::from_chars(begin, end, number);
      !word.empty() && at == end && error != std::errc::invalid_argument) {
    out.kind = ForeignValue::Kind::Number;
    out.number = error == std::errc() ? number : std::numeric_limits<double>::infinity();
    if (const auto [to, bad] = std::from_chars(begin, end, whole); to == end && bad == std::errc()) out.whole = whole;
  }
  out.text = std::move(word);
  return out;
}

void reportSyntax(DiagnosticEngine& found, SourceRange range, std::string_view format, std::string_view reason) {
  found.report(ForeignSyntax, range, {{"format", format}, {"reason", oneLine(reason, 120)}})
      .help("correct the file, or export it again");
}

bool reportRepeats(ForeignValue& table, DiagnosticEngine& found) {
  std::map<std::string, size_t, std::less<>> first;
  std::vector<ForeignMember> kept;
  bool differ = false;
  for (ForeignMember& one : table.members) {
    const auto [at, added] = first.emplace(one.name, kept.size());
    if (added) {
      kept.push_back(std::move(one));
      continue;
    }
    const ForeignMember& other = kept[at->second];
    const bool equal = other.value.kind == one.value.kind && other.value.shown() == one.value.shown();
    differ = differ || !equal;
    found.report(equal ? ForeignRepeated : ForeignRepeat, one.range, {{"key", oneLine(one.name)}})
        .label(other.range, "given here first")
        .help(equal ? "remove one of the two" : "remove one of the two: programs disagree which one counts");
  }
  table.members = std::move(kept);
  return differ;
}

} // namespace planc::foreign
