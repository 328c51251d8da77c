// Dates of releases of a software.
// SPDX-License-Identifier: Apache-2.0
#include "ir/machine/Release.h"

#include <algorithm>
#include <charconv>

namespace planc::ir {

namespace {

constexpr int kMonths = 12;

/// Returns the number that the text is, if it has digits only.
std::optional<int> wholeNumber(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool digits = std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  return digits && error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<ReleaseSpan> dateOf(std::string_view date) {
  constexpr size_t kYear = 4, kDate = 7;
  if (date.size() != kYear && (date.size() != kDate || date[kYear] != '-')) return std::nullopt;
  const std::optional<int> year = wholeNumber(date.substr(0, kYear));
  if (!year) return std::nullopt;
  if (date.size() == kYear) return ReleaseSpan{*year * kMonths, *year * kMonths + kMonths - 1};
  const std::optional<int> month = wholeNumber(date.substr(kYear + 1));
  if (!month || *month < 1 || *month > kMonths) return std::nullopt;
  return ReleaseSpan{*year * kMonths + *month - 1, *year * kMonths + *month - 1};
}

} // namespace

std::optional<ReleaseSpan> parseRelease(std::string_view text) {
  constexpr std::string_view kTo = " to ";
  const size_t to = text.find(kTo);
  if (to == std::string_view::npos) return dateOf(text);
  const std::optional<ReleaseSpan> from = dateOf(text.substr(0, to)), until = dateOf(text.substr(to + kTo.size()));
  if (!from || !until || until->last < from->first) return std::nullopt;
  return ReleaseSpan{from->first, until->last};
}

} // namespace planc::ir
