// Wraps SQLite. No other file uses it directly.
// SPDX-License-Identifier: Apache-2.0
#include "search/store/Database.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <sqlite3.h>

namespace planc::search {

namespace {

constexpr const char* kFateWords[kFates] = {"none", "cut", "rest", "unlawful", "unmet", "unfit", "met", "worse"};
constexpr size_t kWithoutGoals = 7; // columns of an outcome without its goals
constexpr const char* kGoOn = "the results written so far are intact: `--resume` continues from there";

} // namespace

Database::Database(const std::string& path, bool create) : path_(path) {
  std::error_code lost;                                                     // set if the current folder is gone
  const std::string whole = std::filesystem::absolute(path, lost).string(); // `:memory:` becomes an ordinary name
  if (lost) throw StoreFailure(fmt::format("{} cannot be opened: {}", path, lost.message()));
  const int code =
      sqlite3_open_v2(whole.c_str(), &database_,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (create ? SQLITE_OPEN_CREATE : 0), nullptr);
  if (code == SQLITE_OK) return;
  sqlite3_close(database_);
  check(code);
}

Database::~Database() {
  sqlite3_close(database_);
}

int Database::execute(const std::string& sql) {
  return sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr);
}

void Database::check(int code) const {
  switch (code & 0xff) {
  case SQLITE_OK:
  case SQLITE_ROW:
  case SQLITE_DONE:
    return;
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    throw StoreFailure(fmt::format("{} is locked: another process has it open", path_),
                       "a search locks its store until it ends");
  case SQLITE_NOTADB:
  case SQLITE_CORRUPT:
    throw StoreFailure(fmt::format("{} is not a store of a search, or it is damaged", path_));
  case SQLITE_FULL:
    throw StoreFailure(fmt::format("{} cannot be written: the disk is full", path_), kGoOn);
  case SQLITE_READONLY:
  case SQLITE_PERM:
    throw StoreFailure(fmt::format("{} cannot be written: the file or its folder is read-only", path_));
  case SQLITE_CANTOPEN: {
    std::error_code unknown;
    const bool there = std::filesystem::exists(path_, unknown);
    throw StoreFailure(fmt::format("{} cannot be opened: {}", path_,
                                   unknown ? unknown.message()
                                   : there ? "the file or its folder cannot be written"
                                           : "its folder does not exist or cannot be written"));
  }
  default:
    throw StoreFailure(fmt::format("{} cannot be used: {}", path_, sqlite3_errstr(code)), kGoOn);
  }
}

int64_t Database::pragma(const std::string& name) {
  Statement asked(*this, "PRAGMA " + name);
  return asked.step() ? asked.whole(0) : 0;
}

Statement::Statement(Database& database, const std::string& sql) : database_(database) {
  database.check(sqlite3_prepare_v2(database.get(), sql.c_str(), -1, &statement_, nullptr));
}

Statement::~Statement() {
  sqlite3_finalize(statement_);
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  database_.check(code);
  return code == SQLITE_ROW;
}

void Statement::reset() {
  database_.check(sqlite3_reset(statement_));
}

void Statement::bind(const std::string& text) {
  database_.check(sqlite3_bind_text(statement_, ++at_, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT));
}

void Statement::bind(double value) {
  database_.check(sqlite3_bind_double(statement_, ++at_, value));
}

void Statement::bindWhole(int64_t value) {
  database_.check(sqlite3_bind_int64(statement_, ++at_, value));
}

void Statement::bind(const Outcome& outcome) {
  bind(outcome.id);
  bind(fateWord(outcome.fate));
  bind(outcome.condition);
  bind(outcome.alone);
  bind(outcome.code);
  bind(outcome.stepTime);
  bind(outcome.peak);
  for (const double goal : outcome.goals) bind(goal);
}

int64_t Statement::whole(size_t column) const {
  return sqlite3_column_int64(statement_, static_cast<int>(column));
}

std::string Statement::text(size_t column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, static_cast<int>(column)));
  return text ? std::string(text, static_cast<size_t>(sqlite3_column_bytes(statement_, static_cast<int>(column)))) : "";
}

double Statement::real(size_t column) const { // SQLite stores NaN as NULL
  const int at = static_cast<int>(column);
  return sqlite3_column_type(statement_, at) == SQLITE_NULL ? std::numeric_limits<double>::quiet_NaN()
                                                            : sqlite3_column_double(statement_, at);
}

Outcome Statement::outcome(size_t column, size_t goals) const {
  Outcome out;
  out.id = count(column);
  out.fate = fateOf(text(column + 1));
  out.condition = static_cast<uint32_t>(whole(column + 2));
  out.alone = whole(column + 3) != 0;
  out.code = static_cast<int>(whole(column + 4));
  out.stepTime = real(column + 5);
  out.peak = real(column + 6);
  for (size_t g = 0; g < goals; ++g) out.goals.push_back(real(column + kWithoutGoals + g));
  return out;
}

std::string outcomeColumns(size_t goals, bool typed) { // a column without a type keeps the bits of a number
  std::string text = typed ? "candidate INTEGER NOT NULL, fate TEXT NOT NULL, condition INTEGER, alone INTEGER, "
                             "code INTEGER, step_time, memory_peak"
                           : "candidate, fate, condition, alone, code, step_time, memory_peak";
  for (size_t g = 1; g <= goals; ++g) text += fmt::format(", goal_{}", g);
  return text;
}

size_t outcomeWidth(size_t goals) {
  return kWithoutGoals + goals;
}

const char* fateWord(Fate fate) {
  return kFateWords[static_cast<size_t>(fate)];
}

Fate fateOf(std::string_view word) {
  const auto at = std::find(std::begin(kFateWords), std::end(kFateWords), word);
  return at == std::end(kFateWords) ? Fate::None : static_cast<Fate>(at - std::begin(kFateWords));
}

} // namespace planc::search
