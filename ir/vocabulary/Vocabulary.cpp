// Looks up words, and lists all vocabularies.
// SPDX-License-Identifier: Apache-2.0
#include "ir/vocabulary/Vocabulary.h"

#include "ir/vocabulary/Algorithms.h"
#include "ir/vocabulary/Metrics.h"
#include "ir/vocabulary/Schedules.h"
#include "ir/vocabulary/Topologies.h"

#include <fmt/format.h>

namespace planc::ir {

std::string Parameter::expected(double value) const {
  constexpr double kNoEnd = 1e6; // larger limits only keep products finite and are not printed
  if (most >= kNoEnd && value < least) return fmt::format("{:.4g} or more", least);
  return fmt::format("{:.4g} to {:.7g}", least, most);
}

const Parameter* Word::find(std::string_view parameter) const {
  for (const Parameter& p : parameters)
    if (p.name == parameter) return &p;
  return nullptr;
}

double Word::standard(std::string_view parameter) const {
  const Parameter* p = find(parameter);
  return p ? p->standard : 0;
}

std::vector<std::string> Word::parameterNames() const {
  std::vector<std::string> names;
  for (const Parameter& p : parameters) names.emplace_back(p.name);
  return names;
}

Vocabulary::Vocabulary(std::string_view of, std::string_view called, std::span<const Word> words, bool withSources)
    : kind(of), title(called), sourced(withSources) {
  for (const Word& word : words) words_.push_back(&word);
}

const Word* Vocabulary::find(std::string_view name) const {
  for (const Word* word : words_)
    if (word->name == name) return word;
  return nullptr;
}

size_t Vocabulary::indexOf(const Word& word) const {
  return static_cast<size_t>(std::find(words_.begin(), words_.end(), &word) - words_.begin());
}

std::vector<std::string> Vocabulary::names() const {
  std::vector<std::string> names;
  for (const Word* word : words_) names.emplace_back(word->name);
  return names;
}

Vocabulary& algorithmWords() {
  static Vocabulary words("collective algorithm", "Collective algorithms", kAlgorithmWords);
  return words;
}

Vocabulary& scheduleWords() {
  static Vocabulary words("schedule", "Pipeline schedules", kScheduleWords);
  return words;
}

Vocabulary& topologyWords() {
  static Vocabulary words("topology", "Topologies", kTopologyWords);
  return words;
}

Vocabulary& metricWords() {
  static Vocabulary words("metric", "Metrics", kMetricWords, false);
  return words;
}

std::vector<const Vocabulary*> vocabularies() {
  return {&scheduleWords(), &topologyWords(), &algorithmWords(), &metricWords()};
}

} // namespace planc::ir
