// Reads facts into structures, driven by tables with one row per fact: path, unit, range and destination.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/facts/Facts.h"
#include "ir/facts/FactTable.h"
#include "ir/plan/Settings.h"

#include <algorithm>
#include <functional>
#include <span>

namespace planc::frontend {

using ir::FactForm;
using ir::FactRange;
using ir::StarKey;
namespace ranges = ir::ranges;

/// A fact that was read and checked, ready to be stored.
struct FactInput {
  ir::Number number; ///< value, unit, range and source; Text and Custom have no value here
  std::string text;
  Symbol star;               ///< the name in place of the row's `*`
  ir::CollectiveClass cls{}; ///< that name, for StarKey::Class
  ir::FactKey key;           ///< that name, as a key of any kind
  FactNode* node = nullptr;
  FactTree* tree = nullptr;
  Evaluator* ev = nullptr;
};

/// A row without its destination.
struct RowView {
  std::string_view path;
  const ir::FactType& type;
  uint8_t index = 0; ///< index of a record's fact
};

/// Walks a tree of facts along a table; `set(row, input)` stores a fact. Reports unknown facts, wrong types and values
/// out of range.
class FactReader {
public:
  FactReader(Evaluator& evaluator, FactTree& tree) : ev_(evaluator), tree_(tree) {}

  /// Reads a record of the library. Facts that are not numbers go to `custom`.
  template <class Id, class Record> void read(Record& target, void (*custom)(Record& target, Id id, FactInput& input)) {
    const std::span<const ir::FactRow> rows = ir::factRows(ir::recordOf(Id()));
    std::vector<RowView> views;
    for (const ir::FactRow& r : rows)
      for (const std::string_view path : {r.path, r.inside})
        if (!path.empty()) views.push_back({path, r.type, r.id.index});
    remade_ = remadeAt(views, &ir::FactType::basis);
    evidenceFrom_ = std::max(remade_, remadeAt(views, &ir::FactType::runsBasis));
    walk(tree_.root(), "", views, [&](size_t row, FactInput& input) {
      const Id id = static_cast<Id>(views[row].index);
      if (views[row].type.form == FactForm::Custom || views[row].type.form == FactForm::Text)
        custom(target, id, input);
      else
        target.set(id, input.key, std::move(input.number));
    });
  }
  /// Reads the numbers of a plan's statement by the rows of its settings. `by` receives facts without a field.
  void read(ir::Statement statement, FactNode& section, ir::Plan& plan,
            const std::function<void(FactInput&)>& by = nullptr);

private:
  using Store = std::function<void(size_t, FactInput&)>;
  /// The last layer of `extends` that replaces a fact on which samples depend (`basis`), or on which runs depend
  /// (`runsBasis`); -1 if there is none.
  int remadeAt(const std::vector<RowView>& rows, bool ir::FactType::*basis);
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
  /// Context of the section being read.
  struct Around {
    bool calibrated = false;   ///< all of its facts are calibrated, so statistics may be stated for the section
    ir::Statistics statistics; ///< statistics of the section
    /// The layers of `extends` that state the statistics. A fact that a later layer overrides has none of these.
    int samplesAt = -1, errorAt = -1, p90At = -1, validAt = -1;
  };
  Around around_;
  int remade_ = -1;       ///< result of `remadeAt`: statistics of earlier layers do not apply
  int evidenceFrom_ = -1; ///< evidence of earlier layers does not apply
};

/// Reports a section that was written as a fact.
void reportSectionForm(Context& context, SourceRange at, std::string_view fact);

} // namespace planc::frontend
