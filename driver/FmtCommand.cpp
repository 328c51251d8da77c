// `planc fmt`: rewrites files in the one canonical layout, or says which it would rewrite.
// SPDX-License-Identifier: Apache-2.0
#include "api/Texts.h"
#include "driver/Commands.h"
#include "driver/Files.h"
#include "driver/WorkFiles.h"
#include "support/Step.h"

namespace planc::driver {
namespace {

/// What happened to one file.
enum class Outcome { Same, Changed, Errors, Unreadable };

Outcome formatOne(Console& console, const std::string& path, bool check) {
  std::string error;
  std::optional<std::string> text = api::readText(path, error);
  if (!text) {
    console.usageError("cannot read `" + path + "`: " + error);
    return Outcome::Unreadable;
  }
  std::string shown = path == "-" ? "<stdin>" : path;
  SourceManager sources;
  DiagnosticEngine diagnostics;
  FileId file = sources.add(shown, *text);
  Step step("formatting");
  std::optional<std::string> formatted = api::formatText(sources, file, diagnostics);
  console.diagnose(diagnostics, sources);
  if (!formatted) return Outcome::Errors;
  bool same = *formatted == *text;
  if (path == "-" && !check) console.out(*formatted);
  if (same) return Outcome::Same;
  if (check) {
    console.out(shown + "\n");
  } else if (path != "-") {
    if (std::string problem = replaceFile(path, *formatted); !problem.empty()) {
      console.usageError(path + " cannot be written: " + problem);
      return Outcome::Unreadable;
    }
  }
  return Outcome::Changed;
}

int runFmt(Console& console, const Arguments& arguments) {
  WorkFiles work;
  if (const int code = filesOf(console, arguments.positional, work)) return code;
  bool check = arguments.has("--check");
  bool unreadable = false, failed = false;
  for (const WorkFile& file : work.files) {
    Outcome outcome = formatOne(console, file.path, check);
    unreadable |= outcome == Outcome::Unreadable;
    failed |= outcome == Outcome::Errors || (check && outcome == Outcome::Changed);
  }
  console.summarize();
  return unreadable ? kUsage : failed ? kFailed : kClean;
}

} // namespace

const Command kFmtCommand = {
    "fmt",
    "rewrite files in the one canonical layout; comments are kept",
    {{"FILE", 0, kMany,
      "a .plan file, a folder of them, or - for stdin to stdout; what planc.toml lists, if not said"}},
    {{"--check", "", {}, "change nothing, print the files that would change, and exit with 1 if there are any"}},
    "planc fmt --check examples/gpt3_175b.plan",
    runFmt,
};

} // namespace planc::driver
