// `planc check --fix`: files with the fixes of their diagnostics made, written, printed or shown as a difference.
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

inline const Option kFixOption{
    "--fix", "", {}, "make the fixes that are safe, in the files themselves; stdin goes to stdout"};
inline const Option kUnsafeOption{
    "--unsafe", "", {}, "with --fix: the first of several words that may be meant as well"};
inline const Option kDiffOption{"--diff", "", {}, "with --fix: print what would change, and write nothing"};

/// What the command line says of fixes.
class FixFiles {
public:
  FixFiles(Console& console, const Arguments& arguments);
  /// kClean, or kUsage after a usage error.
  int check() const;
  using Texts = std::map<std::string, std::string>; ///< by path
  /// Fixes these files one after the other, since one may import another, and gives the texts that are left to check.
  /// What cannot be read has none.
  Texts run(const std::vector<WorkFile>& files);
  /// Whether a difference was shown.
  bool differs() const { return differs_; }

private:
  std::optional<std::string> fix(const WorkFile& file);
  void sayElsewhere(const std::vector<WorkFile>& files) const;
  std::string written(const std::string& path, const std::string& text, const FixedText& fixed);
  void say(const std::string& path, const std::string& text, const FixedText& fixed) const;

  Console& console_;
  const Arguments& arguments_;
  bool fix_, unsafe_, diff_, differs_ = false;
  size_t written_ = 0; ///< files
  std::set<std::string> elsewhere_;
  std::map<std::string, std::optional<Warnings>> told_; ///< of files, before the first fix
};

} // namespace planc::driver
