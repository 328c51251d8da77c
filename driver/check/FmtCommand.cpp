// `planc fmt`: rewrites files in the canonical layout, or lists the files that it would rewrite.
// SPDX-License-Identifier: Apache-2.0
#include "api/Texts.h"
#include "driver/files/Files.h"
#include "driver/files/OptionValues.h"
#include "driver/files/Parallel.h"
#include "driver/files/WorkFiles.h"
#include "driver/words/Commands.h"
#include "support/Step.h"
#include "support/text/TextCells.h"

namespace planc::driver {
namespace {

/// The result for one file.
struct Formatted {
  enum class Outcome { Same, Changed, Errors, Unreadable };
  Outcome outcome = Outcome::Same;
  std::string problem; ///< error of reading or writing
  std::string printed; ///< text for stdout
  RenderedDiagnostics diagnostics;
};

/// Formats a file; may run on any thread.
Formatted formatOne(const Console& console, const WorkFile& work, bool check) {
  const std::string& path = work.path;
  using Outcome = Formatted::Outcome;
  Formatted out;
  std::string error;
  std::optional<std::string> text = api::readText(path, error);
  if (!text) {
    out.outcome = Outcome::Unreadable;
    out.problem = "cannot read `" + path + "`: " + error;
    return out;
  }
  std::string shown = work.shown();
  SourceManager sources;
  DiagnosticEngine diagnostics;
  FileId file = sources.add(shown, *text);
  Step step("formatting");
  std::optional<std::string> formatted = api::formatText(sources, file, diagnostics);
  out.diagnostics = console.render(diagnostics, sources);
  if (!formatted) {
    out.outcome = Outcome::Errors;
    return out;
  }
  if (path == "-" && !check) out.printed = *formatted;
  if (*formatted == *text) return out;
  out.outcome = Outcome::Changed;
  if (check) {
    out.printed = printableLine(shown) + "\n";
  } else if (path != "-") {
    if (const std::string problem = replaceFile(path, *formatted); !problem.empty()) {
      out.outcome = Outcome::Unreadable;
      out.problem = path + " cannot be written: " + problem;
    }
  }
  return out;
}

int runFmt(Console& console, const Arguments& arguments) {
  const auto jobs = jobsOf(console, arguments);
  const auto stdinPath = stdinPathOf(console, arguments);
  if (!jobs || !stdinPath) return kUsage;
  WorkFiles work;
  if (const int code = filesOf(console, arguments.positional, work, *stdinPath)) return code;
  const bool check = arguments.has("--check");
  bool unreadable = false, failed = false;
  const auto format = [&](size_t i) { return formatOne(console, work.files[i], check); };
  Ordered<Formatted>(work.files.size(), *jobs).run(format, [&](Formatted file) {
    console.diagnose(std::move(file.diagnostics));
    console.out(file.printed);
    if (!file.problem.empty()) console.usageError(file.problem);
    unreadable |= file.outcome == Formatted::Outcome::Unreadable;
    failed |= file.outcome == Formatted::Outcome::Errors || (check && file.outcome == Formatted::Outcome::Changed);
    return true;
  });
  console.summarize();
  return unreadable ? kUsage : failed ? kFailed : kClean;
}

} // namespace

const Command kFmtCommand = {
    "fmt",
    "format files in the canonical layout; comments are kept",
    {{"FILE", 0, kMany, "a .plan file, a folder of them, or - for stdin to stdout; default: the files of planc.toml"}},
    {kJobsOption,
     kStdinOption,
     {"--check", "", {}, "only print the files that would change, and exit with 1 if there are any"}},
    "planc fmt --check examples/gpt3_175b.plan",
    runFmt,
};

} // namespace planc::driver
