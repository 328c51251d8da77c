// SQLite as the store uses it: a connection, statements with values, transactions; what fails is a StoreFailure.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "search/store/Store.h"

#include <concepts>

struct sqlite3;
struct sqlite3_stmt;

namespace planc::search {

/// A connection to a file.
class Database {
public:
  /// `create`: an empty file where there is none.
  Database(const std::string& path, bool create);
  Database(const Database&) = delete;
  ~Database();

  /// Statements without values.
  void run(const std::string& sql) { check(execute(sql)); }
  /// The result code, for who does not care.
  int execute(const std::string& sql);
  /// Throws what the result code of a call says.
  void check(int code) const;
  int64_t pragma(const std::string& name);
  sqlite3* get() const { return database_; }

private:
  std::string path_;
  sqlite3* database_ = nullptr;
};

/// A statement with its values, run as often as wanted.
class Statement {
public:
  Statement(Database& database, const std::string& sql);
  Statement(const Statement&) = delete;
  ~Statement();

  /// With these in the places of its question marks, in order; an outcome has its columns.
  template <typename... Values> void run(const Values&... values) {
    at_ = 0;
    (bind(values), ...);
    step();
    reset();
  }
  /// False behind the last row.
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

/// The columns of outcomes with so many goals; with their types, as a table is made.
std::string outcomeColumns(size_t goals, bool typed);
size_t outcomeWidth(size_t goals);

/// A word in the place of a fate.
const char* fateWord(Fate fate);
Fate fateOf(std::string_view word);

/// What is done within its life is done as a whole: by `commit`, or not at all.
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
