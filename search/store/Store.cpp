// The SQLite tables of a store. Each batch rewrites the results of the walk and adds its new rows in one transaction.
// SPDX-License-Identifier: Apache-2.0
#include "search/store/Store.h"

#include "search/store/Database.h"
#include "support/files/Digest.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>

namespace planc::search {

namespace {

constexpr int kStoreMark = 0x706c616e; // "plan", the application id in the header of the file
constexpr int kStoreForm = 2;          // version of the tables and of the order of blocks

/// The role in the answer of a row of `kept`.
constexpr const char *kBest = "best", *kFront = "front", *kOfValue = "value", *kWithout = "without", *kUnfit = "unfit",
                     *kLeast = "least memory";
/// The kinds of counts of `counted`.
constexpr const char *kFate = "fate", *kLaw = "law", *kCondition = "condition";

/// The tables that the checksum covers. It omits the facts, which are compared one by one, and the rows, of which there
/// may be millions.
constexpr const char* kSummed[] = {"header", "choice", "value", "decided", "counted", "kept"};
constexpr const char* kSum = "sum";

std::string sumOf(Database& file) {
  std::string content;
  for (const std::string table : kSummed) {
    Statement width(file, fmt::format("SELECT count(*) FROM pragma_table_info('{}')", table));
    const size_t columns = width.step() ? width.count(0) : 0;
    const std::string rows = table == "header" ? fmt::format("header WHERE name <> '{}'", kSum) : table;
    for (Statement row(file, fmt::format("SELECT * FROM {}", rows)); row.step(); content += '\n')
      for (size_t c = 0; c < columns; ++c) content += row.text(c) + '\t';
  }
  return digestOf(content);
}

FileMark markOf(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? FileMark(info.st_dev, info.st_ino) : FileMark();
}

std::string questionMarks(size_t count) {
  std::string text = "?";
  for (size_t i = 1; i < count; ++i) text += ", ?";
  return text;
}

} // namespace

std::optional<StoreDifference> differenceOf(const StoreFacts& first, const StoreFacts& second) {
  const auto valueIn = [](const StoreFacts& facts, const std::string& name) {
    const auto at = std::find_if(facts.begin(), facts.end(), [&](const auto& fact) { return fact.first == name; });
    return at == facts.end() ? std::string() : at->second;
  };
  for (const StoreFacts* facts : {&first, &second})
    for (const auto& fact : *facts) {
      const std::string one = valueIn(first, fact.first), other = valueIn(second, fact.first);
      if (one != other) return StoreDifference{fact.first, one, other};
    }
  return std::nullopt;
}

void checkStorePath(const std::string& path) {
  std::error_code ignored;
  if (path.empty()) throw StoreFailure("the name of a store is empty", "name a file, such as `search.db`");
  if (path == "-") throw StoreFailure("a store must be a file; `-` is not one", "`./-` is a file with that name");
  const std::filesystem::file_status is = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(is))
    throw StoreFailure(
        fmt::format("{} is a folder, not a store of a search", path),
        fmt::format("name a file in it, such as `{}`", (std::filesystem::path(path) / "search.db").string()));
  if (std::filesystem::exists(is) && !std::filesystem::is_regular_file(is))
    throw StoreFailure(fmt::format("{} is a device or a pipe, so it cannot contain a store", path), "name a file");
}

Store::Store(std::string path, std::unique_ptr<Database> file) : path_(std::move(path)), file_(std::move(file)) {}
Store::~Store() = default;

std::unique_ptr<Store> Store::create(const std::string& path, const StoreHeader& header, const ir::Space& space) {
  const auto refuse = [&] {
    throw StoreFailure(fmt::format("{} already exists", path), "`--resume` continues it; or name another file");
  };
  checkStorePath(path);
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && std::filesystem::file_size(path, ignored) != 0) refuse();
  return resume(path, header, space);
}

