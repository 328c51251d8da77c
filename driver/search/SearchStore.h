// `planc search` over stores: what is said of them, what is in them, and answers again from them.
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

/// The options of `planc search` that have to do with stores.
inline const Option kStoreOption{"--store", "FILE.db",         {}, "keep what is found in this file, batch by batch",
                                 kOnce,     kOfSearch | kOfJob};
inline const Option kResumeOption{
    "--resume", "",
    {},         "go on with the store where a search ended, however it did; begin one where there is none",
    kOnce,      kOfSearch,
    "--store"};
inline const Option kKeepOption{
    "--keep",           "",       {"best", "all"}, "of a store; all: a row per priced candidate as well", kOnce,
    kOfSearch | kOfJob, "--store"};
inline const Option kShardOption{
    "--shard",
    "I/N",
    {},
    "only a share of the candidates, I from 0 on; auto, auto/N: the task of a Slurm array or of a Kubernetes job",
    kOnce,
    kOfSearch,
    "--store"};
inline const Option kEmitSbatchOption{"--emit-sbatch", "N", {}, "only print a Slurm job of N shards"};
inline const Option kRowsOption{"--rows", "",       {}, "of `report`: all rows that the store keeps, as CSV",
                                kOnce,    kOfReport};

/// The store of a search, if the command line names one: what was decided before, and where the walk puts what it comes
/// to.
class SearchStore {
public:
  /// Opens what `--store`, `--resume`, `--keep` and `--shard` say; kClean, or the exit code after a report.
  int open(Console& console, const Arguments& arguments, InputFile& file, api::Search& search, bool exhaustive);
  /// Of all blocks, if no shard was said.
  const search::Shard& shard() const { return shard_; }
  /// What a walk is to take and to give.
  search::WalkPart part() const;
  /// What `walk` returns; nothing, after a report, where the store could not take it.
  std::optional<search::Answer> run(Console& console, const std::function<search::Answer()>& walk) const;
  /// Says, beside an answer that is not whole, how to go on with it.
  void remark(Console& console, bool finished) const;

private:
  search::Shard shard_;
  std::unique_ptr<search::Store> store_;
  std::optional<search::Walked> before_;
};

/// Says what came of a store as one line with a way out; the exit code.
int reportFailure(Console& console, const search::StoreFailure& failure);

/// `planc search report FILE.db [FILE]` and `planc search merge OUT.db SHARD.db…`; nothing for other words.
std::optional<int> runOverStores(Console& console, const Arguments& arguments);

/// `--emit-sbatch N`: prints the script of a job whose tasks are the shards.
int printSbatch(Console& console, const Arguments& arguments);

/// How much of a space was decided, and what the first goal of the rest can be at least, where that is known.
struct Decided {
  double share = 1;
  search::Shard shard = {}; ///< that was to be decided
  std::optional<double> least = {};
};

/// Are all candidates to be priced? By `--exhaustive`, and where there are few.
bool isExhaustive(const Arguments& arguments, const api::Search& search);
/// The search that the words ask for, of a file that is loaded; null after reports, `code` is the exit code.
std::unique_ptr<api::Search> searchOf(Console& console, const Arguments& arguments, InputFile& file,
                                      const Applying& applying, int& code);
/// Prints an answer as `--format` says; the exit code. `decided`: the share of the candidates that it is about.
int printAnswer(Console& console, const Arguments& arguments, InputFile& file, api::Search& search,
                const search::Answer& found, const Decided& decided, bool exhaustive, const Applying& applying);

} // namespace planc::driver
