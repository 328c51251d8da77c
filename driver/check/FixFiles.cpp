// Writes fixed files, or shows the changes.
// SPDX-License-Identifier: Apache-2.0
#include "driver/check/FixFiles.h"

#include "api/Texts.h"
#include "driver/files/Files.h"
#include "support/Step.h"
#include "support/text/TextCells.h"
#include "support/text/TextDiff.h"
#include "support/text/TextFixes.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace planc::driver {

PLANC_ERROR(FixNotWritten, 1190, "the fixes of {file} cannot be written: {why}")

namespace {

namespace fs = std::filesystem;

/// Returns why a file may not be replaced by its fixed text; empty if it may. `text`: the content as it was read.
std::string notToReplace(const std::string& path, const std::string& text) {
  std::error_code failed;
  const fs::perms writers = fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
  // A read-only file stays, even for a user who may write everywhere.
  if ((fs::status(path, failed).permissions() & writers) == fs::perms::none) return "it is read-only";
  std::string ignored;
  return readFile(path, ignored) == text ? "" : "it was changed in the meantime";
}

} // namespace

FixFiles::FixFiles(Console& console, const Arguments& arguments)
    : console_(console), arguments_(arguments), fix_(arguments.has(kFixOption.name)),
      unsafe_(arguments.has(kUnsafeOption.name)), diff_(arguments.has(kDiffOption.name)) {}

int FixFiles::check() const {
  for (const std::string_view option : {kUnsafeOption.name, kDiffOption.name})
    if (!fix_ && arguments_.has(option))
      return console_.usageError(fmt::format("`{}` needs `--fix`", option),
                                 fmt::format("write `planc check --fix {} FILE`", option));
  if (!fix_) return kClean;
  if (arguments_.given("--set"))
    return console_.usageError("`--fix` cannot be combined with `--set`", "remove `--set`");
  const bool stdin =
      std::find(arguments_.positional.begin(), arguments_.positional.end(), "-") != arguments_.positional.end();
  if ((diff_ || stdin) && arguments_.value("--format") != "text")
    return console_.usageError(fmt::format("the {} and `--format {}` would both be printed",
                                           diff_ ? "difference" : "fixed text", *arguments_.value("--format")),
                               "remove one of them, or write the format to a file: `--output sarif=FILE`");
  return kClean;
}

std::string FixFiles::written(const std::string& path, const std::string& text, const FixedText& fixed) {
  std::string why = notToReplace(path, text);
  if (why.empty()) why = replaceFile(path, fixed.text);
  if (why.empty()) {
    ++written_;
    say(path, text, fixed);
    return fixed.text;
  }
  SourceManager sources;
  DiagnosticEngine diagnostics;
  const FileId file = sources.add(path, text);
  diagnostics.report(FixNotWritten, {file, fixed.first, fixed.first}, {{"file", path}, {"why", why}})
      .primary("the first fix would be here")
      .help("`planc check --fix --diff` prints them");
  console_.diagnose(diagnostics, sources);
  return text;
}

/// Prints a line per fix, with its line number in the original text, and the count of fixes.
void FixFiles::say(const std::string& path, const std::string& text, const FixedText& fixed) const {
  std::string out;
  for (const MadeFix& made : fixed.made)
    out += fmt::format("{}:{}: {}\n", printable(path), 1 + std::count(text.begin(), text.begin() + made.begin, '\n'),
                       printable(made.what));
  console_.note(out + fmt::format("{}: {} {} made\n", printable(path), fixed.made.size(),
                                  fixed.made.size() == 1 ? "fix" : "fixes"));
}

std::optional<std::string> FixFiles::fix(const WorkFile& file) {
  const std::string& path = file.path;
  Step step("fixing");
  std::string error;
  std::optional<std::string> text = api::readText(path, error);
  if (!text) return std::nullopt;
  const std::string shown = file.shown();
  const FixedText fixed = fixText(shown, *text, unsafe_, told_[path]);
  elsewhere_.insert(fixed.elsewhere.begin(), fixed.elsewhere.end());
  if (diff_) {
    console_.out(unifiedDiff(shown, *text, fixed.text));
    differs_ |= fixed.text != *text;
  } else if (path == "-") {
    console_.out(fixed.text);
  } else if (fixed.text != *text) {
    return written(path, *text, fixed);
  }
  return fixed.text;
}

FixFiles::Texts FixFiles::run(const std::vector<WorkFile>& files) {
  constexpr size_t kMostRounds = 4; // fixes in one file may allow fixes in others
  Texts texts;
  size_t before = 0, rounds = 0;
  do {
    before = written_;
    elsewhere_.clear();
    for (const WorkFile& file : files)
      if (fix_ && (rounds == 0 || file.path != "-"))
        if (auto text = fix(file)) texts[file.path] = std::move(*text);
  } while (written_ > before && files.size() > 1 && ++rounds < kMostRounds);
  sayElsewhere(files);
  return texts;
}

void FixFiles::sayElsewhere(const std::vector<WorkFile>& files) const {
  for (const std::string& other : elsewhere_) {
    std::error_code failed;
    const bool named = std::any_of(files.begin(), files.end(),
                                   [&](const WorkFile& file) { return fs::equivalent(file.path, other, failed); });
    if (!named) console_.note(fmt::format("{} has fixes, too: name it to apply them\n", other));
  }
}

} // namespace planc::driver
