// Reads the raw tables of github.com/DebarghaG/estimate-train-time (arXiv 2509.22832): one file per part, function and
// precision, `PART_function_fp16.csv`; names of collectives end in `_NODES_GPUS`. The meaning of the columns was taken
// from the kernels that the project times.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/read/Csv.h"
#include "calibrate/read/RegressorWords.h"
#include "support/Quantity.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace planc::calibrate {

PLANC_ERROR(UnknownRegressor, 1010, "`{function}` is not a known function of these tables")
PLANC_ERROR(MissingRegressorColumn, 1011, "the table of `{function}` has no column {columns}")

namespace {

const RegressorWords& regressorVocabulary() {
  static const RegressorWords known = regressorWords(vocabularyText("regressor.json"));
  return known;
}

/// A line, whose values are read by column name.
class TableLine {
public:
  TableLine(const std::vector<std::string>& names, const std::vector<double>& values)
      : names_(names), values_(values) {}
  /// Returns the value of a column; 0 if the table lacks it.
  double operator[](std::string_view name) const {
    for (size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == name) return values_[i];
    return 0;
  }
  double at(const Formula& formula) const {
    return formula.at([this](std::string_view name) {
      const auto let = regressorVocabulary().lets.find(name);
      return let == regressorVocabulary().lets.end() ? (*this)[name] : at(let->second);
    });
  }

private:
  const std::vector<std::string>& names_;
  const std::vector<double>& values_;
};

/// The parts of a file name: `NVIDIAA100-SXM4-80GB_linear1_fp16.csv`.
struct Title {
  std::string device, function;
  std::optional<ir::DType> dtype;
};

Title titleOf(std::string_view path) {
  std::string_view stem = path.substr(path.find_last_of('/') + 1);
  stem = stem.substr(0, stem.find_last_of('.'));
  std::vector<std::string_view> words;
  for (size_t at = 0; at <= stem.size();) {
    const size_t end = std::min(stem.find('_', at), stem.size());
    words.push_back(stem.substr(at, end - at));
    at = end + 1;
  }
  Title title;
  title.device = words.front();
  for (size_t i = 1; i < words.size(); ++i) {
    if ((title.dtype = ir::parseDType(words[i]))) break;
    title.function += fmt::format("{}{}", title.function.empty() ? "" : "_", words[i]);
  }
  return title;
}

bool isTime(std::string_view column) {
  return column == "dur(us)" || column == "dur" || column == "F_dur(us)" || column == "B_dur(us)";
}

class RegressorTable {
public:
  RegressorTable(const SampleFile& file, Samples& out, DiagnosticEngine& diagnostics)
      : file_(file), out_(out), diagnostics_(diagnostics), lines_(file), title_(titleOf(file.path)) {}

  void read() {
    CsvRow row;
    if (!lines_.next(row) || !readHeader(row)) return;
    while (lines_.next(row))
      if (fitsHeader(row, names_.size(), lines_.range(), diagnostics_)) readRow(row);
  }

private:
  bool readHeader(const CsvRow& row) {
    for (const RegressorFunction& f : regressorVocabulary().functions)
      if (f.name == title_.function) function_ = &f;
    if (!function_) {
      std::vector<std::string> known;
      for (const RegressorFunction& f : regressorVocabulary().functions) known.push_back(f.name);
      auto report = diagnostics_.report(UnknownRegressor, lines_.range(), {{"function", title_.function}});
      report.meant(title_.function, known);
      report.help("the function is in the file's name, between device and precision; write other tables in the format "
                  "of docs/calibrate.md");
      return false;
    }
    for (const Cell& cell : row) names_.emplace_back(cell.text);
    std::vector<std::string> missing;
    for (const std::string& column : function_->columns)
      if (std::find(names_.begin(), names_.end(), column) == names_.end()) missing.push_back(column);
    if (!missing.empty()) {
      diagnostics_
          .report(MissingRegressorColumn, lines_.range(),
                  {{"function", function_->name}, {"columns", quotedSeries(missing)}})
          .help("the shapes of a function follow from its columns, by name");
      return false;
    }
    if (std::find(names_.begin(), names_.end(), "dur") != names_.end())
      out_.notes.push_back(
          fmt::format("{}: column `dur` has no unit: taken as us, as in the other tables", file_.path));
    return true;
  }

