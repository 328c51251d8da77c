// The stores of all shards of a search become one.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "search/store/Store.h"

namespace planc::search {

/// What stores hold does not go together; `what` names all of it.
class StoreMismatch : public StoreFailure {
public:
  using StoreFailure::StoreFailure;
};

/// Writes a new store with the answer that one machine would have found. Throws StoreMismatch, and writes nothing,
/// where a shard is missing, doubled or unfinished, or one is of another search; StoreFailure where a file cannot be
/// used. The header of what was written.
StoreHeader mergeStores(const std::string& out, const std::vector<std::string>& shards);

/// That a store is of another search than another, or than what is asked for now, with both values; empty if it is not.
/// `other`: what the second facts are of, as `shard1.db` or `now`.
std::string mismatchText(const std::string& path, const StoreFacts& stored, const std::string& other,
                         const StoreFacts& facts);

} // namespace planc::search
