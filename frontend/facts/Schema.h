// Reads facts into structures by tables: one row per fact with its path, unit, range and destination.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/facts/Facts.h"
#include "ir/facts/FactTable.h"
#include "ir/machine/Machine.h"

#include <functional>
#include <span>

namespace planc::frontend {

using ir::FactForm;
using ir::FactRange;
using ir::StarKey;
namespace ranges = ir::ranges;

/// A fact as read, ready for its destination.
struct FactInput {
  ir::Number number; ///< of all forms but Text and Custom; the unit, the range and the source of these, too
  std::string text;
  Symbol star;               ///< what stands for `*`
  ir::CollectiveClass cls{}; ///< the same of StarKey::Class
  ir::FactKey key;           ///< the same of any
  FactNode* node = nullptr;
  FactTree* tree = nullptr;
  Evaluator* ev = nullptr;
};

/// A fact of a plan, which is a field.
template <class T> struct FactRow {
  std::string_view path; ///< `run.tokens`
  ir::FactType type;
  void (*set)(T& target, FactInput& input);
};

/// A row without its destination.
struct RowView {
  std::string_view path;
  const ir::FactType& type;
  uint8_t index = 0; ///< of a fact of a record
};

/// Walks a tree of facts along a table; `set(row, input)` stores. Reports unknown facts, wrong types and senseless
/// numbers.
class FactReader {
public:
  FactReader(Evaluator& evaluator, FactTree& tree) : ev_(evaluator), tree_(tree) {}

  /// A record of the library. Facts that are no numbers go to `custom`.
  template <class Id, class Record> void read(Record& target, void (*custom)(Record& target, Id id, FactInput& input)) {
    const std::span<const ir::FactRow> rows = ir::factRows(ir::recordOf(Id()));
    std::vector<RowView> views;
    for (const ir::FactRow& r : rows)
      for (const std::string_view path : {r.path, r.inside})
        if (!path.empty()) views.push_back({path, r.type, r.id.index});
    remade_ = remadeAt(views);
    walk(tree_.root(), "", views, [&](size_t row, FactInput& input) {
      const Id id = static_cast<Id>(views[row].index);
      if (views[row].type.form == FactForm::Custom || views[row].type.form == FactForm::Text)
        custom(target, id, input);
      else
        target.set(id, input.key, std::move(input.number));
    });
  }
  template <class T> void read(std::span<const FactRow<T>> rows, T& target) { read(rows, target, tree_.root(), ""); }
  /// Of one section of the tree; the rows' paths begin with its own.
  template <class T>
  void read(std::span<const FactRow<T>> rows, T& target, FactNode& section, const std::string& path) {
    std::vector<RowView> views;
    views.reserve(rows.size());
    for (const FactRow<T>& r : rows) views.push_back({r.path, r.type});
    walk(section, path, views, [&](size_t row, FactInput& input) { rows[row].set(target, input); });
  }

private:
  using Store = std::function<void(size_t, FactInput&)>;
  /// The last layer of `extends` that replaces a fact which the rows call a basis of samples; -1 without one.
  int remadeAt(const std::vector<RowView>& rows);
  void walk(FactNode& section, const std::string& path, const std::vector<RowView>& rows, const Store& set);
  void leaf(FactNode& node, const std::string& path, const std::vector<RowView>& rows, const Store& set);
  bool record(FactNode& node, const Value& value, const std::string& path, const std::vector<RowView>& rows,
              const Store& set);
  FactInput inputOf(FactNode& node, std::string_view star, const std::string& source, ir::Statistics statistics);
  bool fill(const RowView& row, FactInput& input, const Value& v, const std::string& path, SourceRange at);
  bool key(const RowView& row, FactInput& input, const std::string& path, SourceRange at);
  bool inRange(const RowView& row, const Value& v, const std::string& path, SourceRange at);
  void unknown(const std::string& path, const std::vector<RowView>& rows, SourceRange at);
  bool statistic(Symbol name) const;
  void statistics(FactNode& section, const std::string& path);
  void readStatistic(Symbol name, const Value& v, const std::string& path, SourceRange at, int layer);
  ir::Statistics statisticsOf(const RowView& row, const std::string& section, const std::string& path, int layer) const;

  Evaluator& ev_;
  FactTree& tree_;
  /// What holds for the section that is read.
  struct Around {
    bool calibrated = false;   ///< all of its facts are: they may have their statistics in common
    ir::Statistics statistics; ///< of the section
    /// The layers of `extends` that they are written at: a fact that overrides another has none of its statistics.
    int samplesAt = -1, errorAt = -1, p90At = -1, validAt = -1;
  };
  Around around_;
  int remade_ = -1; ///< the last layer that states anew what samples were taken on: earlier ones sampled another
};

/// A section was written as a fact.
void reportSectionForm(Context& context, SourceRange at, std::string_view fact);

} // namespace planc::frontend
