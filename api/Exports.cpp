// Finds exports by name and by word.
// SPDX-License-Identifier: Apache-2.0
#include "api/Exports.h"

#include <algorithm>
#include <cctype>

namespace planc::api {

namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string_view lastPart(std::string_view dotted) {
  return dotted.substr(dotted.rfind('.') + 1); // the whole text if there is no dot
}

std::string_view folderOf(std::string_view module) {
  return module.substr(0, std::min(module.rfind('.'), module.size()));
}

/// Returns whether a word of the text begins with `beginning`.
bool hasWord(std::string_view text, std::string_view beginning) {
  for (size_t at = text.find(beginning); at != std::string_view::npos; at = text.find(beginning, at + 1))
    if (at == 0 || !std::isalnum(static_cast<unsigned char>(text[at - 1]))) return true;
  return false;
}

/// Returns whether `part` is a component of a dotted name. `std` never matches, because it is a part of too many names.
bool hasPart(std::string_view dotted, std::string_view part) {
  for (size_t at = 0; at < dotted.size();) {
    const size_t end = std::min(dotted.find('.', at), dotted.size());
    if (dotted.substr(at, end - at) == part) return part != "std";
    at = end + 1;
  }
  return false;
}

/// Returns how well an export fits a word: 0 is the best match, negative is no match.
int distanceOf(const Export& one, std::string_view word) {
  const std::string name = lower(one.name);
  if (name == word) return 0;
  if (name.starts_with(word)) return 1;
  if (name.find("_" + std::string(word)) != std::string::npos) return 2;
  if (name.find(word) != std::string::npos) return 3;
  if (lower(one.kind) == word || hasPart(lower(one.module), word)) return 4;
  return hasWord(lower(one.sentence), word) ? 5 : -1;
}

} // namespace

bool isBelow(std::string_view module, std::string_view prefix) {
  if (prefix.empty() || module == prefix) return true;
  return module.starts_with(prefix) && module[prefix.size()] == '.';
}

const Export* exportOf(const std::vector<Export>& all, std::string_view name) {
  if (name.find('.') == std::string_view::npos) return nullptr;
  const std::string_view where = folderOf(name), last = lastPart(name);
  const Export* behindFolder = nullptr;
  for (const Export& one : all) {
    if (one.name != last) continue;
    if (one.module == where) return &one;
    if (!behindFolder && folderOf(one.module) == where) behindFolder = &one;
  }
  return behindFolder;
}

std::vector<Export> found(const std::vector<Export>& all, const std::vector<std::string>& words) {
  std::vector<std::pair<int, const Export*>> fitting;
  for (const Export& one : all) {
    int distance = 0;
    for (const std::string& word : words) {
      const int of = word.empty() ? -1 : distanceOf(one, lower(word));
      distance = of < 0 || distance < 0 ? -1 : distance + of;
    }
    if (distance >= 0) fitting.emplace_back(distance, &one);
  }
  std::stable_sort(fitting.begin(), fitting.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Export> out;
  for (const auto& [distance, one] : fitting) out.push_back(*one);
  return out;
}

} // namespace planc::api
