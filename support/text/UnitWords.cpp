// The table of unit spellings that people write elsewhere.
// SPDX-License-Identifier: Apache-2.0
#include "support/text/UnitWords.h"

#include "support/text/Spelling.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

namespace planc {
namespace {

/// A spelling and its unit: alone, and next to a `/`. An ambiguous spelling has a second unit.
struct Word {
  std::string_view written;
  std::string_view alone;
  std::string_view side = alone;
  std::string_view other = {}; // the second unit
};

/// Spellings that take no prefix.
constexpr Word kWords[] = {
    {"sec", "s"},
    {"secs", "s"},
    {"second", "s"},
    {"seconds", "s"},
    {"S", "s"},
    {"msec", "ms"},
    {"millis", "ms"},
    {"millisecond", "ms"},
    {"milliseconds", "ms"},
    {"usec", "us"},
    {"micros", "us"},
    {"microsecond", "us"},
    {"microseconds", "us"},
    {"nsec", "ns"},
    {"nanos", "ns"},
    {"nanosecond", "ns"},
    {"nanoseconds", "ns"},
    {"mins", "min"},
    {"minute", "min"},
    {"minutes", "min"},
    {"m", "min", "min", "ms"},
    {"hr", "h"},
    {"hrs", "h"},
    {"hour", "h"},
    {"hours", "h"},
    {"H", "h"},
    {"day", "d"},
    {"days", "d"},
    {"usd", "USD"},
    {"dollar", "USD"},
    {"dollars", "USD"},
    {"watt", "W"},
    {"watts", "W"},
    {"Watt", "W"},
    {"Watts", "W"},
    {"joule", "J"},
    {"joules", "J"},
    {"gram", "g"},
    {"grams", "g"},
    {"tonne", "t"},
    {"tonnes", "t"},
    {"tons", "t"},
    {"tok", "tokens"},
    {"toks", "tokens"},
    {"tps", "tokens/s", "tokens"},
    {"gpu", "device"},
    {"gpus", "devices"},
    {"GPU", "device"},
    {"GPUs", "devices"},
    {"percent", "%"},
    {"pct", "%"},
};

/// Spellings that take a prefix such as `T` in `TFLOPS`. FLOPS is a rate unless it stands next to a `/`.
constexpr Word kStems[] = {
    {"FLOPS", "FLOP/s", "FLOP"},
    {"FLOPs", "FLOP/s", "FLOP", "FLOP"},
    {"FLOP", "FLOP"},
    {"Flops", "FLOP/s", "FLOP", "FLOP"},
    {"flops", "FLOP/s", "FLOP", "FLOP"},
    {"flop", "FLOP"},
    {"Flop", "FLOP"},
    {"F", "FLOP/s", "FLOP", "FLOP"},
    {"OPS", "FLOP/s", "FLOP"},
    {"Bps", "B/s", "B"},
    {"bps", "bps"},
    {"B", "B"},
    {"byte", "B"},
    {"bytes", "B"},
    {"Byte", "B"},
    {"Bytes", "B"},
    {"ib", "iB"},
    {"IB", "iB"},
    {"iByte", "iB"},
    {"iBytes", "iB"},
};

/// Spellings of bits that take a prefix. All in lower case (`gb`), bytes are as likely; after an upper-case prefix `b`
/// means bits.
constexpr std::array<std::string_view, 3> kBits{"b", "bit", "bits"};

bool isUnit(std::string_view text) {
  if (text.empty() || text.find_first_of("0123456789") != std::string_view::npos) return false; // digits of the number
  std::string bad;
  return parseQuantity(fmt::format("1{}", text), bad).has_value();
}

/// The prefix in the case that units use; '\0' if the letter is not a prefix.
char prefixOf(char letter) {
  constexpr std::string_view kSmall = "kmgtpez", kRight = "kMGTPEZ";
  const char small = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  const size_t at = kSmall.find(small);
  return at == std::string_view::npos ? '\0' : kRight[at];
}

/// The units that one word may mean, likeliest first. `side`: the word stands next to a `/`.
std::vector<std::string> wordMeans(std::string_view text, bool side) {
  std::vector<std::string> out;
  auto add = [&](std::string unit) {
    if (isUnit(unit) && std::find(out.begin(), out.end(), unit) == out.end()) out.push_back(std::move(unit));
  };
  if (isUnit(text)) return {std::string(text)};
  for (const Word& word : kWords)
    if (word.written == text) {
      add(std::string(side ? word.side : word.alone));
      if (!word.other.empty()) add(std::string(word.other));
      return out;
    }
  auto stems = [&](std::string_view prefix, std::string_view stem) {
    for (const Word& word : kStems) {
      if (word.written != stem) continue;
      add(fmt::format("{}{}", prefix, side ? word.side : word.alone));
      if (!side && !word.other.empty()) add(fmt::format("{}{}", prefix, word.other));
    }
  };
  stems("", text);
  if (const char prefix = text.empty() ? '\0' : prefixOf(text.front()); prefix && out.empty()) {
    stems(std::string_view(&prefix, 1), text.substr(1));
    if (prefix == 'k' && out.empty()) stems("K", text.substr(1)); // KiB has an upper-case K
  }
  return out;
}

/// `G` for `Gb`; nullopt if the word does not count bits.
std::optional<std::string> bitsPrefix(std::string_view text) {
  if (text.size() < 2 || !prefixOf(text.front())) return std::nullopt;
  if (std::find(kBits.begin(), kBits.end(), text.substr(1)) == kBits.end()) return std::nullopt;
  return std::string(1, prefixOf(text.front()));
}

/// The suggestion for a literal in bits (`400Gb/s`, `80gb`). Bits are supported only over time.
std::string bitsMeant(std::string_view number, std::string_view over, std::string_view under, std::string_view prefix) {
  const std::vector<std::string> below = wordMeans(under, true);
  const bool rate = !below.empty() && below.front() == "s", small = over.front() >= 'a' && over.front() <= 'z';
  const std::string bits = fmt::format("{}{}bps", number, prefix), bytes = fmt::format("{}{}B", number, prefix);
  if (!under.empty() && !rate) return "";
  if (!isUnit(fmt::format("{}bps", prefix)) || !isUnit(fmt::format("{}B", prefix))) return "";
  if (rate && !small) return fmt::format("`{}` counts bits: write `{}`", over, bits);
  if (rate) return fmt::format("write `{}/s` for bytes, `{}` for bits", bytes, bits);
  if (small) return fmt::format("did you mean `{}`? Rates in bits are written `{}`", bytes, bits);
  return fmt::format("`{}` counts bits: sizes are written in bytes, such as `{}B` (8 bits each), rates as `{}`", over,
                     prefix, bits);
}

/// The suggestion for `written` if it counts bits; empty otherwise.
std::string bitsWritten(std::string_view number, std::string_view written) {
  const size_t slash = written.find('/');
  const std::string_view over = written.substr(0, slash);
  const std::string_view under = slash == std::string_view::npos ? std::string_view() : written.substr(slash + 1);
  const auto prefix = bitsPrefix(over);
  return prefix ? bitsMeant(number, over, under, *prefix) : "";
}

/// The units that one side of the `/` may mean: from the table, otherwise by spelling.
std::vector<std::string> sideMeans(std::string_view text, bool side) {
  std::vector<std::string> found = wordMeans(text, side);
  if (found.empty()) found = allNearest(text, unitNames());
  return found;
}

} // namespace

std::string_view writtenUnit(std::string_view literal) {
  std::string bad;
  size_t end = std::min(literal.find('/'), literal.size());
  while (end > 0) { // the longest prefix that is a plain number
    const auto number = literal[end - 1] == '%' ? std::nullopt : parseQuantity(literal.substr(0, end), bad);
    if (number && number->unit.plain()) break;
    --end;
  }
  return literal.substr(end);
}

std::string unitMeant(std::string_view number, std::string_view written) {
  if (std::string bits = bitsWritten(number, written); !bits.empty()) return bits;
  const std::vector<std::string> meant = literalsMeant(number, written);
  return meant.empty() ? "" : fmt::format("did you mean {}?", quotedChoice(meant));
}

std::vector<std::string> literalsMeant(std::string_view number, std::string_view written) {
  constexpr size_t kMost = 4;
  if (!bitsWritten(number, written).empty()) return {};
  const size_t slash = written.find('/');
  const std::string_view over = written.substr(0, slash);
  const std::string_view under = slash == std::string_view::npos ? std::string_view() : written.substr(slash + 1);
  std::vector<std::string> units = sideMeans(over, !under.empty());
  if (!under.empty()) {
    const std::vector<std::string> below = sideMeans(under, true);
    std::vector<std::string> both;
    for (const std::string& unit : units)
      for (const std::string& per : below)
        if (unit.find('/') == std::string::npos) both.push_back(fmt::format("{}/{}", unit, per));
    units = std::move(both);
  }
  if (units.size() > kMost) units.resize(kMost);
  for (std::string& unit : units) unit.insert(0, number);
  return units;
}

std::string knownUnit(std::string_view written) {
  const std::vector<std::string> found = written == "%" ? std::vector<std::string>{"%"} : wordMeans(written, false);
  return found.size() == 1 ? found.front() : "";
}

std::string unitsFor(const Unit& unit) {
  if (unit.plain()) return "";
  std::vector<std::pair<double, std::string>> found;
  const bool perHour = unit == units::price;
  for (const std::string& name : unitNames())
    for (const std::string_view below : {"", "/s", "/h", "/token", "/device", "/kWh", "/FLOP"}) {
      std::string bad, text = name + std::string(below);
      const auto one = parseQuantity("1" + text, bad);
      // Skip powers of two, which only make the list longer, and quotients of power units: power is watts, not joules
      // over seconds.
      if (!one || one->unit != unit || name.ends_with("iB") || (unit == units::power && !below.empty())) continue;
      if (below == (perHour ? "/s" : "/h")) continue;
      auto same = std::find_if(found.begin(), found.end(), [&](const auto& f) { return f.first == one->value; });
      if (same == found.end())
        found.emplace_back(one->value, std::move(text));
      else if (text.size() == same->second.size() + 1) // prefers `tokens` to `token`, but `h` to `GPUh/device`
        same->second = std::move(text);
    }
  std::vector<std::string> names;
  for (auto& [value, text] : found) names.push_back(std::move(text));
  return names.size() > 1 ? "one of " + quotedList(names) : quotedList(names);
}

} // namespace planc
