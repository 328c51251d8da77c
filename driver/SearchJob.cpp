// `--emit-sbatch`: the shards of a search as the tasks of a Slurm array.
// SPDX-License-Identifier: Apache-2.0
#include "driver/Commands.h"
#include "driver/SearchStore.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>

namespace planc::driver {

namespace {

/// A word that the shell leaves as it is.
std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// All else that was said of the search, as its shards take it.
std::string jobWords(const Arguments& arguments) {
  std::string text = quoted(arguments.positional[0]);
  const auto add = [&](const Option& option) {
    if (!arguments.given(option.name)) return;
    const bool isSwitch = option.value.empty() && option.choices.empty();
    if (isSwitch) text += " " + std::string(option.name);
    for (const std::string& value : arguments.all(option.name))
      if (!isSwitch) text += fmt::format(" {}={}", option.name, quoted(value));
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
  if (!store) return console.usageError("`--emit-sbatch` needs a `--store`: that of each shard is named after it");
  if (arguments.positional[0] == "-")
    return console.usageError("the tasks of `--emit-sbatch` read the plan themselves", "name its file in place of `-`");
  const std::filesystem::path path(*store);
  const std::string stem = (path.parent_path() / path.stem()).string(), extension = path.extension().string();
  const auto ofShard = [&](const std::string& which) { return quoted(stem + ".") + which + quoted(extension); };
  std::string merge = "planc search merge " + quoted(*store);
  for (uint64_t i = 0; i < shards; ++i) merge += " " + quoted(fmt::format("{}.{}{}", stem, i, extension));
  console.out(fmt::format(R"(#!/bin/sh
#SBATCH --job-name=planc-search
#SBATCH --array=0-{last}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
# {shards} shards of a search. `sbatch SCRIPT` runs them, `sbatch --array=3 SCRIPT` one again; each goes on where it ended.
# When all are done they become one store, which names what is missing:
#   {merge} && planc search report {store}
# or as a job that waits: sbatch --dependency=afterany:JOB --wrap "{merge} && planc search report {store}"
exec planc search {words} --shard=auto/{shards} --store={shard} --resume --threads="${{SLURM_CPUS_PER_TASK:-1}}"
)",
                          fmt::arg("last", shards - 1), fmt::arg("shards", shards), fmt::arg("merge", merge),
                          fmt::arg("store", quoted(*store)), fmt::arg("words", jobWords(arguments)),
                          fmt::arg("shard", ofShard("\"$SLURM_ARRAY_TASK_ID\""))));
  return kClean;
}

} // namespace planc::driver
