// Numbers in foreign notation: separated from their units, or names that begin with a digit.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/parse/TokenTypes.h"
#include "frontend/parse/errors/SyntaxMessages.h"
#include "support/text/UnitWords.h"

#include <cctype>
#include <fmt/format.h>

namespace planc::parse {

PLANC_ERROR(UnitApart, 17, "a number and its unit must be written without a space")
PLANC_ERROR(NameBeginsWithDigit, 18, "`{word}` is not a name: it begins with a digit")

namespace {

bool isNumber(size_t type) {
  return type == Type::INT || type == Type::FLOAT || type == Type::QUANTITY;
}

SourceRange range(const ErrorSite& site, size_t begin, size_t end) {
  return {site.file.id, site.tokens[begin].begin, site.tokens[end - 1].end};
}

bool touches(const ErrorSite& site, size_t at) {
  return at > 0 && at + 1 < site.tokens.size() && site.tokens[at - 1].end == site.tokens[at].begin;
}

/// `10 s`, `300 GB/s`; also `20 %`, after which the grammar expects a divisor.
bool reportUnitApart(const ErrorSite& site, SyntaxReporter& reporter) {
  const bool percent = site.previousType() == Type::PERCENT;
  const size_t unit = percent ? site.error.at - 1 : site.error.at;
  const size_t type = unit > 0 ? site.type(unit - 1) : 0;
  if ((type != Type::INT && type != Type::FLOAT) || unit >= site.tokens.size() - 1) return false;
  std::string written = knownUnit(site.text(unit)); // `seconds` as `s`
  if (written.empty()) return false;
  size_t end = unit + 1;
  const bool over = !percent && site.type(end) == Type::SLASH && end + 2 < site.tokens.size();
  const std::string below = over ? knownUnit(site.text(end + 1)) : "";
  if (!below.empty()) written += "/" + below, end += 2;
  const std::string meant = fmt::format("{}{}", site.text(unit - 1), written), title = fmt::format("write `{}`", meant);
  const SourceRange place = range(site, unit - 1, end);
  reporter.report(UnitApart, place).help(title).fix({title, {{place, meant}}, true});
  return true;
}

/// `one_f_one_b` for `1f1b`: the name here of schedules and models whose usual names begin with a digit.
std::string inWords(std::string_view word) {
  static constexpr std::string_view kDigits[] = {"zero", "one", "two",   "three", "four",
                                                 "five", "six", "seven", "eight", "nine"};
  std::string text;
  bool letters = false;
  for (const char c : word) {
    const bool digit = c >= '0' && c <= '9';
    if (!text.empty() && text.back() != '_' && c != '_' && (digit || !letters)) text += '_';
    if (digit)
      text += kDigits[c - '0'];
    else
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    letters = !digit;
  }
  return text;
}

/// `1f1b`, `8x7b`: the lexer sees adjacent numbers with units.
bool reportDigitFirst(const ErrorSite& site, SyntaxReporter& reporter) {
  size_t begin = site.error.at, end = begin + 1;
  while (touches(site, begin) && (isNumber(site.type(begin - 1)) || isName(site.type(begin - 1)))) --begin;
  while (touches(site, end) && (isNumber(site.type(end)) || isName(site.type(end)))) ++end;
  const size_t type = site.found().getType();
  if (end - begin < 2 || !isNumber(site.type(begin)) || (!isNumber(type) && !isName(type))) return false;
  if (site.text(begin).ends_with('%')) return false; // `10%3` has its own hint
  const SourceRange place = range(site, begin, end);
  const std::string word(site.file.text.substr(place.begin, place.end - place.begin));
  const std::string meant = inWords(word);
  reporter.report(NameBeginsWithDigit, place, {{"word", word}})
      .help(fmt::format("did you mean `{}`? Spell out digits at the beginning of a name", meant))
      .fix({fmt::format("write `{}`", meant), {{place, meant}}});
  return true;
}

} // namespace

bool reportNumber(const ErrorSite& site, SyntaxReporter& reporter) {
  return site.error.at > 0 && (reportUnitApart(site, reporter) || reportDigitFirst(site, reporter));
}

} // namespace planc::parse
