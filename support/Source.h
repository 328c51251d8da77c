// Source files and ranges of bytes in them: what every diagnostic and every reported number points at.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Ids.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace planc {

using FileId = Id<struct SourceFileTag>;

/// Bytes [begin, end) of a file. An invalid file means "nowhere" (made by the compiler).
struct SourceRange {
  FileId file;
  uint32_t begin = 0;
  uint32_t end = 0;
  bool valid() const { return file.valid(); }
  bool operator==(const SourceRange&) const = default;
  /// The smallest range that covers both; `a` if they are in different files.
  static SourceRange cover(SourceRange a, SourceRange b);
};

/// One-based line and column; columns count Unicode code points.
struct LineColumn {
  uint32_t line = 0;
  uint32_t column = 0;
};

/// Owns the text of every file of one run. Texts never move, so views into them stay valid.
class SourceManager {
public:
  /// Adds a file; `path` is what diagnostics print (`std/models/gpt.plan` for the embedded library).
  FileId add(std::string path, std::string text);
  /// As `add`, for text that outlives the manager (the embedded library): nothing is copied.
  FileId addStatic(std::string path, std::string_view text);
  /// Puts another text in the place of a file that nothing points to any more.
  void replace(FileId file, std::string text);
  const std::string& path(FileId file) const;
  std::string_view text(FileId file) const;
  std::string_view text(SourceRange range) const;
  LineColumn begin(SourceRange range) const;
  LineColumn end(SourceRange range) const;
  /// The text of a one-based line, without its line break.
  std::string_view line(FileId file, uint32_t number) const;
  /// `path:line`, for reports.
  std::string where(SourceRange range) const;
  uint32_t fileCount() const { return static_cast<uint32_t>(files_.size()); }

private:
  struct File {
    std::string path;
    std::string owned;
    std::string_view text;
    mutable std::vector<uint32_t> lineStarts; // filled on the first question
  };
  LineColumn at(FileId file, uint32_t offset) const;
  const std::vector<uint32_t>& lines(const File& file) const;
  std::vector<std::unique_ptr<File>> files_;
};

} // namespace planc
