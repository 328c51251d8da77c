// A share of a walk: one of several machines decides every so many-th block.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace planc::search {

/// The blocks whose number is `index` modulo `count`; the default has all of them.
struct Shard {
  uint64_t index = 0, count = 1;
  bool operator==(const Shard&) const = default;
  /// How many of so many blocks it has.
  uint64_t of(uint64_t blocks) const { return blocks > index ? (blocks - index - 1) / count + 1 : 0; }
  /// `2/16`
  std::string str() const;
};

/// No search is shared among more.
inline constexpr uint64_t kMostShards = 1'000'000;

/// The value of a variable of the environment; null where it is not set.
using Variables = std::function<const char*(const char* name)>;

/// What is said of shards: one, or why there is none.
struct SaidShard {
  std::optional<Shard> shard = {};
  std::string mistake = {}, help = {};
};

/// `I/N` with I from 0 on. `auto`: the task of a Slurm array, of as many as the array was submitted with. `auto/N`: the
/// task of a Slurm array, or the index of an indexed job of Kubernetes, as I of N; so a part of an array can be
/// submitted again. Kubernetes does not say of how many it is: `auto` takes JOB_COMPLETIONS where that is set.
SaidShard shardOf(std::string_view text, const Variables& variables);

} // namespace planc::search