std::unique_ptr<Store> Store::resume(const std::string& path, const StoreHeader& header, const ir::Space& space) {
  checkStorePath(path);
  std::unique_ptr<Store> made(new Store(path, std::make_unique<Database>(path, true)));
  made->file_->run("PRAGMA locking_mode = EXCLUSIVE");
  made->file_->run("BEGIN EXCLUSIVE; COMMIT"); // takes the exclusive lock, which lasts until the store is closed
  if (made->isEmpty()) made->writeHeader(header, space);
  made->checkMark();
  made->readHeader();
  made->mark_ = markOf(path);
  return made;
}

std::unique_ptr<Store> Store::read(const std::string& path) {
  checkStorePath(path);
  std::error_code unreadable; // set if the folder cannot be read
  if (!std::filesystem::exists(path, unreadable))
    throw StoreFailure(unreadable ? fmt::format("{} cannot be read: {}", path, unreadable.message())
                                  : fmt::format("{} does not exist", path));
  std::unique_ptr<Store> made(new Store(path, std::make_unique<Database>(path, false)));
  if (made->isEmpty())
    throw StoreFailure(fmt::format("{} is empty: the search that made it ended before its first candidate", path));
  made->checkMark();
  made->readHeader();
  return made;
}

bool Store::isEmpty() {
  return file_->pragma("application_id") == 0 && file_->pragma("schema_version") == 0;
}

void Store::checkMark() {
  if (file_->pragma("application_id") != kStoreMark)
    throw StoreFailure(fmt::format("{} is a database of SQLite, but not a store of a search", path_));
  if (const int64_t form = file_->pragma("user_version"); form != kStoreForm)
    throw StoreFailure(fmt::format("{} has format {}, but this planc reads format {}", path_, form, kStoreForm));
}

void Store::writeHeader(const StoreHeader& header, const ir::Space& space) {
  Transaction whole(*file_);
  file_->run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kStoreMark, kStoreForm));
  file_->run(
      "CREATE TABLE header(name TEXT PRIMARY KEY, value TEXT NOT NULL);"
      "CREATE TABLE fact(at INTEGER PRIMARY KEY, name TEXT NOT NULL, value TEXT NOT NULL);"
      "CREATE TABLE choice(choice INTEGER NOT NULL, part INTEGER NOT NULL, path TEXT NOT NULL);"
      "CREATE TABLE value(choice INTEGER NOT NULL, value INTEGER NOT NULL, part INTEGER NOT NULL, text TEXT NOT NULL);"
      "CREATE TABLE decided(first INTEGER NOT NULL, end INTEGER NOT NULL);"
      "CREATE TABLE counted(what TEXT NOT NULL, of, count INTEGER NOT NULL, first INTEGER NOT NULL);");
  const std::string columns = outcomeColumns(header.goals, true);
  file_->run(
      fmt::format("CREATE TABLE kept(what TEXT NOT NULL, of INTEGER NOT NULL, value INTEGER NOT NULL, {})", columns));
  if (header.rows) file_->run(fmt::format("CREATE TABLE candidate({}, PRIMARY KEY(candidate)) WITHOUT ROWID", columns));

  Statement entry(*file_, "INSERT INTO header VALUES(?, ?)");
  entry.run("asked", header.asked);
  entry.run("shard", std::to_string(header.shard.index));
  entry.run("shards", std::to_string(header.shard.count));
  entry.run("blocks", std::to_string(header.blocks));
  entry.run("conditions", std::to_string(header.conditions));
  entry.run("goals", std::to_string(header.goals));
  entry.run("top", std::to_string(header.top));
  entry.run("rows", header.rows ? "1" : "0");
  if (space.fill) entry.run("fill", space.fill->str());
  Statement fact(*file_, "INSERT INTO fact(name, value) VALUES(?, ?)");
  for (const auto& one : header.facts) fact.run(one.first, one.second);
  Statement choice(*file_, "INSERT INTO choice VALUES(?, ?, ?)"), value(*file_, "INSERT INTO value VALUES(?, ?, ?, ?)");
  for (size_t c = 0; c < space.choices.size(); ++c) {
    for (size_t p = 0; p < space.choices[c].paths.size(); ++p) choice.run(c, p, space.choices[c].paths[p]);
    for (size_t v = 0; v < space.choices[c].values.size(); ++v)
      for (size_t p = 0; p < space.choices[c].values[v].texts.size(); ++p)
        value.run(c, v, p, space.choices[c].values[v].texts[p]);
  }
  writeSum();
  whole.commit();
}

