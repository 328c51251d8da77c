// The order of layers of Nemotron's hybrids: a text such as `MEMEM*EM-`, or a list of kinds, as counts of repeated
// turns.
// SPDX-License-Identifier: Apache-2.0
#include "import/Formats.h"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

namespace planc::foreign {

bool settleHybrid(Reading& reading);

namespace {

/// `M` for Mamba-2, `E` for experts, `*` for attention, `-` for a feed-forward part; empty if a word is unknown.
std::string orderOf(const std::string& text) {
  if (text.find(' ') == std::string::npos) return text.find_first_not_of("ME*-") == std::string::npos ? text : "";
  std::string out, word;
  for (std::istringstream words(text); words >> word;) {
    const char kind = word == "mamba"       ? 'M'
                      : word == "moe"       ? 'E'
                      : word == "attention" ? '*'
                      : word == "mlp"       ? '-'
                                            : ' ';
    if (kind == ' ') return "";
    out += kind;
  }
  return out;
}

/// How many times `pair` stands before each `M*` and `second`, and after the last; empty if the order is another one.
std::vector<int64_t> turnsOf(const std::string& order, const std::string& pair) {
  const std::string turn = std::string("M*") + pair[1];
  std::vector<int64_t> out{0};
  for (size_t at = 0; at < order.size();) {
    if (order.compare(at, turn.size(), turn) == 0) {
      out.push_back(0);
      at += turn.size();
    } else if (order.compare(at, pair.size(), pair) == 0) {
      ++out.back();
      at += pair.size();
    } else
      return {};
  }
  return out;
}

/// The shortest prefix of which `counts` are repetitions.
size_t periodOf(const std::vector<int64_t>& counts) {
  for (size_t period = 1; period < counts.size(); ++period) {
    bool repeats = counts.size() % period == 0;
    for (size_t i = period; repeats && i < counts.size(); ++i) repeats = counts[i] == counts[i - period];
    if (repeats) return period;
  }
  return counts.size();
}

/// Sets the turns of Nemotron 3: `periods` of `between` and `more`, `later_periods`, `last`, `rest`.
void setSparseTurns(Settings& settings, std::vector<int64_t> counts) {
  settings.set("family", std::string("nemotron3"));
  settings.set("rest", counts.back());
  counts.pop_back();
  settings.set("last", int64_t(0));
  const size_t period = periodOf(counts);
  const auto run = [&](size_t from) { // the length of the run of equal counts
    size_t to = from;
    while (to + 1 < counts.size() && counts[to] == counts[from]) ++to;
    return to - from;
  };
  const size_t first = run(0), second = first < counts.size() ? run(first) : 0;
  const bool simple = period > 2 && counts.back() > 0 && first > 0 &&
                      (first + 1 == counts.size() || (second > 0 && first + second + 1 == counts.size()));
  settings.set("between", counts[0]);
  if (simple) {
    settings.set("periods", static_cast<int64_t>(first));
    if (first + 1 < counts.size()) {
      settings.set("later_periods", static_cast<int64_t>(second));
      settings.set("later_between", counts[first]);
    }
    settings.set("last", counts.back());
    return;
  }
  settings.set("periods", static_cast<int64_t>(counts.size() / period));
  std::string more;
  for (size_t i = 1; i < period; ++i) more += fmt::format("{}{}", more.empty() ? "" : ", ", counts[i]);
  settings.set("more", "[" + more + "]");
}

/// Sets the turns of Nemotron-H; returns false if the counts between turns differ.
bool setPlainTurns(Settings& settings, const std::vector<int64_t>& counts) {
  const int64_t between = counts.size() > 2 ? counts[1] : counts.back();
  for (size_t i = 1; i + 1 < counts.size(); ++i)
    if (counts[i] != between) return false;
  if (counts.back() < between) return false;
  settings.set("family", std::string("nemotron_h"));
  settings.set("first", counts.front());
  settings.set("periods", static_cast<int64_t>(counts.size()) - 1);
  settings.set("between", between);
  settings.set("rest", counts.back() - between);
  return true;
}

} // namespace

bool settleHybrid(Reading& reading) {
  const Setting* order = reading.settings.find("hybrid");
  if (!order) {
    reading.missing("hybrid_override_pattern", "the order of the layers");
    return false;
  }
  const Setting given = *order;
  reading.settings.erase("hybrid");
  const std::string kinds = orderOf(given.value);
  std::vector<int64_t> counts = turnsOf(kinds, "ME");
  if (counts.size() > 1) {
    setSparseTurns(reading.settings, counts);
    reading.settings.erase("ffn");
    return true;
  }
  counts = turnsOf(kinds, "M-");
  if (counts.size() > 1 && setPlainTurns(reading.settings, counts)) return true;
  reading.lacks(
      given.key, given.range, given.value,
      "the library has layers of Mamba-2 and of experts (or feed-forward parts) in pairs, with attention between them");
  return false;
}

} // namespace planc::foreign
