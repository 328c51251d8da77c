// Reads and replaces files, and resolves paths.
// SPDX-License-Identifier: Apache-2.0
#include "driver/files/Files.h"

#include "support/files/FileTree.h"
#include "support/files/Files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace planc::driver {
namespace {

namespace fs = std::filesystem;

std::string reason() {
  return std::strerror(errno);
}

bool writeAll(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

} // namespace

std::optional<std::string> readFile(const std::string& path, std::string& error, size_t mostBytes) {
  Descriptor file(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info {};
  if (file.get() < 0 || ::fstat(file.get(), &info) != 0) {
    error = reason();
    return {};
  }
  if (S_ISDIR(info.st_mode)) {
    error = "is a folder";
    return {};
  }
  std::optional<std::string> text = readAtMost(file, mostBytes + 1, error);
  if (text && text->size() > mostBytes) {
    error = fmt::format("is larger than {} MiB", mostBytes >> 20);
    return {};
  }
  return text;
}

std::string replaceFile(const std::string& path, std::string_view text) {
  std::error_code failed;
  fs::path target = fs::canonical(path, failed); // replaces the target of a link, and not the link
  if (failed) return failed.message();
  struct stat info {};
  if (::stat(target.c_str(), &info) != 0) return reason();
  if (!S_ISREG(info.st_mode)) return "it is not a file"; // a pipe would be replaced by a regular file
  if (::access(target.c_str(), W_OK) != 0) return reason();
  std::string temporary = (target.parent_path() / fmt::format(".{}.XXXXXX", target.filename().string())).string();
  Descriptor file(::mkstemp(temporary.data()));
  if (file.get() < 0) return reason();
  // Failing to keep the owner (another user's file in a shared folder) is no error.
  bool owned = ::fchown(file.get(), info.st_uid, info.st_gid) == 0;
  mode_t mode = info.st_mode & (owned ? 07777 : 0777);
  bool done = writeAll(file.get(), text) && ::fchmod(file.get(), mode) == 0 && ::fsync(file.get()) == 0 &&
              std::rename(temporary.c_str(), target.c_str()) == 0;
  if (done) return {};
  std::string why = reason();
  ::unlink(temporary.c_str());
  return why;
}

std::string wholePath(const std::string& path) {
  std::error_code failed;
  const fs::path whole = fs::absolute(path, failed).lexically_normal();
  return (whole.has_filename() || !whole.has_relative_path() ? whole : whole.parent_path()).string();
}

std::string meantPath(const std::string& path) {
  constexpr int kMostLinks = 40; // the limit of Linux
  std::error_code failed;
  fs::path at = fs::absolute(path, failed);
  for (int links = 0; links < kMostLinks && fs::is_symlink(at, failed); ++links) // resolves links to missing files, too
    at = at.parent_path() / fs::read_symlink(at, failed);
  const fs::path whole = fs::weakly_canonical(at, failed);
  return failed ? wholePath(path) : whole.string();
}

bool isFolder(const std::string& path) {
  std::error_code failed;
  return path != "-" && fs::is_directory(path, failed);
}

std::string takenPlanPath(const std::string& path) {
  if (!path.ends_with(kPlanSuffix) || path.size() == kPlanSuffix.size())
    return fmt::format("`{}` is not the name of a plan file, `NAME.plan`", path);
  std::error_code failed;
  if (fs::exists(fs::symlink_status(path, failed))) return path + " already exists";
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !isFolder(folder.string())) return fmt::format("there is no folder {}", folder.string());
  return "";
}

std::string refusedOutput(const std::string& path, const SourceManager& read) {
  std::error_code failed;
  if (path.empty()) return "the name of the file is empty";
  if (fs::is_directory(path, failed)) return path + " is a folder";
  if (const fs::path folder = fs::path(path).parent_path(); !folder.empty() && !fs::is_directory(folder, failed))
    return fmt::format("the folder of {} does not exist", path);
  for (uint32_t i = 0; i < read.fileCount(); ++i)
    if (fs::exists(read.path(FileId(i)), failed) && fs::equivalent(path, read.path(FileId(i)), failed))
      return fmt::format("{} is a file that was read", path);
  if (fs::is_regular_file(path, failed)) {
    constexpr std::string_view kDatabase = "SQLite format 3";
    std::ifstream file(path, std::ios::binary);
    std::string begin(kDatabase.size(), '\0');
    file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    if (begin == kDatabase) return path + " is a database, such as the store of a search";
  } else if (fs::is_fifo(path, failed)) {
    return path + " is a pipe that no program reads";
  }
  return {};
}

std::string writeFile(const std::string& path, std::string_view text) {
  std::error_code failed;
  if (fs::is_regular_file(path, failed)) return replaceFile(path, text);
  const bool there = fs::exists(path, failed); // a pipe or device
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (file.get() >= 0 && writeAll(file.get(), text)) return {};
  std::string why = reason();
  if (file.get() >= 0 && !there) ::unlink(path.c_str()); // removes the incomplete file
  return why;
}

} // namespace planc::driver
