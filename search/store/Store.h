// A search on disk in one SQLite file: its facts, progress and results. The file is consistent whenever the writer
// ends.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "search/Walk.h"

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace planc::search {

/// Why a store cannot be used, and a suggested fix.
class StoreFailure : public std::runtime_error {
public:
  explicit StoreFailure(const std::string& what, std::string help = "")
      : std::runtime_error(what), help_(std::move(help)) {}
  const std::string& help() const { return help_; }

private:
  std::string help_;
};

/// Named values that define a search. Searches with equal facts have the same answer.
using StoreFacts = std::vector<std::pair<std::string, std::string>>;

struct StoreHeader {
  StoreFacts facts;
  std::string asked; ///< the request as the user wrote it; not compared
  Shard shard;
  uint64_t blocks = 0; ///< in the whole space
  size_t conditions = 0, goals = 1, top = 0;
  bool rows = false; ///< every priced candidate is kept; otherwise only those in the answer
};

/// The first fact in which two headers differ, with both values; a value is empty if its header lacks the fact.
struct StoreDifference {
  std::string name, first, second;
};
std::optional<StoreDifference> differenceOf(const StoreFacts& first, const StoreFacts& second);

/// Throws if `path` cannot be a store: an empty name, stdin, a folder or a device.
void checkStorePath(const std::string& path);

class Database;

/// Device and inode of a file, which change if it is removed or replaced.
using FileMark = std::pair<uint64_t, uint64_t>;

/// An open store. All failures throw StoreFailure. While a store is open for writing, no other process can read or
/// write it.
class Store final : public WalkSink {
public:
  /// Creates a store. Throws if the file exists and is not empty.
  static std::unique_ptr<Store> create(const std::string& path, const StoreHeader& header, const ir::Space& space);
  /// Opens an existing store for writing, without comparing its header. Creates one if the file does not exist or has
  /// no header yet.
  static std::unique_ptr<Store> resume(const std::string& path, const StoreHeader& header, const ir::Space& space);
  static std::unique_ptr<Store> read(const std::string& path);
  ~Store() override;

  const std::string& path() const { return path_; }
  const StoreHeader& header() const { return header_; }
  /// The paths and texts of the choices and the filled axis; enough to describe a candidate.
  const ir::Space& space() const { return space_; }
  /// Returns the blocks that were decided.
  Ranges decided() const;
  /// Returns the stored answer and progress. `space`: the space of the answer, which must outlive it.
  Walked walked(const ir::Space& space) const;

  bool wantsRows() const override { return header_.rows; }
  /// Writes the results so far and the new rows in one transaction.
  void take(const Walked& soFar, const std::vector<Outcome>& priced) override;
  /// Calls `use` once for each stored row, in the order of candidate numbers. The rows are every priced candidate if
  /// `header().rows` is true, otherwise the candidates in the answer.
  void eachRow(const std::function<void(const Outcome&)>& use) const;

private:
  Store(std::string path, std::unique_ptr<Database> file);
  bool isEmpty();
  void checkMark();
  void writeHeader(const StoreHeader& header, const ir::Space& space);
  void readHeader();
  void writeSum();
  void checkSum() const;
  void checkThere() const;
  std::string path_;
  std::unique_ptr<Database> file_;
  FileMark mark_; ///< mark of the open file
  StoreHeader header_;
  ir::Space space_;
};

} // namespace planc::search
