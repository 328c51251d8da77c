// Parses shards from the command line and from the environment of schedulers.
// SPDX-License-Identifier: Apache-2.0
#include "search/store/Shard.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace planc::search {

namespace {

std::optional<uint64_t> wholeOf(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

SaidShard mistake(std::string what, std::string help = "") {
  return {std::nullopt, std::move(what), std::move(help)};
}

SaidShard checked(uint64_t index, uint64_t count, const std::string& whence) {
  if (count == 0 || count > kMostShards)
    return mistake(fmt::format("{} asks for {} shards; there can be 1 to {}", whence, count, kMostShards));
  if (index >= count)
    return mistake(fmt::format("{} asks for shard {} of {}, but shards are numbered from 0 to {}", whence, index, count,
                               count - 1));
  return {Shard{index, count}};
}

/// Returns the number in a variable; nothing if it is not set. If it is not a whole number, `bad` gets a message.
std::optional<uint64_t> numberOf(const Variables& variables, const char* name, std::string& bad) {
  const char* text = variables(name);
  if (!text) return std::nullopt;
  const std::optional<uint64_t> value = wholeOf(text);
  if (!value && bad.empty()) bad = fmt::format("{} is `{}`, which is not a whole number", name, text);
  return value;
}

/// Returns the shard of a Slurm array task, of `count` shards or of as many as the array has tasks.
SaidShard ofSlurm(const Variables& variables, std::optional<uint64_t> count) {
  std::string bad;
  const auto id = numberOf(variables, "SLURM_ARRAY_TASK_ID", bad);
  const auto least = numberOf(variables, "SLURM_ARRAY_TASK_MIN", bad);
  const auto tasks = numberOf(variables, "SLURM_ARRAY_TASK_COUNT", bad);
  const auto step = numberOf(variables, "SLURM_ARRAY_TASK_STEP", bad);
  if (!bad.empty()) return mistake(bad);
  if (count) return checked(*id, *count, fmt::format("SLURM_ARRAY_TASK_ID = {} with `--shard auto/{}`", *id, *count));
  if (!tasks) return mistake("SLURM_ARRAY_TASK_COUNT is not set", "give the number of shards: `--shard auto/N`");
  const uint64_t from = least.value_or(0), by = std::max<uint64_t>(1, step.value_or(1));
  const std::string whence =
      fmt::format("the array with SLURM_ARRAY_TASK_ID = {}, _MIN = {}, _STEP = {}, _COUNT = {}", *id, from, by, *tasks);
  if (*id < from || (*id - from) % by != 0)
    return mistake(whence + " has no such task", "give the number of shards: `--shard auto/N`");
  return checked((*id - from) / by, *tasks, whence);
}

SaidShard ofKubernetes(const Variables& variables, std::optional<uint64_t> count) {
  std::string bad;
  const auto index = numberOf(variables, "JOB_COMPLETION_INDEX", bad);
  if (!count) count = numberOf(variables, "JOB_COMPLETIONS", bad);
  if (!bad.empty()) return mistake(bad);
  if (!count)
    return mistake("JOB_COMPLETION_INDEX does not have the number of completions",
                   "give it with `--shard auto/N`, or set JOB_COMPLETIONS");
  return checked(*index, *count, fmt::format("JOB_COMPLETION_INDEX = {}", *index));
}

} // namespace

std::string Shard::str() const {
  return fmt::format("{}/{}", index, count);
}

SaidShard shardOf(std::string_view text, const Variables& variables) {
  const size_t slash = text.find('/');
  const std::string_view first = text.substr(0, slash);
  std::optional<uint64_t> count;
  if (slash != std::string_view::npos) count = wholeOf(text.substr(slash + 1));
  const std::optional<uint64_t> index = wholeOf(first);
  if ((slash != std::string_view::npos && !count) || (first != "auto" && !(index && count)))
    return mistake(fmt::format("`--shard` takes I/N, auto or auto/N; this is `{}`", text),
                   "write `--shard 0/4` for the first of four");
  if (index) return checked(*index, *count, fmt::format("`--shard {}`", text));
  if (variables("SLURM_ARRAY_TASK_ID")) return ofSlurm(variables, count);
  if (variables("JOB_COMPLETION_INDEX")) return ofKubernetes(variables, count);
  return mistake("`--shard auto` finds neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX in the environment",
                 "outside of an array choose a shard: `--shard 0/4` is the first of four");
}

} // namespace planc::search
