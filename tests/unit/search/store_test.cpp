// What a store holds is what was put in; a walk that was broken off goes on from it to the answer of one that was not;
// shards become one again.
// SPDX-License-Identifier: Apache-2.0
#include "bench/Loaded.h"
#include "search/store/Merge.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>

namespace planc::search {
namespace {

namespace fs = std::filesystem;

class OnePlan : public PlanSource {
public:
  explicit OnePlan(const ir::Plan& plan) : plan_(plan) {}
  std::unique_ptr<ir::Plan> plan(std::span<const uint32_t>, std::optional<int64_t>, DiagnosticEngine&) override {
    return std::make_unique<ir::Plan>(plan_);
  }

private:
  const ir::Plan& plan_;
};

/// All that two answers can differ in, to the last bit.
std::string allOf(const Answer& answer, const ir::Space& space, size_t conditions) {
  std::string text;
  const auto add = [&](const Outcome* o) {
    if (!o) return void(text += "-\n");
    char line[256];
    std::snprintf(line, sizeof line, "%llu %d %u %d %d %a %a", static_cast<unsigned long long>(o->id),
                  static_cast<int>(o->fate), o->condition, o->alone, o->code, o->stepTime, o->peak);
    text += line;
    for (const double goal : o->goals) std::snprintf(line, sizeof line, " %a", goal), text += line;
    text += "\n";
  };
  const auto count = [&](const Counted& c) {
    text += std::to_string(c.count) + " from " + std::to_string(c.count ? c.first : 0) + "\n";
  };
  for (const Outcome& o : answer.best()) add(&o);
  for (const Outcome& o : answer.front()) add(&o);
  for (size_t c = 0; c < space.choices.size(); ++c)
    for (uint32_t v = 0; v < space.choices[c].values.size(); ++v) add(answer.bestOf(c, v));
  for (size_t i = 0; i < conditions; ++i) add(answer.bestWithout(i)), count(answer.unmet()[i]);
  add(answer.bestUnfit());
  add(answer.leastPeak());
  for (int f = 0; f < kFates; ++f) count(answer.of(static_cast<Fate>(f)));
  for (const auto& [code, counted] : answer.unlawful()) text += std::to_string(code) + ": ", count(counted);
  return text;
}

/// A folder that goes with the test.
class Folder {
public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "planc-store-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  std::string operator/(const char* name) const { return (path_ / name).string(); }

private:
  fs::path path_;
};

/// Says stop behind so many batches.
class StopsAfter : public WalkSink {
public:
  StopsAfter(WalkSink& to, int batches, Progress& progress) : to_(to), left_(batches), progress_(progress) {}
  bool wantsRows() const override { return to_.wantsRows(); }
  void take(const Walked& soFar, const std::vector<Outcome>& priced) override {
    to_.take(soFar, priced);
    if (--left_ <= 0) progress_.stop = true;
  }

private:
  WalkSink& to_;
  int left_;
  Progress& progress_;
};

/// GPT-3 on 512 A100 by micro-batch, stages and tensor ranks: few of the 11,520 numbers divide what they must.
class Stores : public testing::Test {
protected:
  Stores() : loaded(PLANC_SOURCE_DIR "/bench/search.plan", "gpt3_512"), plan(*loaded.plans[0]) {
    std::vector<int64_t> many;
    for (int64_t i = 1; i <= 480; ++i) many.push_back(i);
    const auto axis = [](const char* name) {
      return [name](int64_t size) { return ir::PlanEdit{.axes = {{Symbol(name), size}}}; };
    };
    addChoice("train.micro_batch", many, [](int64_t size) {
      ir::PlanEdit edit;
      edit.microBatch = size;
      return edit;
    });
    addChoice("mesh.tp", {1, 2, 4, 8}, axis("tp"));
    addChoice("mesh.pp", {1, 5, 8, 16, 32, 96}, axis("pp"));
    space.fill = Symbol("dp");
    space.top = 5;
    header.facts = {{"planc", "1"}, {"library", "abc"}};
    header.asked = "{}";
    header.blocks = blocksOf(space);
    header.top = 5;
  }
  template <typename Edit> void addChoice(const char* path, const std::vector<int64_t>& sizes, const Edit& edit) {
    ir::Choice made;
    made.paths = {path};
    made.inner = true;
    made.lists.emplace_back();
    for (const int64_t size : sizes) {
      made.lists[0].push_back(static_cast<uint32_t>(made.values.size()));
      made.values.push_back({{std::to_string(size)}, edit(size)});
    }
    space.choices.push_back(std::move(made));
  }
  Answer answer(WalkOptions options = {}) {
    options.top = 5;
    options.bounds = false;
    return walk(
        space, header.conditions, [&] { return std::make_unique<OnePlan>(plan); }, options);
  }
  std::string text(const Answer& of) { return allOf(of, space, header.conditions); }
  /// Twice the memory of the best, and a micro-batch below: conditions of both kinds.
  void addConditions() {
    auto terms = std::make_shared<ir::SearchTerms>();
    const auto below = [](ir::ExprOp op, const char* path, double limit, Unit unit) {
      ir::Condition made;
      ir::ExprNode left, right, node;
      left.op = op, left.metric = path;
      right.op = ir::ExprOp::Constant, right.constant.quantity = {limit, unit};
      node.op = ir::ExprOp::Lt;
      node.kids = {made.tree.nodes.add(std::move(left)), made.tree.nodes.add(std::move(right))};
      made.tree.root = made.tree.nodes.add(std::move(node));
      return made;
    };
    terms->conditions.push_back(below(ir::ExprOp::Fact, "train.micro_batch", 100, {}));
    terms->conditions.push_back(below(ir::ExprOp::Metric, "memory.peak", 50e9, units::bytes));
    plan.search = terms;
    header.conditions = 2;
  }

