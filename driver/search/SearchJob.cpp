// `--emit-sbatch`: writes a Slurm array whose tasks are the shards of a search.
// SPDX-License-Identifier: Apache-2.0
#include "driver/files/OptionValues.h"
#include "driver/search/SearchStore.h"
#include "driver/words/Commands.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>

namespace planc::driver {

namespace {

/// Returns a file name that cannot be mistaken for an option.
std::string asFile(const std::string& name) {
  return name.starts_with('-') ? "./" + name : name;
}

/// Rejects words with line breaks, which Slurm could read as directives, or which would end a comment.
int checkWords(Console& console, const Arguments& arguments) {
  std::vector<std::string> words = arguments.positional;
  for (const auto& option : arguments.values) words.insert(words.end(), option.second.begin(), option.second.end());
  for (const std::string& word : words)
    if (hasControlCharacter(word))
      return console.usageError(fmt::format("`{}` has a line break or another control character", word),
                                "`--emit-sbatch` writes all options into lines of a script");
  return kClean;
}

/// Returns the other options of the search, as the command line of a shard.
std::string jobWords(const Arguments& arguments) {
  std::string text = shellWord(asFile(arguments.positional[0]));
  const auto add = [&](const Option& option) {
    if (!arguments.given(option.name)) return;
    if (option.isSwitch()) text += " " + std::string(option.name);
    for (const std::string& value : arguments.all(option.name))
      if (!option.isSwitch()) text += fmt::format(" {}={}", option.name, shellWord(value));
  };
  for (const Option& option : kSearchCommand.options)
    if (option.use & kOfJob && option.name != kStoreOption.name) add(option);
  for (const Option& option : commonOptions()) add(option);
  return text;
}

} // namespace

int printSbatch(Console& console, const Arguments& arguments) {
  const std::string count = *arguments.value("--emit-sbatch");
  uint64_t shards = 0;
  const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), shards);
  if (error != std::errc() || end != count.data() + count.size() || shards == 0 || shards > search::kMostShards)
    return console.usageError(fmt::format("`--emit-sbatch` takes the number of shards, from 1 to {}; this is `{}`",
                                          search::kMostShards, count));
  const std::optional<std::string> store = arguments.value("--store");
  if (!store) return console.usageError("`--emit-sbatch` needs a `--store`: the store of each shard is named after it");
  if (const int code = checkWords(console, arguments)) return code;
  try {
    search::checkStorePath(*store);
  } catch (const search::StoreFailure& failure) {
    return reportFailure(console, failure);
  }
  if (arguments.positional[0] == "-")
    return console.usageError("the tasks of `--emit-sbatch` read the plan themselves", "name its file instead of `-`");
  const std::filesystem::path path(*store);
  const std::string stem = (path.parent_path() / path.stem()).string(), extension = path.extension().string();
  const auto ofShard = [&](const std::string& which) { return shellWord(stem + ".") + which + shellWord(extension); };
  std::string merge = "planc search merge " + shellWord(asFile(*store));
  for (uint64_t i = 0; i < shards; ++i) merge += " " + shellWord(asFile(fmt::format("{}.{}{}", stem, i, extension)));
  merge += " && planc search report " + shellWord(asFile(*store));
  console.out(fmt::format(R"(#!/bin/sh
#SBATCH --job-name=planc-search
#SBATCH --array=0-{last}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
# {shards} shards of a search. `sbatch SCRIPT` runs them, `sbatch --array=3 SCRIPT` one again; each goes on where it ended.
# When all are done they become one store, which names what is missing:
#   {merge}
# or as a job that waits: sbatch --dependency=afterany:JOB --wrap {wrapped}
exec planc search {words} --shard=auto/{shards} --store={shard} --resume --threads="${{SLURM_CPUS_PER_TASK:-1}}"
)",
                          fmt::arg("last", shards - 1), fmt::arg("shards", shards), fmt::arg("merge", merge),
                          fmt::arg("wrapped", shellWord(merge)), fmt::arg("words", jobWords(arguments)),
                          fmt::arg("shard", ofShard("\"$SLURM_ARRAY_TASK_ID\""))));
  return kClean;
}

} // namespace planc::driver
