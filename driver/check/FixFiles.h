// `planc check --fix`: applies the fixes of diagnostics to files, and writes, prints or diffs the result.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/check/FixText.h"
#include "driver/files/WorkFiles.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace planc::driver {

inline const Option kFixOption{"--fix", "", {}, "apply the safe fixes to the files; stdin goes to stdout"};
inline const Option kUnsafeOption{
    "--unsafe", "", {}, "with --fix: also apply the first of several possible corrections"};
inline const Option kDiffOption{"--diff", "", {}, "with --fix: print the changes, and write nothing"};

/// The options `--fix`, `--unsafe` and `--diff`, and the state of one run.
class FixFiles {
public:
  FixFiles(Console& console, const Arguments& arguments);
  /// Checks the options. Returns kClean, or kUsage after a usage error.
  int check() const;
  using Texts = std::map<std::string, std::string>; ///< by path
  /// Fixes the files one after the other, because one may import another. Returns the resulting texts, which are then
  /// checked. Files that cannot be read have no text.
  Texts run(const std::vector<WorkFile>& files);
  /// Returns whether a difference was shown.
  bool differs() const { return differs_; }

private:
  std::optional<std::string> fix(const WorkFile& file);
  void sayElsewhere(const std::vector<WorkFile>& files) const;
  std::string written(const std::string& path, const std::string& text, const FixedText& fixed);
  void say(const std::string& path, const std::string& text, const FixedText& fixed) const;

  Console& console_;
  const Arguments& arguments_;
  bool fix_, unsafe_, diff_, differs_ = false;
  size_t written_ = 0; ///< count of files
  std::set<std::string> elsewhere_;
  std::map<std::string, std::optional<Warnings>> told_; ///< warnings of each file before its first fix
};

} // namespace planc::driver
