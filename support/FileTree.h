// Where the plans of a user are read from: the disk, or a revision of a repository. One set of questions for both.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planc {

/// How the name of every plan ends.
inline constexpr std::string_view kPlanSuffix = ".plan";

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
  /// The submodule below which a path lies that has no file yet, as it is not checked out; nothing where that is not
  /// so, or not known.
  virtual std::optional<std::string> absentSubmodule(const std::string&) const { return std::nullopt; }
};

} // namespace planc
