// Where the plans of a user are read from: the disk, or a revision of a repository. One set of questions for both.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planc {

/// How the name of every plan ends.
inline constexpr std::string_view kPlanSuffix = ".plan";
/// What is longer is no plan that anybody wrote: it is not read.
inline constexpr size_t kMostPlanBytes = size_t(16) << 20;
/// The folder that holds copies of what others wrote, where a repository keeps them.
inline constexpr std::string_view kVendorFolder = "vendor";

/// Does a path lie in a hidden folder, or in one called `vendor`? Folders do not stand for what is in these.
bool isPassedOver(std::string_view path);

/// Something below a folder, without its text.
struct FileEntry {
  enum class Kind : uint8_t { File, Link, Other }; ///< other: a pipe, a device, a submodule
  std::string path;                                ///< below the folder, with `/`
  Kind kind = Kind::File;
  uint64_t bytes = 0; ///< of a file, where that is known without reading it
  bool operator<(const FileEntry& other) const { return path < other.path; }
};

/// Files as a compilation sees them. Every reading of a plan goes through one, so that what was once committed is
/// compiled as what lies on the disk is. Answers do not change while it lives; threads may ask at once.
class FileTree {
public:
  virtual ~FileTree() = default;
  /// The text of a plan that a command line names, or one of its folders; on the disk `-` is standard input. Nothing,
  /// with a reason in `error`, where there is none to read.
  virtual std::optional<std::string> plan(const std::string& path, std::string& error) const = 0;
  /// Is there anything at this path, plan or not?
  virtual bool exists(const std::string& path) const = 0;
  /// The path with all links resolved: two spellings of one file have one. Nothing, with a reason in `error`, if that
  /// does not end in `.plan`.
  virtual std::optional<std::string> real(const std::string& path, std::string& error) const = 0;
  /// The text behind what `real` answered, for an import.
  virtual std::optional<std::string> imported(const std::string& real, std::string& error) const = 0;
  /// The names of the `.plan` files of a folder, for suggestions: in any order.
  virtual std::vector<std::string> plansOf(const std::string& folder) const = 0;
  /// The text of a file of any name: a planc.toml, its lock, the files of a package. A link is followed to a file whose
  /// name ends as its own does.
  virtual std::optional<std::string> text(const std::string& path, std::string& error) const = 0;
  /// What is below a folder, sorted by path, without hidden folders and those called `vendor`; at most one more than
  /// `most`. Where a folder cannot be read the list ends, and `error` says why.
  virtual std::vector<FileEntry> below(const std::string& folder, size_t most, std::string& error) const = 0;
  /// The submodule below which a path lies that has no file yet, as it is not checked out; nothing where that is not
  /// so, or not known.
  virtual std::optional<std::string> absentSubmodule(const std::string&) const { return std::nullopt; }
};

} // namespace planc
