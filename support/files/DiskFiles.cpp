// The user's files on disk, read within bounds.
// SPDX-License-Identifier: Apache-2.0
#include "support/files/DiskFiles.h"

#include "support/files/Files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace planc {

namespace {

namespace fs = std::filesystem;

/// Who names a file: the user on the command line, or an import in a plan.
enum class NamedBy { User, Import };

/// Callers inspect the open descriptor, not the path, so that nobody can exchange the file in between. An import's path
/// has its links resolved already, so that no link is followed here; opening a pipe does not block.
int openFile(const std::string& path, NamedBy by) {
  if (path == "-") return STDIN_FILENO;
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | (by == NamedBy::Import ? O_NOFOLLOW | O_NONBLOCK : 0));
}

/// Why a file of this mode is not read; empty if it may be read.
std::string_view refusal(mode_t mode, NamedBy by, bool standardInput) {
  if (S_ISDIR(mode)) return "it is a folder";
  return S_ISREG(mode) || standardInput || (by == NamedBy::User && S_ISFIFO(mode)) ? "" : "it is not a file";
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
  return readAtMost(file, kMostPlanBytes + 1, error);
}

/// Whether this .gitmodules file lists a submodule at the path: `path = hw`.
bool namesSubmodule(const std::string& list, const std::string& below) {
  std::string error;
  const std::string text = readFile(list, NamedBy::Import, error).value_or("");
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t sign = line.find('=');
    if (sign == std::string::npos) continue;
    const auto trimmed = [](std::string part) {
      const size_t begin = part.find_first_not_of(" \t\r"), end = part.find_last_not_of(" \t\r");
      return begin == std::string::npos ? std::string() : part.substr(begin, end + 1 - begin);
    };
    if (trimmed(line.substr(0, sign)) == "path" && trimmed(line.substr(sign + 1)) == below) return true;
  }
  return false;
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
      error = "it is a link to a file with another name";
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

  std::optional<std::string> text(const std::string& path, std::string& error) const override {
    std::error_code failed;
    if (!fs::is_symlink(path, failed)) return readFile(path, NamedBy::Import, error);
    const fs::path real = fs::canonical(path, failed);
    if (!failed && real.extension() == fs::path(path).extension())
      return readFile(real.string(), NamedBy::Import, error);
    error = failed ? failed.message()
                   : "it is a link to a file whose name does not end in `" + fs::path(path).extension().string() + "`";
    return std::nullopt;
  }

  std::vector<FileEntry> below(const std::string& folder, size_t most, std::string& error) const override {
    std::vector<FileEntry> out;
    std::error_code failed;
    const fs::path root(folder.empty() ? "." : folder);
    for (fs::recursive_directory_iterator at(root, failed), end; !failed && at != end && out.size() <= most;
         at.increment(failed)) {
      const std::string name = at->path().filename().string();
      std::error_code gone; // an entry that vanishes during the walk is skipped
      const fs::file_status status = at->symlink_status(gone);
      if (gone) continue;
      if (fs::is_directory(status)) {
        if (isPassedOver(name + "/")) at.disable_recursion_pending();
        continue;
      }
      FileEntry entry{at->path().lexically_relative(root).generic_string()};
      entry.kind = fs::is_symlink(status)        ? FileEntry::Kind::Link
                   : fs::is_regular_file(status) ? FileEntry::Kind::File
                                                 : FileEntry::Kind::Other;
      if (entry.kind == FileEntry::Kind::File) entry.bytes = at->file_size(gone);
      out.push_back(std::move(entry));
    }
    if (failed) error = failed.message();
    std::sort(out.begin(), out.end());
    return out;
  }

  std::optional<std::string> absentSubmodule(const std::string& path) const override {
    std::error_code failed;
    fs::path folder = fs::path(path).parent_path().lexically_normal();
    while (!folder.empty() && folder != folder.parent_path() && !fs::exists(folder, failed))
      folder = folder.parent_path(); // nothing exists below an empty folder
    if (folder.empty() || !fs::is_directory(folder, failed) || !fs::is_empty(folder, failed)) return std::nullopt;
    const fs::path whole = fs::absolute(folder, failed);
    for (fs::path at = whole.parent_path();; at = at.parent_path()) {
      const fs::path list = at / ".gitmodules";
      if (fs::exists(list, failed)) {
        const std::string below = whole.lexically_relative(at).generic_string();
        return namesSubmodule(list.string(), below) ? std::optional(folder.generic_string()) : std::nullopt;
      }
      if (at == at.parent_path()) return std::nullopt;
    }
  }
};

} // namespace

bool isPassedOver(std::string_view path) {
  for (size_t end = path.find('/'); end != std::string_view::npos; end = path.find('/')) {
    const std::string_view folder = path.substr(0, end);
    if ((folder.starts_with('.') && folder != "..") || folder == kVendorFolder) return true;
    path.remove_prefix(end + 1);
  }
  return false;
}

const FileTree& diskFiles() {
  static const Disk disk;
  return disk;
}

} // namespace planc
