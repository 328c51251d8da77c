// `planc lib`: manages the packages of a project.
// SPDX-License-Identifier: Apache-2.0
#include "driver/lib/Lib.h"
#include "driver/words/Commands.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::driver {
namespace {

struct Form {
  std::string_view word;
  unsigned bit;
  std::string_view words; ///< its arguments, as the help shows them
  size_t least, most;     ///< count of arguments
  int (*run)(LibRun& run);
};

const std::vector<Form>& forms() {
  static const std::vector<Form> table = {
      {"add", kLibAdd, "NAME", 1, 1, libAdd},      {"update", kLibUpdate, "[NAME…]", 0, kMany, libUpdate},
      {"fetch", kLibFetch, "", 0, 0, libFetch},    {"vendor", kLibVendor, "", 0, 0, libVendor},
      {"verify", kLibVerify, "", 0, 0, libVerify}, {"tree", kLibTree, "", 0, 0, libTree},
      {"docs", kLibDocs, "", 0, 0, libDocs},       {"breaking", kLibBreaking, "", 0, 0, libBreaking},
  };
  return table;
}

std::vector<std::string> formWords() {
  std::vector<std::string> out;
  for (const Form& form : forms()) out.emplace_back(form.word);
  return out;
}

int runLib(Console& console, const Arguments& arguments);

/// Returns the subcommands that an option goes with: `` `planc lib add`, `planc lib update` ``.
std::string formsOf(const Option& option) {
  std::string out;
  for (const Form& form : forms())
    if (option.use & form.bit) out += fmt::format("{}`planc lib {}`", out.empty() ? "" : ", ", form.word);
  return out;
}

} // namespace

int LibRun::open() {
  const std::optional<std::string> path = project::findConfig("");
  if (!path)
    return console.usageError("there is no planc.toml in this folder or above it",
                              "`planc lib add NAME --path FOLDER` writes one here, or `planc init`");
  workspace = packages::Workspace::open(*path, sources, diagnostics);
  return workspace ? kClean : end();
}

int LibRun::needsPackage() {
  if (workspace->manifest().isPackage()) return kClean;
  return console.usageError(fmt::format("{} has no `[package]`", workspace->config().path),
                            "a package has `[package]` with `name`, `version`, `edition` and `exports`");
}

int LibRun::end() {
  console.diagnose(diagnostics, sources);
  console.summarize();
  return diagnostics.hasErrors() ? kFailed : kClean;
}

const Command kLibCommand = {
    "lib",
    "add, update, fetch, vendor and verify packages; write the pages of one, and see what a new version breaks",
    {{"FORM", 1, 1, "add, update, fetch, vendor, verify, tree, docs or breaking", formWords},
     {"NAME", 0, kMany, "add, update: the package; default of update: all in planc.toml"}},
    {{"--git", "ADDRESS", {}, "add: the repository of the package", kOnce, kLibAdd},
     {"--tag", "TAG", {}, "add: its version; default: the newest", kOnce, kLibAdd, "--git"},
     {"--path", "FOLDER", {}, "add: the folder of the package", kOnce, kLibAdd},
     {"--locked",
      "",
      {},
      "fetch, vendor: fail if planc.lock is out of date, and do not change it",
      kOnce,
      kLibFetch | kLibVendor},
     {"--against",
      "REV",
      {},
      "breaking: the earlier version, a tag or another revision; fetch: the packages that a revision locks, for `planc "
      "diff`",
      kOnce,
      kLibBreaking | kLibFetch},
     {"--output", "FOLDER", {}, "docs: the folder of the pages", kOnce, kLibDocs},
     {"--check", "", {}, "docs: write nothing, and fail if pages are out of date", kOnce, kLibDocs, "--output"},
     {"--jobs", "N", {}, "breaking: number of threads; default: all cores", kOnce, kLibBreaking},
     {"--format",
      "",
      {"text", "json"},
      "tree, verify, breaking: output format",
      kOnce,
      kLibTree | kLibVerify | kLibBreaking}},
    "planc lib tree",
    runLib,
};

namespace {

int runLib(Console& console, const Arguments& arguments) {
  const std::string& word = arguments.positional[0];
  const auto form = std::find_if(forms().begin(), forms().end(), [&](const Form& f) { return f.word == word; });
  if (form == forms().end())
    return console.usageError(fmt::format("`planc lib` has no `{}`", word),
                              didYouMean(word, formWords(), "`planc lib --help` lists its commands"));
  LibRun run{console, arguments, {arguments.positional.begin() + 1, arguments.positional.end()}};
  if (run.words.size() < form->least || run.words.size() > form->most)
    return console.usageError(
        fmt::format("`planc lib {}` takes {}", word, form->words.empty() ? "no word" : form->words));
  for (const Option& option : kLibCommand.options)
    if (arguments.given(option.name) && !(option.use & form->bit))
      return console.usageError(fmt::format("`planc lib {}` does not take `{}`", word, option.name),
                                "use it with " + formsOf(option));
  return form->run(run);
}

} // namespace

} // namespace planc::driver
