// The page of an explanation: lines, facts, tables, equations with their constants and sources.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/facts/Facts.h"
#include "report/explain/Explain.h"
#include "report/tables/Cells.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace planc::report {

/// Returns a time as the report writes it: `13.19 s`.
inline std::string timeText(double seconds) {
  return formatQuantity(seconds, units::time);
}

/// Collects the blocks of an explanation.
class ExplainPage {
public:
  ExplainPage(const SourceManager& sources, const PageOptions& options) : sources_(sources), options_(options) {}

  void line(const std::string& text, size_t indent = 0, TextStyle style = TextStyle::Plain) {
    out_.push_back(Remark{text, indent, style});
  }
  /// Leaves an empty line.
  void gap() { out_.push_back(Gap{}); }
  /// Writes `NAME  VALUE`: the explained number as the report prints it.
  void number(std::string_view name, const std::string& value, std::string_view about = {});
  /// Writes `key       text`; nothing if the text is empty.
  void fact(std::string_view key, const std::string& text, size_t indent = 2);
  /// Writes the equation with symbols, then with numbers unless `numbers` is empty.
  void equation(const std::string& symbols, const std::string& numbers, size_t indent = 2);
  /// Writes a constant of the library or of the user's files as written there, with its source.
  void constant(const std::string& name, const ir::Number& number, size_t indent = 2);
  /// Writes the equation of a price with its constants and notes.
  void derivation(const cost::Derivation& why, size_t indent);
  void append(ExplainPage& other) { std::ranges::move(other.take(), std::back_inserter(out_)); }
  void table(Table table) { out_.push_back(std::move(table)); }
  /// Returns the place and the text of a range: `plan.plan:9: heads -> tp`.
  std::string quote(SourceRange range) const;
  const SourceManager& sources() const { return sources_; }
  const PageOptions& options() const { return options_; }
  /// Returns the number of lines so far.
  size_t lines() const;
  Page take() { return std::move(out_); }

private:
  std::string asWritten(const ir::Number& number) const;

  const SourceManager& sources_;
  const PageOptions& options_;
  Page out_;
};

/// A sum as a table: one line per part, largest first, and the sum.
class SumTable {
public:
  SumTable(ExplainPage& page, Unit unit) : page_(page), unit_(unit) {}
  void add(std::string name, double value, std::string note = {});
  /// Writes the table. Parts beyond `most` share a line unless all are requested. `sum`: expected sum of the parts.
  void write(double sum, size_t most = 20);

private:
  struct Part {
    std::string name;
    double value = 0;
    std::string note;
  };
  ExplainPage& page_;
  Unit unit_;
  std::vector<Part> parts_;
};

} // namespace planc::report
