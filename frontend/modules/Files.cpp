// Reads files of the user, within bounds.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/modules/Files.h"

#include "frontend/parse/Parse.h"
#include "support/Files.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace planc::frontend {

namespace {

constexpr std::string_view kSuffix = ".plan";

/// What was opened is looked at, not the path: nobody can exchange the file in between. An import's path has no links
/// any more, and a pipe is not waited for.
int openFile(const std::string& path, NamedBy by) {
  if (path == "-") return STDIN_FILENO;
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | (by == NamedBy::Import ? O_NOFOLLOW | O_NONBLOCK : 0));
}

/// Why a file of this mode is not read; empty if it is.
std::string_view refusal(mode_t mode, NamedBy by, bool standardInput) {
  if (S_ISDIR(mode)) return "it is a folder";
  return S_ISREG(mode) || standardInput || (by == NamedBy::User && S_ISFIFO(mode)) ? "" : "it is no file";
}

} // namespace

std::optional<std::string> readFile(const std::string& path, size_t maxBytes, NamedBy by, std::string& error) {
  const Descriptor file(openFile(path, by));
  struct stat info {};
  if (file.get() < 0 || ::fstat(file.get(), &info) != 0) {
    error = std::strerror(errno);
    return std::nullopt;
  }
  error = refusal(info.st_mode, by, path == "-");
  if (!error.empty()) return std::nullopt;
  return readAtMost(file, maxBytes + 1, error);
}

std::optional<std::string> readPlan(const std::string& path, std::string& error) {
  std::error_code ignored;
  const bool called = std::string_view(path).ends_with(kSuffix) && std::filesystem::exists(path, ignored);
  if (called && !realPlan(path, error)) return std::nullopt;
  return readFile(path, parse::ParseLimits{}.maxBytes, NamedBy::User, error);
}

std::optional<std::string> realPlan(const std::string& path, std::string& error) {
  std::error_code failed;
  const std::string real = std::filesystem::canonical(path, failed).string();
  if (failed) {
    error = failed.message();
    return std::nullopt;
  }
  if (std::string_view(real).ends_with(kSuffix)) return real;
  if (std::filesystem::is_directory(real, failed))
    error = "it is a folder";
  else if (std::string_view(path).ends_with(kSuffix))
    error = "it is a link to a file that is called otherwise";
  else
    error = "its name does not end in `.plan`";
  return std::nullopt;
}

} // namespace planc::frontend
