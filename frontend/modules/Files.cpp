// Reads files of the user, within bounds.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/modules/Files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace planc::frontend {

namespace {

struct Close {
  void operator()(std::FILE* f) const {
    if (f != stdin) std::fclose(f);
  }
};

} // namespace

std::optional<std::string> readFile(const std::string& path, size_t maxBytes, bool pipes, std::string& error) {
  std::unique_ptr<std::FILE, Close> file(path == "-" ? stdin : nullptr);
  if (!file) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    const fs::file_status status = fs::status(path, ignored);
    const bool readable = fs::is_regular_file(status) || (pipes && fs::is_fifo(status));
    if (fs::exists(status) && !readable) {
      error = fs::is_directory(status) ? "it is a folder" : "it is no file";
      return std::nullopt;
    }
    file.reset(std::fopen(path.c_str(), "rb"));
    if (!file) {
      error = std::strerror(errno);
      return std::nullopt;
    }
  }
  std::string text;
  char buffer[1 << 16];
  while (text.size() <= maxBytes) {
    const size_t n = std::fread(buffer, 1, std::min(sizeof buffer, maxBytes + 1 - text.size()), file.get());
    if (n == 0) break;
    text.append(buffer, n);
  }
  if (std::ferror(file.get())) {
    error = std::strerror(errno);
    return std::nullopt;
  }
  return text;
}

} // namespace planc::frontend
