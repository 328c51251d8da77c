// The formats of `planc estimate`: text, JSON, CSV.
// SPDX-License-Identifier: Apache-2.0
#include "driver/estimate/EstimateFormats.h"

#include "driver/files/JsonDocument.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace planc::driver {
namespace {

/// Reports behind an empty line each. Those that stand alone are printed as they come.
class TextWriter : public EstimateWriter {
public:
  TextWriter(Console& console, const Arguments& arguments) : console_(console), held_(arguments.has("--compare")) {
    options_.color = console.colorOut();
    options_.allLayers = arguments.has("--all");
    if (arguments.value("--sort") == "time") options_.order = report::LayerOrder::Time;
  }
  ReportPiece piece(const report::PlanReport& report) const override { return {report::text(report, options_), ""}; }
  void add(const ReportPiece& piece) override { write(piece.text); }
  void finish(const Comparisons& comparisons, const Inputs&) override {
    if (comparisons.asked) write(*comparisons.asked);
    for (const report::ComparisonReport& c : comparisons.declared) write(c);
    text_.print(console_);
  }

private:
  void write(const report::ComparisonReport& c) { write(textOf(comparisonDocument(c), options_.color)); }
  void write(const std::string& text) {
    const std::string_view before = std::exchange(any_, true) ? "\n" : "";
    if (held_) {
      text_.add(before);
      text_.add(text);
    } else {
      console_.out(before);
      console_.out(text);
    }
  }
  Console& console_;
  report::TextOptions options_;
  const bool held_;
  bool any_ = false;
  Spool text_;
};

/// Tables behind an empty line each: a line per layer and one per number of a run, in place of both a comparison if it
/// was asked; then the declared comparisons.
class CsvWriter : public EstimateWriter {
public:
  explicit CsvWriter(Console& console) : console_(console) {}
  ReportPiece piece(const report::PlanReport& report) const override {
    return {report::csv(report, true), report::runCsv(report, true)};
  }
  void add(const ReportPiece& piece) override {
    addRows(layers_, piece.text);
    addRows(runs_, piece.run);
  }
  void finish(const Comparisons& comparisons, const Inputs&) override {
    Spool asked, declared;
    if (comparisons.asked) asked.add(csvOf(comparisonDocument(*comparisons.asked)));
    for (const report::ComparisonReport& c : comparisons.declared) addRows(declared, csvOf(comparisonDocument(c)));
    bool any = false;
    for (const Spool* table : {&layers_, &runs_, &asked, &declared}) {
      const bool replaced = comparisons.asked && (table == &layers_ || table == &runs_);
      if (replaced || table->empty()) continue;
      if (std::exchange(any, true)) console_.out("\n");
      table->print(console_);
    }
  }

private:
  /// The heads of the columns stand once.
  static void addRows(Spool& table, std::string_view rows) {
    if (!table.empty() && !rows.empty()) rows.remove_prefix(rows.find('\n') + 1);
    table.add(rows);
  }
  Console& console_;
  Spool layers_, runs_;
};

/// One object. A plan is in it as text: its JSON takes ten times as much.
class JsonWriter : public EstimateWriter {
public:
  explicit JsonWriter(Console& console) : console_(console), document_(kPlansFormat), json_(document_.found()) {
    json_.key("plans");
    json_.begin('[');
  }
  ReportPiece piece(const report::PlanReport& report) const override {
    return {JsonStream::dumped(report::json(report)), ""};
  }
  void add(const ReportPiece& piece) override { json_.dumpedValue(piece.text); }
  void finish(const Comparisons& comparisons, const Inputs& inputs) override {
    json_.end();
    if (comparisons.asked) json_.member("comparison", report::comparisonJson(*comparisons.asked));
    if (!comparisons.declared.empty()) {
      json_.key("comparisons");
      json_.begin('[');
      for (const report::ComparisonReport& c : comparisons.declared) addDeclared(c);
      json_.end();
    }
    addInputs(json_, inputs);
    document_.print(console_);
  }

private:
  /// With the whole report of each of its plans.
  void addDeclared(const report::ComparisonReport& c) {
    const nlohmann::ordered_json comparison = report::comparisonJson(c);
    json_.begin('{');
    for (const auto& [name, value] : comparison.items()) {
      if (name != "plans") {
        json_.member(name, value);
        continue;
      }
      json_.key(name);
      json_.begin('[');
      for (size_t i = 0; i < c.plans.size(); ++i) {
        json_.begin('{');
        json_.members(value[i]);
        json_.member("estimate", report::json(c.plans[i]));
        json_.end();
      }
      json_.end();
    }
    json_.end();
  }
  Console& console_;
  JsonDocument document_;
  JsonStream& json_;
};

constexpr EstimateFormat kEstimateFormats[] = {
    {"text",
     [](Console& console, const Arguments& arguments) -> std::unique_ptr<EstimateWriter> {
       return std::make_unique<TextWriter>(console, arguments);
     },
     true, false, false},
    {"json",
     [](Console& console, const Arguments&) -> std::unique_ptr<EstimateWriter> {
       return std::make_unique<JsonWriter>(console);
     },
     true, true, true},
    {"csv",
     [](Console& console, const Arguments&) -> std::unique_ptr<EstimateWriter> {
       return std::make_unique<CsvWriter>(console);
     },
     false, false, false}};

} // namespace

const EstimateFormat& estimateFormat(const Arguments& arguments) {
  for (const EstimateFormat& f : kEstimateFormats)
    if (f.name == *arguments.value("--format")) return f;
  return kEstimateFormats[0];
}

} // namespace planc::driver