/// The checksum detects rows that were cut off or changed after they were written.
void Store::writeSum() {
  Statement(*file_, "INSERT OR REPLACE INTO header VALUES(?, ?)").run(kSum, sumOf(*file_));
}
void Store::checkSum() const {
  Statement sum(*file_, fmt::format("SELECT value FROM header WHERE name = '{}'", kSum));
  if (!sum.step() || sum.text(0) != sumOf(*file_))
    throw StoreFailure(fmt::format("{} is damaged: its rows differ from what a search wrote", path_));
}

void Store::readHeader() {
  checkSum();
  constexpr size_t kMost = 1u << 20; // most choices, values of a choice, or goals; a larger count means damage
  const auto sane = [&](uint64_t count) {
    if (count > kMost) throw StoreFailure(fmt::format("{} is damaged", path_));
    return static_cast<size_t>(count);
  };
  std::map<std::string, std::string> entries;
  for (Statement row(*file_, "SELECT name, value FROM header"); row.step();) entries[row.text(0)] = row.text(1);
  const auto number = [&](const char* name) {
    return static_cast<uint64_t>(std::strtoull(entries[name].c_str(), nullptr, 10));
  };
  header_ = {};
  for (Statement row(*file_, "SELECT name, value FROM fact ORDER BY at"); row.step();)
    header_.facts.emplace_back(row.text(0), row.text(1));
  header_.asked = entries["asked"];
  header_.shard = {number("shard"), std::max<uint64_t>(1, number("shards"))};
  header_.blocks = number("blocks");
  header_.conditions = sane(number("conditions"));
  header_.goals = sane(number("goals"));
  header_.top = number("top");
  header_.rows = number("rows") != 0;
  space_ = {};
  space_.top = static_cast<int64_t>(header_.top);
  if (entries.count("fill")) space_.fill = Symbol(entries["fill"]);
  for (Statement row(*file_, "SELECT choice, path FROM choice ORDER BY choice, part"); row.step();) {
    space_.choices.resize(std::max<size_t>(space_.choices.size(), sane(row.count(0)) + 1));
    space_.choices[row.count(0)].paths.push_back(row.text(1));
  }
  for (Statement row(*file_, "SELECT choice, value, text FROM value ORDER BY choice, value, part"); row.step();) {
    if (row.count(0) >= space_.choices.size()) continue;
    auto& values = space_.choices[row.count(0)].values;
    values.resize(std::max<size_t>(values.size(), sane(row.count(1)) + 1));
    values[row.count(1)].texts.push_back(row.text(2));
  }
  for (const ir::Choice& choice : space_.choices) sane(choice.values.empty() ? kMost + 1 : 0);
}

/// Throws if the file was removed or replaced. Writes would otherwise succeed, and be lost.
void Store::checkThere() const {
  if (markOf(path_) != mark_)
    throw StoreFailure(fmt::format("{} was removed, or replaced by another file, while the search wrote it", path_),
                       "search again with `--store`, and do not move the file until the search ends");
}

