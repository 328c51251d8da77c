// Parses and compares versions.
// SPDX-License-Identifier: Apache-2.0
#include "packages/Version.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace planc::packages {
namespace {

/// Takes the text up to the next `mark` off the front, together with the mark; takes all of it if there is no mark.
std::string_view takeUntil(std::string_view& text, char mark) {
  const size_t end = std::min(text.find(mark), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

bool isNumber(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<uint32_t> numberOf(std::string_view word) {
  constexpr size_t kMostDigits = 9;
  uint32_t number = 0;
  if (!isNumber(word) || word.size() > kMostDigits || (word.size() > 1 && word[0] == '0')) return std::nullopt;
  std::from_chars(word.data(), word.data() + word.size(), number);
  return number;
}

bool isBefore(std::string_view text) {
  const auto word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  };
  if (text.empty() || text.ends_with('.')) return false;
  while (!text.empty()) {
    const std::string_view part = takeUntil(text, '.');
    if (part.empty() || !std::all_of(part.begin(), part.end(), word)) return false;
    if (isNumber(part) && !numberOf(part)) return false;
  }
  return true;
}

/// Compares pre-release parts: numbers compare as numbers and sort before words.
std::strong_ordering ordered(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const std::string_view mine = takeUntil(a, '.'), other = takeUntil(b, '.');
    if (mine == other) continue;
    const std::optional<uint32_t> left = numberOf(mine), right = numberOf(other);
    if (left && right) return *left <=> *right;
    if (left.has_value() != right.has_value()) return left ? std::strong_ordering::less : std::strong_ordering::greater;
    return mine.compare(other) <=> 0;
  }
  return a.size() <=> b.size();
}

std::optional<Version> numbersOf(std::string_view text, size_t least) {
  Version version;
  size_t count = 0;
  if (text.ends_with('.')) return std::nullopt;
  for (uint32_t* number : {&version.major, &version.minor, &version.patch}) {
    if (text.empty()) break;
    const std::optional<uint32_t> read = numberOf(takeUntil(text, '.'));
    if (!read) return std::nullopt;
    *number = *read;
    ++count;
  }
  return count >= least && text.empty() ? std::optional(version) : std::nullopt;
}

} // namespace

std::optional<Version> Version::parse(std::string_view text) {
  const bool early = text.find('-') != std::string_view::npos;
  const std::string_view numbers = takeUntil(text, '-');
  std::optional<Version> version = numbersOf(numbers, 3);
  if (!version || (early && !isBefore(text))) return std::nullopt;
  version->before = text;
  return version;
}

std::optional<Version> Version::ofTag(std::string_view tag) {
  if (tag.starts_with('v')) tag.remove_prefix(1);
  return parse(tag);
}

std::string Version::text() const {
  return fmt::format("{}.{}.{}{}{}", major, minor, patch, before.empty() ? "" : "-", before);
}

std::strong_ordering Version::operator<=>(const Version& other) const {
  if (const auto order = major <=> other.major; order != 0) return order;
  if (const auto order = minor <=> other.minor; order != 0) return order;
  if (const auto order = patch <=> other.patch; order != 0) return order;
  if (before.empty() || other.before.empty()) return before.empty() <=> other.before.empty();
  return ordered(before, other.before);
}

const Version& plancVersion() {
  static const Version version = Version::parse(PLANC_VERSION).value();
  return version;
}

std::optional<Version> leastPlanc(std::string_view text) {
  constexpr std::string_view kAtLeast = ">=";
  if (!text.starts_with(kAtLeast)) return std::nullopt;
  text.remove_prefix(kAtLeast.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return numbersOf(text, 1);
}

} // namespace planc::packages
