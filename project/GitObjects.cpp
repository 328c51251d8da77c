// Reads what `git ls-tree` and `git cat-file --batch` print.
// SPDX-License-Identifier: Apache-2.0
#include "project/GitObjects.h"

#include <algorithm>
#include <charconv>

namespace planc::project {

namespace {

/// Time limit for listing an untrusted commit, whose trees may contain each other endlessly without a file.
constexpr unsigned kMostSeconds = 30;

} // namespace

std::optional<std::vector<GitEntry>> gitEntries(const GitPlace& place, const std::string& commit, std::string& error,
                                                size_t mostBytes) {
  std::vector<std::string> words = {"ls-tree", "-r", "-z", "--full-tree", commit};
  if (mostBytes) words.insert(words.begin() + 1, "--long");
  const GitAnswer listed = runGit(place, words, {}, {mostBytes, mostBytes ? kMostSeconds : 0});
  if (!listed.ok()) {
    error = listed.complaint();
    return std::nullopt;
  }
  std::vector<GitEntry> out;
  std::string_view rest = listed.out;
  while (!rest.empty()) { // `MODE TYPE OBJECT\tPATH\0`; with `--long` `MODE TYPE OBJECT SIZE\tPATH\0`
    const std::string_view line = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const size_t type = line.find(' '), object = line.find(' ', type + 1), path = line.find('\t', object);
    if (path == std::string_view::npos) continue;
    const std::string_view mode = line.substr(0, type);
    GitEntry& entry = out.emplace_back();
    const std::string_view named = line.substr(object + 1, path - object - 1);
    entry.object = named.substr(0, named.find(' '));
    const std::string_view size = named.substr(named.rfind(' ') + 1);
    if (mostBytes) std::from_chars(size.data(), size.data() + size.size(), entry.file.bytes);
    entry.file.path = line.substr(path + 1);
    entry.submodule = mode == "160000";
    entry.file.kind = mode == "120000"  ? FileEntry::Kind::Link
                      : entry.submodule ? FileEntry::Kind::Other
                                        : FileEntry::Kind::File;
  }
  return out;
}

bool gitTexts(const GitPlace& place, const std::vector<std::string>& objects, GitTexts& out, std::string& error) {
  std::string wanted;
  for (const std::string& object : objects) wanted += object + "\n";
  const GitAnswer texts = runGit(place, {"cat-file", "--batch"}, wanted);
  std::string_view rest = texts.out;
  while (!rest.empty()) { // `OBJECT TYPE SIZE\n` followed by the text, or `OBJECT missing\n`
    const std::string_view head = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), head.size() + 1));
    const size_t type = head.find(' '), size = head.find(' ', type + 1);
    if (size == std::string_view::npos) continue;
    size_t bytes = 0;
    const std::string_view digits = head.substr(size + 1);
    if (std::from_chars(digits.data(), digits.data() + digits.size(), bytes).ec != std::errc()) {
      error = "git did not return an object";
      return false;
    }
    out.emplace(head.substr(0, type), rest.substr(0, bytes));
    rest.remove_prefix(std::min(rest.size(), bytes + 1));
  }
  if (!texts.ok()) error = texts.complaint();
  return texts.ok();
}

} // namespace planc::project
