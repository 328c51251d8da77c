// Locates fixes in texts and applies edits.
// SPDX-License-Identifier: Apache-2.0
#include "support/text/TextFixes.h"

#include "support/text/Spelling.h"

#include <algorithm>

namespace planc {
namespace {

std::optional<TextEdit> placed(const TextEdit& edit, const SourceManager& sources) {
  if (!edit.range.valid() || edit.range.end > sources.text(edit.range.file).size()) return std::nullopt;
  if (edit.was.empty()) return edit;
  const auto at = onlyPlace(sources.text(edit.range), edit.was);
  if (!at) return std::nullopt;
  const auto begin = static_cast<uint32_t>(edit.range.begin + *at);
  return TextEdit{{edit.range.file, begin, begin + static_cast<uint32_t>(edit.was.size())}, edit.text, edit.was};
}

bool sameEdits(const TextFix& a, const TextFix& b) {
  return std::equal(a.edits.begin(), a.edits.end(), b.edits.begin(), b.edits.end(),
                    [](const TextEdit& x, const TextEdit& y) { return x.range == y.range && x.text == y.text; });
}

} // namespace

std::optional<size_t> onlyPlace(std::string_view text, std::string_view word) {
  std::optional<size_t> found;
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if (at > 0 && isWordChar(text[at - 1]) && isWordChar(word.front())) continue;
    if (end < text.size() && isWordChar(text[end]) && isWordChar(word.back())) continue;
    if (found) return std::nullopt;
    found = at;
  }
  return found;
}

std::vector<TextFix> placedFixes(const Diagnostic& d, const SourceManager& sources) {
  std::vector<TextFix> out;
  for (const TextFix& fix : d.fixes) {
    TextFix made{fix.title, {}, fix.safe};
    for (const TextEdit& edit : fix.edits)
      if (auto at = placed(edit, sources)) made.edits.push_back(std::move(*at));
    if (made.edits.size() != fix.edits.size() || made.edits.empty()) continue;
    if (std::none_of(out.begin(), out.end(), [&](const TextFix& other) { return sameEdits(made, other); }))
      out.push_back(std::move(made));
  }
  return out;
}

bool overlap(const TextEdit& a, const TextEdit& b) {
  if (a.range.file != b.range.file) return false;
  if (a.range.begin == b.range.begin) return true;
  return a.range.begin < b.range.end && b.range.begin < a.range.end;
}

std::string edited(std::string_view text, std::vector<TextEdit> edits) {
  std::sort(edits.begin(), edits.end(), [](const auto& a, const auto& b) { return a.range.begin < b.range.begin; });
  std::string out;
  size_t done = 0;
  for (const TextEdit& edit : edits) {
    out += text.substr(done, edit.range.begin - done);
    out += edit.text;
    done = edit.range.end;
  }
  return out += text.substr(done);
}

} // namespace planc