  Folder folder;
  bench::Loaded loaded;
  ir::Plan plan;
  ir::Space space;
  StoreHeader header;
};

TEST(Ranges, JoinWhatTouches) {
  Ranges ranges;
  std::set<uint64_t> plain;
  uint64_t seed = 1;
  for (int i = 0; i < 400; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const uint64_t first = (seed >> 33) % 900, end = first + (seed >> 60);
    ranges.add(first, end);
    for (uint64_t n = first; n < end; ++n) plain.insert(n);
    ASSERT_EQ(ranges.size(), plain.size());
  }
  for (uint64_t n = 0; n < 1000; ++n) EXPECT_EQ(ranges.has(n), plain.count(n) == 1) << n;
  uint64_t last = 0;
  for (const auto& [first, end] : ranges.all()) {
    EXPECT_TRUE(last == 0 || first > last) << "ranges that touch are one";
    last = end;
  }
}

TEST(Shards, HaveEveryBlockOnce) {
  for (const uint64_t blocks : {0, 1, 2, 15, 16, 17, 1000})
    for (const uint64_t count : {1, 3, 16}) {
      uint64_t sum = 0;
      for (uint64_t i = 0; i < count; ++i) sum += Shard{i, count}.of(blocks);
      EXPECT_EQ(sum, blocks) << count;
    }
}

SaidShard saidIn(const char* text, const std::map<std::string, std::string>& environment) {
  return shardOf(text, [&](const char* name) {
    const auto at = environment.find(name);
    return at == environment.end() ? nullptr : at->second.c_str();
  });
}

TEST(Shards, AreSaidInWordsAndBySchedulers) {
  const std::map<std::string, std::string> slurm = {{"SLURM_ARRAY_TASK_ID", "7"},
                                                    {"SLURM_ARRAY_TASK_MIN", "1"},
                                                    {"SLURM_ARRAY_TASK_COUNT", "4"},
                                                    {"SLURM_ARRAY_TASK_STEP", "3"}};
  EXPECT_EQ(saidIn("2/16", {}).shard, (Shard{2, 16}));
  EXPECT_EQ(saidIn("auto", slurm).shard, (Shard{2, 4}));
  EXPECT_EQ(saidIn("auto/16", slurm).shard, (Shard{7, 16})) << "a part of an array, submitted again";
  EXPECT_EQ(saidIn("auto", {{"JOB_COMPLETION_INDEX", "3"}, {"JOB_COMPLETIONS", "8"}}).shard, (Shard{3, 8}));
  EXPECT_EQ(saidIn("auto/8", {{"JOB_COMPLETION_INDEX", "3"}}).shard, (Shard{3, 8}));
}

TEST(Shards, WithoutSenseAreRefused) {
  for (const char* text : {"", "3", "/", "1/", "/2", "2/2", "0/0", "-1/2", "auto/", "auto/x", "1/2/3", "0/9999999999"})
    EXPECT_FALSE(saidIn(text, {{"SLURM_ARRAY_TASK_ID", "0"}}).shard) << text;
  EXPECT_NE(saidIn("auto", {}).mistake.find("neither SLURM_ARRAY_TASK_ID"), std::string::npos);
  EXPECT_NE(saidIn("auto", {{"SLURM_ARRAY_TASK_ID", "4294967294"}, {"SLURM_ARRAY_TASK_COUNT", "4"}})
                .mistake.find("4294967294"),
            std::string::npos);
  EXPECT_NE(saidIn("auto", {{"SLURM_ARRAY_TASK_ID", "x"}}).mistake.find("SLURM_ARRAY_TASK_ID is `x`"),
            std::string::npos);
  EXPECT_FALSE(saidIn("auto", {{"SLURM_ARRAY_TASK_ID", "2"},
                               {"SLURM_ARRAY_TASK_MIN", "1"},
                               {"SLURM_ARRAY_TASK_COUNT", "4"},
                               {"SLURM_ARRAY_TASK_STEP", "3"}})
                   .shard);
  EXPECT_NE(saidIn("auto", {{"JOB_COMPLETION_INDEX", "3"}}).help.find("auto/N"), std::string::npos);
}

TEST_F(Stores, GiveBackWhatWasPutIn) {
  addConditions();
  header.rows = true;
  const auto store = Store::create(folder / "a.db", header, space);
  const Answer found = answer({.part = {.sink = store.get()}});
  const Walked kept = store->walked(space);
  EXPECT_EQ(text(kept.answer), text(found));
  EXPECT_TRUE(found.bestWithout(1)) << "the test asks something of every part";
  EXPECT_FALSE(found.unlawful().empty());
  EXPECT_EQ(kept.decided.size(), header.blocks);
  uint64_t rows = 0, last = 0;
  store->eachRow([&](const Outcome& row) {
    EXPECT_TRUE(row.priced());
    EXPECT_TRUE(rows++ == 0 || row.id > last);
    last = row.id;
  });
  EXPECT_EQ(rows, found.priced());
  EXPECT_EQ(store->header().facts, header.facts);
  EXPECT_EQ(store->space().str(last), space.str(last));
}

TEST_F(Stores, GoOnWhereAWalkWasBrokenOff) {
  addConditions();
  const std::string whole = text(answer());
  const std::string path = folder / "a.db";
  int walks = 0;
  for (uint64_t decided = 0; decided < header.blocks; ++walks) { // each ends with its first batch
    const auto store = Store::resume(path, header, space);
    const Walked before = store->walked(space);
    EXPECT_EQ(before.decided.size(), decided);
    Progress progress;
    StopsAfter sink(*store, 1, progress);
    answer({.threads = walks < 3 ? 1u : 2u, .progress = &progress, .part = {.before = &before, .sink = &sink}});
    EXPECT_GT(store->decided().size(), decided);
    decided = store->decided().size();
    EXPECT_EQ(progress.blocks, decided);
  }
  EXPECT_GT(walks, 2);
  const auto store = Store::resume(path, header, space);
  const Walked before = store->walked(space);
  EXPECT_EQ(text(before.answer), whole);
  Progress progress;
  EXPECT_EQ(text(answer({.progress = &progress, .part = {.before = &before, .sink = store.get()}})), whole);
  EXPECT_EQ(progress.priced, 0u) << "what was decided is not priced again";
}

TEST_F(Stores, OfShardsBecomeOne) {
  addConditions();
  const std::string whole = text(answer());
  for (const uint64_t count : {1u, 3u, 16u}) {
    std::vector<std::string> paths;
    for (uint64_t i = 0; i < count; ++i) {
      header.shard = {i, count};
      paths.push_back(folder / (std::to_string(i) + "of" + std::to_string(count)).c_str());
      const auto store = Store::create(paths.back(), header, space);
      answer({.part = {.shard = header.shard, .sink = store.get()}});
    }
    const std::string out = folder / ("all" + std::to_string(count)).c_str();
    mergeStores(out, paths);
    EXPECT_EQ(text(Store::read(out)->walked(space).answer), whole) << count;
    EXPECT_EQ(Store::read(out)->decided().size(), header.blocks);
  }
}

/// What merging these says.
std::string refusal(const std::string& out, const std::vector<std::string>& paths) {
  try {
    mergeStores(out, paths);
  } catch (const StoreMismatch& mismatch) {
    EXPECT_FALSE(fs::exists(out));
    return mismatch.what();
  }
  return "";
}

TEST_F(Stores, OfShardsThatLackSomethingAreRefused) {
  std::vector<std::string> paths;
  for (uint64_t i = 0; i < 3; ++i) {
    header.shard = {i, 3};
    paths.push_back(folder / std::to_string(i).c_str());
    const auto store = Store::create(paths.back(), header, space);
    if (i != 2) answer({.part = {.shard = header.shard, .sink = store.get()}});
  }
  const std::string out = folder / "out";
  EXPECT_NE(refusal(out, paths).find("shard 2/3 is unfinished: "), std::string::npos);
  EXPECT_NE(refusal(out, {paths[1]}).find("shards 0/3, 2/3 are missing"), std::string::npos);
  EXPECT_NE(refusal(out, {paths[0], paths[1], paths[1]}).find("shard 2/3 is missing; shard 1/3 is given twice"),
            std::string::npos);
  header.shard = {2, 3};
  header.facts[1].second = "def";
  const std::string other = folder / "other";
  {
    const auto store = Store::create(other, header, space);
    answer({.part = {.shard = header.shard, .sink = store.get()}});
  }
  const std::string mixed = refusal(out, {paths[0], paths[1], other});
  EXPECT_NE(mixed.find("library is def in it, but abc in"), std::string::npos) << mixed;
}

TEST_F(Stores, OfOthersAreLeftAlone) {
  const auto refused = [&](const std::string& path) -> std::string {
    try {
      Store::read(path);
    } catch (const StoreFailure& failure) {
      return failure.what();
    }
    return "";
  };
  std::ofstream(folder / "text") << std::string(5000, 'x');
  EXPECT_NE(refused(folder / "text").find("is not a store"), std::string::npos);
  EXPECT_THROW(Store::resume(folder / "text", header, space), StoreFailure);
  EXPECT_NE(refused(folder / "absent").find("does not exist"), std::string::npos);
  EXPECT_THROW(Store::create(folder / "no/such/folder", header, space), StoreFailure);

  const auto first = Store::create(folder / "a.db", header, space);
  EXPECT_NE(refused(folder / "a.db").find("is locked"), std::string::npos);
  EXPECT_THROW(Store::resume(folder / "a.db", header, space), StoreFailure);
  EXPECT_THROW(Store::create(folder / "a.db", header, space), StoreFailure);
  std::ofstream(folder / "empty");
  EXPECT_NE(refused(folder / "empty").find("is empty"), std::string::npos);
  EXPECT_NO_THROW(Store::resume(folder / "empty", header, space)) << "as a search leaves it that ended at once";
}

TEST_F(Stores, MergesLeaveWhatOthersHaveThere) {
  header.shard = {0, 1};
  {
    const auto store = Store::create(folder / "shard.db", header, space);
    answer({.part = {.shard = header.shard, .sink = store.get()}});
  }
  const std::string out = folder / "out.db";
  std::ofstream(out) << "notes";
  EXPECT_THROW(mergeStores(out, {folder / "shard.db"}), StoreFailure);
  EXPECT_EQ(fs::file_size(out), 5u);
}

TEST_F(Stores, ThatAreRemovedMeanwhileSaySo) {
  const auto store = Store::create(folder / "a.db", header, space);
  const Walked nothing = store->walked(space);
  store->take(nothing, {});
  const auto refusal = [&] {
    try {
      store->take(nothing, {});
    } catch (const StoreFailure& failure) {
      return std::string(failure.what());
    }
    return std::string();
  };
  fs::rename(folder / "a.db", folder / "b.db");
  EXPECT_NE(refusal().find("a.db was removed, or replaced by another file"), std::string::npos);
  std::ofstream(folder / "a.db") << "another";
  EXPECT_NE(refusal().find("a.db was removed, or replaced by another file"), std::string::npos);
  fs::rename(folder / "b.db", folder / "a.db");
  EXPECT_EQ(refusal(), "");
}

/// An answer that cannot be kept is an error, not an answer.
TEST_F(Stores, AWalkEndsWithItsSink) {
  class Fails : public WalkSink {
    void take(const Walked&, const std::vector<Outcome>&) override { throw StoreFailure("full"); }
  } sink;
  for (const unsigned threads : {1u, 3u})
    EXPECT_THROW(answer({.threads = threads, .part = {.sink = &sink}}), StoreFailure);
}

} // namespace
} // namespace planc::search
