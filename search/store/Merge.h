// Merges the stores of all shards of a search.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "search/store/Store.h"

namespace planc::search {

/// Thrown if stores do not belong together; `what()` lists everything that does not match.
class StoreMismatch : public StoreFailure {
public:
  using StoreFailure::StoreFailure;
};

/// Writes a new store with the answer that one machine would have found, and returns its header. Throws StoreMismatch,
/// and writes nothing, if a shard is missing, given twice, unfinished or of another search. Throws StoreFailure if a
/// file cannot be used.
StoreHeader mergeStores(const std::string& out, const std::vector<std::string>& shards);

/// Returns a message that a store belongs to another search, with both values of the first fact that differs; empty if
/// the facts are equal. `other` names the owner of the second facts, as `shard1.db` or `now`.
std::string mismatchText(const std::string& path, const StoreFacts& stored, const std::string& other,
                         const StoreFacts& facts);

} // namespace planc::search
