// A share of a walk: each of several machines decides every n-th block.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace planc::search {

/// The blocks whose number modulo `count` is `index`. The default is all blocks.
struct Shard {
  uint64_t index = 0, count = 1;
  bool operator==(const Shard&) const = default;
  /// Returns how many of `blocks` blocks the shard has.
  uint64_t of(uint64_t blocks) const { return blocks > index ? (blocks - index - 1) / count + 1 : 0; }
  /// Returns `2/16`.
  std::string str() const;
};

/// The largest number of shards of a search.
inline constexpr uint64_t kMostShards = 1'000'000;

/// Returns the value of an environment variable; null if it is not set.
using Variables = std::function<const char*(const char* name)>;

/// A shard, or the mistake in the text that should name it.
struct SaidShard {
  std::optional<Shard> shard = {};
  std::string mistake = {}, help = {};
};

/// Parses the value of `--shard`. `I/N` is shard I, counted from 0, of N shards. `auto` is the task of a Slurm array,
/// with as many shards as the array has tasks, or the index of a Kubernetes indexed job, with JOB_COMPLETIONS shards if
/// that variable is set. `auto/N` is the task of a Slurm array or the index of a Kubernetes indexed job, of N shards,
/// so that a part of an array can be submitted again.
SaidShard shardOf(std::string_view text, const Variables& variables);

} // namespace planc::search
