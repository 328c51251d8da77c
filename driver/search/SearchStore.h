// Stores of `planc search`: opens and reports on them, and answers searches from them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/files/InputFile.h"
#include "driver/search/SearchApply.h"
#include "driver/search/SearchForms.h"
#include "search/store/Store.h"

#include <functional>
#include <memory>
#include <optional>

namespace planc::driver {

/// The options of `planc search` about stores.
inline const Option kStoreOption{"--store", "FILE.db",         {}, "save the results to this file, batch by batch",
                                 kOnce,     kOfSearch | kOfJob};
inline const Option kResumeOption{
    "--resume", "",        {},       "continue a search from its store; start a new store if there is none",
    kOnce,      kOfSearch, "--store"};
inline const Option kKeepOption{
    "--keep",           "",       {"best", "all"}, "rows of the store; all: also a row per priced candidate", kOnce,
    kOfSearch | kOfJob, "--store"};
inline const Option kShardOption{
    "--shard",
    "I/N",
    {},
    "search only shard I of N, counted from 0; auto, auto/N: the task of a Slurm array or of a Kubernetes job",
    kOnce,
    kOfSearch,
    "--store"};
inline const Option kEmitSbatchOption{"--emit-sbatch", "N", {}, "print a Slurm job of N shards"};
inline const Option kRowsOption{"--rows", "",       {}, "with `report`: print all rows of the store as CSV",
                                kOnce,    kOfReport};

/// The store of a search, if the command line names one: earlier results, and the sink for new ones.
class SearchStore {
public:
  /// Opens the store of `--store`, `--resume`, `--keep` and `--shard`. Returns kClean, or the exit code after a report.
  int open(Console& console, const Arguments& arguments, InputFile& file, api::Search& search, bool exhaustive);
  /// The shard to search; all blocks unless `--shard` is given.
  const search::Shard& shard() const { return shard_; }
  /// The part of the space to walk, with earlier results and the sink.
  search::WalkPart part() const;
  /// Runs `walk` and returns its answer; nothing, after a report, if the store failed.
  std::optional<search::Answer> run(Console& console, const std::function<search::Answer()>& walk) const;
  /// Explains how to continue if the answer is not complete.
  void remark(Console& console, bool finished) const;

private:
  search::Shard shard_;
  std::unique_ptr<search::Store> store_;
  std::optional<search::Walked> before_;
};

/// Reports a failure of a store in one line with a suggestion; returns the exit code.
int reportFailure(Console& console, const search::StoreFailure& failure);

/// Runs `planc search report FILE.db [FILE]` or `planc search merge OUT.db SHARD.db…`; nothing for other words.
std::optional<int> runOverStores(Console& console, const Arguments& arguments);

/// `--emit-sbatch N`: prints a Slurm script whose array tasks are the shards. Returns the exit code.
int printSbatch(Console& console, const Arguments& arguments);

/// How much of a space was decided, and a lower bound of the first goal of the rest, if known.
struct Decided {
  double share = 1;
  search::Shard shard = {}; ///< the shard that was to be decided
  std::optional<double> least = {};
};

/// Returns whether all candidates are priced: with `--exhaustive`, or if they are few.
bool isExhaustive(const Arguments& arguments, const api::Search& search);
/// Returns the search that the options define, on a loaded file. Null after a report, with the exit code in `code`.
std::unique_ptr<api::Search> searchOf(Console& console, const Arguments& arguments, InputFile& file,
                                      const Applying& applying, int& code);
/// Prints an answer in the format of `--format`; returns the exit code. `decided`: the share of candidates it covers.
int printAnswer(Console& console, const Arguments& arguments, InputFile& file, api::Search& search,
                const search::Answer& found, const Decided& decided, bool exhaustive, const Applying& applying);

} // namespace planc::driver
