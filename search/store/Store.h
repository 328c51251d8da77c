// A search on disk: what it is about, how far it is and what it came to, in one file of SQLite that is whole whenever
// its writer ends.
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

/// Why a store cannot be used, and a way out.
class StoreFailure : public std::runtime_error {
public:
  explicit StoreFailure(const std::string& what, std::string help = "")
      : std::runtime_error(what), help_(std::move(help)) {}
  const std::string& help() const { return help_; }

private:
  std::string help_;
};

/// What a search is about, by name. Searches that agree in all of it have the same answer.
using StoreFacts = std::vector<std::pair<std::string, std::string>>;

struct StoreHeader {
  StoreFacts facts;
  std::string asked; ///< how it was asked for, in words of who asked; not compared
  Shard shard;
  uint64_t blocks = 0; ///< of the whole space
  size_t conditions = 0, goals = 1, top = 0;
  bool rows = false; ///< every priced candidate is kept; else those that the answer consists of
};

/// The first fact in which two headers differ: `name`, with both values; empty ones where one lacks it.
struct StoreDifference {
  std::string name, first, second;
};
std::optional<StoreDifference> differenceOf(const StoreFacts& first, const StoreFacts& second);

/// Throws where no store can be: a name without letters, a folder, a device.
void checkStorePath(const std::string& path);

class Database;

/// Which file a name leads to: another one, or none, once it was removed.
using FileMark = std::pair<uint64_t, uint64_t>;

/// An open store. All that fails throws StoreFailure. No other process can write, or read, while one has it open to
/// write.
class Store final : public WalkSink {
public:
  /// A new one; what is there already is refused, but for a file without a byte.
  static std::unique_ptr<Store> create(const std::string& path, const StoreHeader& header, const ir::Space& space);
  /// The one that is there, whatever its header; a new one where there is none, or one that ended before its header was
  /// written.
  static std::unique_ptr<Store> resume(const std::string& path, const StoreHeader& header, const ir::Space& space);
  static std::unique_ptr<Store> read(const std::string& path);
  ~Store() override;

  const std::string& path() const { return path_; }
  const StoreHeader& header() const { return header_; }
  /// Paths and texts of its choices and what is filled; enough to say what a candidate is.
  const ir::Space& space() const { return space_; }
  /// Which blocks it has an answer about.
  Ranges decided() const;
  /// What it holds. `space`: that of the answer, which outlives it.
  Walked walked(const ir::Space& space) const;

  bool wantsRows() const override { return header_.rows; }
  /// All of it or nothing is in the file afterwards, whatever happens.
  void take(const Walked& soFar, const std::vector<Outcome>& priced) override;
  /// The rows by the number of the candidate: every priced one, or those that the answer consists of, each once.
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
  FileMark mark_; ///< of the file that is open
  StoreHeader header_;
  ir::Space space_;
};

} // namespace planc::search