  void readRow(const CsvRow& row) {
    std::vector<double> values;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::optional<double> value = positiveNumber(row[i], names_[i], diagnostics_);
      if (!value) return;
      values.push_back(*value);
    }
    const TableLine line(names_, values);
    Sample sample;
    sample.kind = function_->kind;
    sample.name = function_->as;
    // Training in mixed precision keeps its states in fp32.
    sample.dtype = function_->kind == Kind::Optimizer ? ir::DType::fp32 : title_.dtype.value_or(ir::DType::fp16);
    sample.range = lines_.range();
    for (const auto& [extent, formula] : function_->extents) sample[extent] = line.at(formula);
    if (function_->elements) sample[Extent::Bytes] = line.at(*function_->elements) * ir::width(sample.dtype);
    fillDefaults(sample);
    const bool oneWay = line["dur(us)"] + line["dur"] > 0;
    sample.forward = (oneWay ? line["dur(us)"] + line["dur"] : line["F_dur(us)"]) * kMicrosecond;
    sample.backward = oneWay ? 0 : line["B_dur(us)"] * kMicrosecond;
    for (size_t i = 0; i < names_.size(); ++i)
      if (!isTime(names_[i])) sample.at.push_back(values[i]);
    sample.series = seriesOf(line);
    out_.samples.push_back(std::move(sample));
  }

  /// Returns the series of a line. Each group of ranks is a series of its own.
  uint32_t seriesOf(const TableLine& line) {
    const bool groups = function_->kind == Kind::Collective;
    const std::string label =
        groups ? fmt::format("{} {}x{}", function_->name, line["nodes"], line["GPUsPerNode"]) : title_.function;
    auto [it, isNew] = series_.try_emplace(label, static_cast<uint32_t>(out_.series.size()));
    if (isNew) {
      Series series{label, title_.device, file_.id, {}, groups};
      for (const std::string& name : names_)
        if (!isTime(name)) series.axes.push_back(name);
      out_.series.push_back(std::move(series));
      if (groups)
        note(fmt::format("`shape` is read as {} elements of one rank's part, `dur(us)` as microseconds",
                         ir::name(title_.dtype.value_or(ir::DType::fp16))));
    }
    return it->second;
  }

  /// Adds a note once, even if several files need it.
  void note(std::string text) {
    if (std::find(out_.notes.begin(), out_.notes.end(), text) == out_.notes.end())
      out_.notes.push_back(std::move(text));
  }

  const SampleFile& file_;
  Samples& out_;
  DiagnosticEngine& diagnostics_;
  CsvLines lines_;
  Title title_;
  const RegressorFunction* function_ = nullptr;
  std::vector<std::string> names_;
  std::map<std::string, uint32_t> series_;
};

/// Returns whether the header has at least one of these columns.
bool headerHas(const SampleFile& file, std::initializer_list<std::string_view> any) {
  const SampleFile header{file.id, file.path, firstLine(file.text)};
  CsvLines lines(header);
  CsvRow row;
  return lines.next(row) && std::any_of(row.begin(), row.end(), [&](const Cell& c) {
           return std::find(any.begin(), any.end(), c.text) != any.end();
         });
}

} // namespace

bool isRegressorTable(const SampleFile& file) {
  return titleOf(file.path).dtype && headerHas(file, {"dur(us)", "F_dur(us)", "dur"});
}

void readRegressorTable(const SampleFile& file, Samples& out, DiagnosticEngine& diagnostics) {
  RegressorTable(file, out, diagnostics).read();
}

bool isModelList(const SampleFile& file) {
  return headerHas(file, {"Best_model"});
}

void skipModelList(const SampleFile& file, Samples& out, DiagnosticEngine&) {
  out.notes.push_back(fmt::format("{}: a list of regression models, no samples: skipped", file.path));
}

} // namespace planc::calibrate
