// A thin wrapper of SQLite for the store: connection, statements, transactions. Failures throw StoreFailure.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "search/store/Store.h"

#include <concepts>

struct sqlite3;
struct sqlite3_stmt;

namespace planc::search {

/// A connection to a database file.
class Database {
public:
  /// Opens a file. `create`: create an empty file if it does not exist.
  Database(const std::string& path, bool create);
  Database(const Database&) = delete;
  ~Database();

  /// Runs SQL statements without values; throws if they fail.
  void run(const std::string& sql) { check(execute(sql)); }
  /// Runs SQL statements without values and returns the result code of SQLite.
  int execute(const std::string& sql);
  /// Throws a StoreFailure if `code` is an error.
  void check(int code) const;
  int64_t pragma(const std::string& name);
  sqlite3* get() const { return database_; }

private:
  std::string path_;
  sqlite3* database_ = nullptr;
};

/// A prepared statement, which can run many times with different values.
class Statement {
public:
  Statement(Database& database, const std::string& sql);
  Statement(const Statement&) = delete;
  ~Statement();

  /// Runs the statement with these values for its question marks, in order. An outcome fills several question marks.
  template <typename... Values> void run(const Values&... values) {
    at_ = 0;
    (bind(values), ...);
    step();
    reset();
  }
  /// Goes to the next row; false after the last one.
  bool step();
  int64_t whole(size_t column) const;
  uint64_t count(size_t column) const { return static_cast<uint64_t>(whole(column)); }
  std::string text(size_t column) const;
  double real(size_t column) const;
  Outcome outcome(size_t column, size_t goals) const;

private:
  void bind(const std::string& text);
  void bind(const char* text) { bind(std::string(text)); }
  void bind(double value);
  template <std::integral T> void bind(T value) { bindWhole(static_cast<int64_t>(value)); }
  void bindWhole(int64_t value);
  void bind(const Outcome& outcome);
  void reset();

  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
  int at_ = 0;
};

/// Returns the column names of an outcome with `goals` goals, with their types (for CREATE TABLE) if `typed` is set.
std::string outcomeColumns(size_t goals, bool typed);
size_t outcomeWidth(size_t goals);

/// Returns the word that the store writes for a fate.
const char* fateWord(Fate fate);
Fate fateOf(std::string_view word);

/// A transaction. It is rolled back when the object ends, unless `commit` was called.
class Transaction {
public:
  explicit Transaction(Database& database) : database_(database) { database.run("BEGIN EXCLUSIVE"); }
  Transaction(const Transaction&) = delete;
  ~Transaction() {
    if (!done_) database_.execute("ROLLBACK");
  }
  void commit() {
    database_.run("COMMIT");
    done_ = true;
  }

private:
  Database& database_;
  bool done_ = false;
};

} // namespace planc::search
