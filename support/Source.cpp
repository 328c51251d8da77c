// The texts of a run, and the mapping from byte offsets to lines and columns.
// SPDX-License-Identifier: Apache-2.0
#include "support/Source.h"

#include <algorithm>
#include <cstring>

namespace planc {
namespace {

bool startsCodePoint(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

uint32_t countCodePoints(std::string_view text) {
  return static_cast<uint32_t>(std::count_if(text.begin(), text.end(), startsCodePoint));
}

} // namespace

SourceRange SourceRange::cover(SourceRange a, SourceRange b) {
  if (!a.valid()) return b;
  if (a.file != b.file) return a;
  return {a.file, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

FileId SourceManager::add(std::string path, std::string text) {
  auto file = std::make_unique<File>();
  file->path = std::move(path);
  file->owned = std::move(text);
  file->text = file->owned;
  files_.push_back(std::move(file));
  return FileId(fileCount() - 1);
}

FileId SourceManager::addStatic(std::string path, std::string_view text) {
  auto file = std::make_unique<File>();
  file->path = std::move(path);
  file->text = text;
  files_.push_back(std::move(file));
  return FileId(fileCount() - 1);
}

void SourceManager::replace(FileId file, std::string text) {
  File& f = *files_[file.index];
  f.owned = std::move(text);
  f.text = f.owned;
  f.lineStarts.clear();
}

const std::string& SourceManager::path(FileId file) const {
  static const std::string nowhere = "<nowhere>";
  return file.valid() ? files_[file.index]->path : nowhere;
}

std::string_view SourceManager::text(FileId file) const {
  return file.valid() ? files_[file.index]->text : std::string_view();
}

std::string_view SourceManager::text(SourceRange range) const {
  std::string_view all = text(range.file);
  size_t begin = std::min<size_t>(range.begin, all.size());
  size_t end = std::clamp<size_t>(range.end, begin, all.size());
  return all.substr(begin, end - begin);
}

LineColumn SourceManager::begin(SourceRange range) const {
  return at(range.file, range.begin);
}
LineColumn SourceManager::end(SourceRange range) const {
  return at(range.file, range.end);
}

std::string_view SourceManager::line(FileId file, uint32_t number) const {
  if (!file.valid() || number == 0) return {};
  const File& f = *files_[file.index];
  const std::vector<uint32_t>& starts = lines(f);
  if (number > starts.size()) return {};
  size_t begin = starts[number - 1];
  size_t end = number < starts.size() ? starts[number] : f.text.size();
  std::string_view line = f.text.substr(begin, end - begin);
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string SourceManager::where(SourceRange range) const {
  if (!range.valid()) return path(range.file);
  return path(range.file) + ":" + std::to_string(begin(range).line);
}

LineColumn SourceManager::at(FileId file, uint32_t offset) const {
  if (!file.valid()) return {};
  const File& f = *files_[file.index];
  const std::vector<uint32_t>& starts = lines(f);
  offset = std::min<uint32_t>(offset, static_cast<uint32_t>(f.text.size()));
  auto next = std::upper_bound(starts.begin(), starts.end(), offset);
  uint32_t lineStart = *std::prev(next);
  return {static_cast<uint32_t>(next - starts.begin()),
          countCodePoints(f.text.substr(lineStart, offset - lineStart)) + 1};
}

const std::vector<uint32_t>& SourceManager::lines(const File& file) const {
  if (!file.lineStarts.empty()) return file.lineStarts;
  const char* begin = file.text.data();
  const char* end = begin + file.text.size();
  file.lineStarts.push_back(0);
  for (const char* at = begin; at != end;) {
    const void* found = std::memchr(at, '\n', static_cast<size_t>(end - at));
    if (!found) break;
    at = static_cast<const char*>(found) + 1;
    file.lineStarts.push_back(static_cast<uint32_t>(at - begin));
  }
  return file.lineStarts;
}

} // namespace planc
