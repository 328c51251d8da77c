// The files of a user on the disk, read within bounds.
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

namespace fs = std::filesystem;

/// Who names a file: the user on the command line, or the import of a plan.
enum class NamedBy { User, Import };

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

std::optional<std::string> readFile(const std::string& path, NamedBy by, std::string& error) {
  const Descriptor file(openFile(path, by));
  struct stat info {};
  if (file.get() < 0 || ::fstat(file.get(), &info) != 0) {
    error = std::strerror(errno);
    return std::nullopt;
  }
  error = refusal(info.st_mode, by, path == "-");
  if (!error.empty()) return std::nullopt;
  return readAtMost(file, parse::ParseLimits{}.maxBytes + 1, error);
}

class Disk final : public FileTree {
public:
  std::optional<std::string> plan(const std::string& path, std::string& error) const override {
    const bool called = std::string_view(path).ends_with(kPlanSuffix) && exists(path);
    if (called && !real(path, error)) return std::nullopt;
    return readFile(path, NamedBy::User, error);
  }

  bool exists(const std::string& path) const override {
    std::error_code ignored;
    return fs::exists(path, ignored);
  }

  std::optional<std::string> real(const std::string& path, std::string& error) const override {
    std::error_code failed;
    const std::string real = fs::canonical(path, failed).string();
    if (failed) {
      error = failed.message();
      return std::nullopt;
    }
    if (std::string_view(real).ends_with(kPlanSuffix)) return real;
    if (fs::is_directory(real, failed))
      error = "it is a folder";
    else if (std::string_view(path).ends_with(kPlanSuffix))
      error = "it is a link to a file that is called otherwise";
    else
      error = "its name does not end in `.plan`";
    return std::nullopt;
  }

  std::optional<std::string> imported(const std::string& real, std::string& error) const override {
    return readFile(real, NamedBy::Import, error);
  }

  std::vector<std::string> plansOf(const std::string& folder) const override {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, ignored))
      if (entry.path().extension() == kPlanSuffix) names.push_back(entry.path().filename().string());
    return names;
  }
};

} // namespace

const FileTree& diskFiles() {
  static const Disk disk;
  return disk;
}

} // namespace planc::frontend
