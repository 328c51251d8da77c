// Which metrics an unknown name is about, where it is spelled like none: `run.days` for `run.time`.
// SPDX-License-Identifier: Apache-2.0
#include "backends/verdict/ExprText.h"
#include "backends/verdict/Metric.h"
#include "support/text/UnitWords.h"

#include <algorithm>

namespace planc::verdict {
namespace {

/// The words of a name or of a sentence: `run`, `days` of `run.days`.
std::vector<std::string> wordsOf(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (letter)
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

/// How much of what `asked` says a metric is about: a word of its name counts more than one of its unit, and that more
/// than one that only its description has.
int relation(const std::vector<std::string>& asked, const Metric& metric) {
  const auto has = [](const std::vector<std::string>& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  const std::vector<std::string> name = wordsOf(metric.name()), about = wordsOf(metric.word->doc),
                                 unit = wordsOf(typeText(metric.isBool, metric.unit));
  int sum = 0;
  for (const std::string& word : asked) sum += has(name, word) ? 4 : has(unit, word) ? 2 : has(about, word) ? 1 : 0;
  return sum;
}

} // namespace

std::vector<std::string> relatedMetrics(std::string_view asked) {
  constexpr size_t kOffered = 3;
  const std::vector<std::string> words = wordsOf(asked);
  std::vector<std::pair<int, std::string>> found;
  for (const Metric* m : metrics().rows())
    if (const int sum = !m->ofLayer() && m->end == End::Middle ? relation(words, *m) : 0)
      found.emplace_back(-sum, m->name());
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(kOffered, found.size()) && found[i].first == found[0].first; ++i)
    names.push_back(found[i].second);
  return names;
}

} // namespace planc::verdict
