// Compares the headers of all shards first, then adds up their answers with one store open at a time.
// SPDX-License-Identifier: Apache-2.0
#include "search/store/Merge.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace planc::search {

namespace {

/// The header and progress of a shard's store, without its answer.
struct ShardStore {
  std::string path;
  StoreHeader header;
  uint64_t decided = 0, blocks = 0; ///< blocks decided, and blocks of the shard
};

ShardStore shardStoreOf(const std::string& path) {
  const std::unique_ptr<Store> store = Store::read(path);
  return {path, store->header(), store->decided().size(), store->header().shard.of(store->header().blocks)};
}

bool isAbsent(const std::string& path) {
  checkStorePath(path);
  std::error_code ignored;
  return !std::filesystem::exists(path, ignored) || std::filesystem::file_size(path, ignored) == 0;
}

/// Lists the first few items, and how many more there are.
std::string listText(const std::vector<std::string>& items) {
  constexpr size_t kShown = 8;
  std::string text;
  for (size_t i = 0; i < std::min(items.size(), kShown); ++i) text += (i ? ", " : "") + items[i];
  return items.size() > kShown ? fmt::format("{} and {} more", text, items.size() - kShown) : text;
}

void checkSameSearch(const std::vector<ShardStore>& parts) {
  const ShardStore& first = parts.front();
  for (const ShardStore& part : parts) {
    if (const std::string text = mismatchText(part.path, part.header.facts, first.path, first.header.facts);
        !text.empty())
      throw StoreMismatch(text, "shards can be merged if the same planc made them from the same files and options");
    if (part.header.shard.count != first.header.shard.count)
      throw StoreMismatch(fmt::format("{} is shard {}, but {} is shard {}: they belong to different searches",
                                      part.path, part.header.shard.str(), first.path, first.header.shard.str()));
  }
}

/// Checks that every shard is given exactly once and is finished. Throws StoreMismatch otherwise.
void checkWhole(const std::vector<ShardStore>& parts, const std::vector<std::string>& absent) {
  const uint64_t count = parts.front().header.shard.count;
  std::map<uint64_t, std::vector<const ShardStore*>> byIndex;
  for (const ShardStore& part : parts) byIndex[part.header.shard.index].push_back(&part);
  std::vector<std::string> missing, wrong;
  for (uint64_t i = 0; i < count; ++i)
    if (!byIndex.count(i)) missing.push_back(Shard{i, count}.str());
  for (const auto& [index, stores] : byIndex)
    for (size_t i = 1; i < stores.size(); ++i)
      wrong.push_back(fmt::format("shard {} is given twice: {} and {}", Shard{index, count}.str(), stores[0]->path,
                                  stores[i]->path));
  for (const ShardStore& part : parts)
    if (part.decided < part.blocks)
      wrong.push_back(fmt::format("shard {} is unfinished: {} has {} of its {} blocks", part.header.shard.str(),
                                  part.path, part.decided, part.blocks));
  for (const std::string& path : absent) wrong.push_back(path + " does not exist, or is empty");
  std::string text = listText(wrong);
  if (!missing.empty())
    text = fmt::format("{} {} missing{}{}", missing.size() > 1 ? "shards" : "shard",
                       listText(missing) + (missing.size() > 1 ? " are" : " is"), text.empty() ? "" : "; ", text);
  if (!text.empty())
    throw StoreMismatch(text, "run each missing or unfinished shard with its `--shard` and `--resume`");
}

/// Writes the answers and rows of all shards into the new store.
void addUp(Store& whole, const StoreHeader& header, const std::vector<ShardStore>& parts) {
  const auto nothing = [&] { return Walked{Answer(whole.space(), header.conditions, header.top), {}}; };
  Walked all = nothing();
  std::vector<Outcome> rows;
  constexpr size_t kAtOnce = size_t{1} << 16;
  for (const ShardStore& part : parts) {
    const std::unique_ptr<Store> store = Store::read(part.path);
    all.answer.add(store->walked(whole.space()).answer);
    if (header.rows)
      store->eachRow([&](const Outcome& row) {
        rows.push_back(row);
        if (rows.size() < kAtOnce) return;
        whole.take(nothing(), rows); // without an answer, so the store counts as unfinished until every shard is in
        rows.clear();
      });
  }
  all.decided.add(0, header.blocks);
  whole.take(all, rows);
}

/// Removes a store together with the files that SQLite keeps next to it.
void removeStore(const std::string& path) {
  std::error_code ignored;
  for (const char* suffix : {"", "-journal", "-wal"}) std::filesystem::remove(path + suffix, ignored);
}

} // namespace

std::string mismatchText(const std::string& path, const StoreFacts& stored, const std::string& other,
                         const StoreFacts& facts) {
  const auto difference = differenceOf(stored, facts);
  if (!difference) return "";
  const auto said = [](const std::string& value) -> std::string {
    constexpr size_t kDigest = 64, kShown = 12;
    const bool digest = value.size() == kDigest && value.find_first_not_of("0123456789abcdef") == std::string::npos;
    return value.empty() ? "absent" : digest ? value.substr(0, kShown) + "…" : value;
  };
  return fmt::format("{} belongs to another search: {} is {} in it, but {} in {}", path, difference->name,
                     said(difference->first), said(difference->second), other);
}

StoreHeader mergeStores(const std::string& out, const std::vector<std::string>& shards) {
  std::vector<ShardStore> parts;
  std::vector<std::string> absent;
  for (const std::string& path : shards)
    if (isAbsent(path))
      absent.push_back(path);
    else
      parts.push_back(shardStoreOf(path));
  if (parts.empty()) throw StoreFailure(fmt::format("{} does not exist, or is empty", listText(absent)));
  checkSameSearch(parts);
  checkWhole(parts, absent);

  StoreHeader header = parts.front().header;
  header.shard = {};
  std::error_code ignored;
  bool ours = !std::filesystem::exists(out, ignored); // a file that was there before stays
  try {
    const std::unique_ptr<Store> like = Store::read(parts.front().path);
    const std::unique_ptr<Store> whole = Store::create(out, header, like->space());
    ours = true; // the store is now locked by this process
    addUp(*whole, header, parts);
  } catch (const StoreFailure& failure) { // remove the incomplete store
    if (!ours) throw;
    removeStore(out);
    throw StoreFailure(failure.what(), "no new store was kept, and the shards are unchanged");
  } catch (...) {
    if (ours) removeStore(out);
    throw;
  }
  return header;
}

} // namespace planc::search
