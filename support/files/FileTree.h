// The source of a user's plans: the disk or a revision of a repository, behind one interface.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planc {

/// The suffix of every plan's file name.
inline constexpr std::string_view kPlanSuffix = ".plan";
/// Larger files are not read as plans.
inline constexpr size_t kMostPlanBytes = size_t(16) << 20;
/// The folder in which a repository keeps copies of other people's packages.
inline constexpr std::string_view kVendorFolder = "vendor";

/// Whether a path is in a hidden folder or in a folder called `vendor`. A walk over a folder skips these.
bool isPassedOver(std::string_view path);

/// A file below a folder, without its text.
struct FileEntry {
  enum class Kind : uint8_t { File, Link, Other }; ///< other: a pipe, a device, a submodule
  std::string path;                                ///< relative to the folder, with `/`
  Kind kind = Kind::File;
  uint64_t bytes = 0; ///< size of a file, if available without reading it
  bool operator<(const FileEntry& other) const { return path < other.path; }
};

/// Files as a compilation sees them. Plans are always read through a FileTree, so that a committed plan compiles as a
/// plan on disk does. Results do not change during its lifetime. Thread-safe.
class FileTree {
public:
  virtual ~FileTree() = default;
  /// The text of a plan that is named on the command line or found in a folder from it. On disk `-` is standard input.
  /// Returns nullopt, with the reason in `error`, if it cannot be read.
  virtual std::optional<std::string> plan(const std::string& path, std::string& error) const = 0;
  /// Whether anything exists at this path, plan or not.
  virtual bool exists(const std::string& path) const = 0;
  /// The path with all links resolved, so that two spellings of one file are equal. Returns nullopt, with the reason in
  /// `error`, if the result does not end in `.plan`.
  virtual std::optional<std::string> real(const std::string& path, std::string& error) const = 0;
  /// The text of an imported plan, by a path from `real`.
  virtual std::optional<std::string> imported(const std::string& real, std::string& error) const = 0;
  /// The names of the `.plan` files in a folder, for suggestions; in any order.
  virtual std::vector<std::string> plansOf(const std::string& folder) const = 0;
  /// The text of any file: a planc.toml, its lock, a file of a package. A link is followed only to a file with the same
  /// suffix.
  virtual std::optional<std::string> text(const std::string& path, std::string& error) const = 0;
  /// All entries below a folder, sorted by path, without hidden folders and `vendor` folders. Returns at most `most` +
  /// 1 entries. The list ends at a folder that cannot be read; `error` then holds the reason.
  virtual std::vector<FileEntry> below(const std::string& folder, size_t most, std::string& error) const = 0;
  /// The submodule that contains a path but is not checked out. Returns nullopt if there is none, or if this cannot be
  /// determined.
  virtual std::optional<std::string> absentSubmodule(const std::string&) const { return std::nullopt; }
};

} // namespace planc