void Store::take(const Walked& soFar, const std::vector<Outcome>& priced) {
  checkThere();
  Transaction whole(*file_);
  file_->run("DELETE FROM decided; DELETE FROM counted; DELETE FROM kept");
  Statement decided(*file_, "INSERT INTO decided VALUES(?, ?)");
  for (const auto& range : soFar.decided.all()) decided.run(range.first, range.second);
  Statement(*file_, "INSERT OR REPLACE INTO header VALUES('least', ?)").run(fmt::format("{}", soFar.least));

  const Answer& answer = soFar.answer;
  Statement counted(*file_, "INSERT INTO counted VALUES(?, ?, ?, ?)");
  const auto count = [&](const char* what, auto of, const Counted& one) {
    if (one.count) counted.run(what, of, one.count, one.first);
  };
  for (int f = 0; f < kFates; ++f) count(kFate, fateWord(static_cast<Fate>(f)), answer.of(static_cast<Fate>(f)));
  for (const auto& [code, one] : answer.unlawful()) count(kLaw, code, one);
  for (size_t i = 0; i < answer.unmet().size(); ++i) count(kCondition, i, answer.unmet()[i]);

  const size_t columns = outcomeWidth(header_.goals);
  Statement kept(*file_, fmt::format("INSERT INTO kept VALUES({})", questionMarks(3 + columns)));
  const auto keep = [&](const char* what, size_t of, size_t value, const Outcome* one) {
    if (one) kept.run(what, of, value, *one);
  };
  for (size_t i = 0; i < answer.best().size(); ++i) keep(kBest, i, 0, &answer.best()[i]);
  for (size_t i = 0; i < answer.front().size(); ++i) keep(kFront, i, 0, &answer.front()[i]);
  for (size_t c = 0; c < space_.choices.size(); ++c)
    for (uint32_t v = 0; v < space_.choices[c].values.size(); ++v) keep(kOfValue, c, v, answer.bestOf(c, v));
  for (size_t i = 0; i < header_.conditions; ++i) keep(kWithout, i, 0, answer.bestWithout(i));
  keep(kUnfit, 0, 0, answer.bestUnfit());
  keep(kLeast, 0, 0, answer.leastPeak());

  if (!priced.empty()) {
    Statement row(*file_, fmt::format("INSERT OR REPLACE INTO candidate VALUES({})", questionMarks(columns)));
    for (const Outcome& one : priced) row.run(one);
  }
  writeSum();
  whole.commit();
  checkThere();
}

Ranges Store::decided() const {
  Ranges out;
  for (Statement row(*file_, "SELECT first, end FROM decided"); row.step();) out.add(row.count(0), row.count(1));
  return out;
}

Walked Store::walked(const ir::Space& space) const try {
  AnswerParts parts;
  for (const ir::Choice& choice : space.choices) parts.values.emplace_back(choice.values.size());
  parts.without.resize(header_.conditions);
  parts.unmet.resize(header_.conditions);
  for (Statement row(*file_, "SELECT what, of, count, first FROM counted"); row.step();) {
    const std::string what = row.text(0);
    const Counted one{row.count(2), row.count(3)};
    if (what == kFate) parts.fates[static_cast<size_t>(fateOf(row.text(1)))] = one;
    if (what == kLaw) parts.unlawful[static_cast<int>(row.whole(1))] = one;
    if (what == kCondition) parts.unmet.at(row.count(1)) = one;
  }
  const std::string columns = outcomeColumns(header_.goals, false);
  for (Statement row(*file_, fmt::format("SELECT what, of, value, {} FROM kept ORDER BY what, of", columns));
       row.step();) {
    const std::string what = row.text(0);
    Outcome one = row.outcome(3, header_.goals);
    if (what == kBest)
      parts.best.push_back(std::move(one));
    else if (what == kFront)
      parts.front.push_back(std::move(one));
    else if (what == kOfValue)
      parts.values.at(row.count(1)).at(row.count(2)) = std::move(one);
    else if (what == kWithout)
      parts.without.at(row.count(1)) = std::move(one);
    else if (what == kUnfit)
      parts.unfit = std::move(one);
    else if (what == kLeast)
      parts.leastPeak = std::move(one);
  }
  Statement least(*file_, "SELECT value FROM header WHERE name = 'least'");
  const double rest = least.step() ? std::strtod(least.text(0).c_str(), nullptr) : 0;
  return {Answer(space, header_.top, std::move(parts)), decided(), rest};
} catch (const std::out_of_range&) {
  throw StoreFailure(fmt::format("{} is damaged", path_));
}

void Store::eachRow(const std::function<void(const Outcome&)>& use) const {
  const std::string columns = outcomeColumns(header_.goals, false);
  const std::string from = header_.rows ? "candidate ORDER BY candidate" : "kept GROUP BY candidate ORDER BY candidate";
  for (Statement row(*file_, fmt::format("SELECT {} FROM {}", columns, from)); row.step();)
    use(row.outcome(0, header_.goals));
}

} // namespace planc::search
