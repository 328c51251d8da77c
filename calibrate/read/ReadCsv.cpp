// Reads planc's own sample format: a header that names the columns, and one line per measured point
// (docs/calibrate.md).
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/read/Csv.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace planc::calibrate {

PLANC_ERROR(UnknownSampleColumn, 1004, "`{column}` is not a column of samples{beside}")
PLANC_ERROR(MissingSampleColumn, 1005, "a sample of kind `{kind}` needs {columns}")
PLANC_ERROR(UnknownSampleWord, 1006, "`{word}` is not a valid {what}")
PLANC_ERROR(NoTime, 1007, "this sample has no time")

namespace {

/// Seconds per unit, by the suffix of a column's name.
struct TimeUnit {
  std::string_view suffix;
  double seconds;
};
constexpr std::array<TimeUnit, 4> kTimeUnits{{{"_ns", 1e-9}, {"_us", 1e-6}, {"_ms", 1e-3}, {"_s", 1}}};

enum class Field { Unknown, Kind, Name, DType, Device, Series, Extent, Elements, Forward, Backward };

struct Column {
  std::string_view name;
  Field field;
  Extent extent = Extent::Batch;
  double seconds = 0; ///< seconds per unit of a time
};

constexpr std::array<std::pair<std::string_view, Field>, 6> kWords{{{"kind", Field::Kind},
                                                                    {"name", Field::Name},
                                                                    {"dtype", Field::DType},
                                                                    {"device", Field::Device},
                                                                    {"series", Field::Series},
                                                                    {"elements", Field::Elements}}};
/// Names of time columns, without the unit. One-directional kinds may use `time`.
constexpr std::array<std::pair<std::string_view, Field>, 3> kTimes{
    {{"forward", Field::Forward}, {"backward", Field::Backward}, {"time", Field::Forward}}};

std::optional<Column> parseColumn(std::string_view text) {
  for (const auto& [name, field] : kWords)
    if (name == text) return Column{name, field};
  for (int e = 0; e < kExtents; ++e)
    if (const std::string_view extent = name(static_cast<Extent>(e)); extent == text)
      return Column{extent, Field::Extent, static_cast<Extent>(e)};
  for (const auto& [name, field] : kTimes)
    for (const TimeUnit& unit : kTimeUnits)
      if (text.starts_with(name) && text.substr(name.size()) == unit.suffix)
        return Column{text, field, Extent::Batch, unit.seconds};
  return std::nullopt;
}

std::vector<std::string> columnNames() {
  std::vector<std::string> names;
  for (const auto& [name, field] : kWords) names.emplace_back(name);
  for (int e = 0; e < kExtents; ++e) names.emplace_back(name(static_cast<Extent>(e)));
  for (const auto& [name, field] : kTimes)
    for (const TimeUnit& unit : kTimeUnits) names.push_back(fmt::format("{}{}", name, unit.suffix));
  return names;
}

class Table {
public:
  Table(const SampleFile& file, Samples& out, DiagnosticEngine& diagnostics)
      : file_(file), out_(out), diagnostics_(diagnostics), lines_(file),
        sustained_(file.text.find("\n# sustained:") != std::string_view::npos) {} // tools/sample_gpu.py writes it

  void read() {
    CsvRow row;
    if (!lines_.next(row) || !readHeader(row)) return;
    while (lines_.next(row))
      if (fitsHeader(row, columns_.size(), lines_.range(), diagnostics_)) readRow(row);
  }

private:
  bool readHeader(const CsvRow& row) {
    bool good = true;
    for (const Cell& cell : row) {
      const std::optional<Column> column = parseColumn(cell.text);
      const auto same = std::find_if(columns_.begin(), columns_.end(), [&](const Column& c) {
        return column && c.field == column->field && c.extent == column->extent;
      });
      const auto before = static_cast<size_t>(same - columns_.begin());
      const bool twice = same != columns_.end();
      const std::string beside = twice ? fmt::format(": `{}` is the same column", same->name) : std::string();
      columns_.push_back(column.value_or(Column{"", Field::Unknown}));
      if (column && !twice) continue;
      good = false;
      auto report = diagnostics_.report(UnknownSampleColumn, cell.range, {{"column", cell.text}, {"beside", beside}});
      if (twice) {
        report.label(row[before].range, "the same column").help("remove one of the two");
        continue;
      }
      report.meantElse(cell.text, columnNames(),
                       "docs/calibrate.md lists the columns; times end in their unit: `forward_us`");
    }
    return good;
  }

  void readRow(const CsvRow& row) {
    Sample sample;
    sample.range = lines_.range();
    double elements = 0;
    std::string device, label;
    bool kindGiven = false, typeGiven = false;
    good_ = true;
    for (size_t i = 0; i < row.size(); ++i) {
      const Cell& cell = row[i];
      if (cell.text.empty()) continue;
      switch (columns_[i].field) {
      case Field::Unknown:
        break;
      case Field::Kind:
        kindGiven = word(parseKind(cell.text), sample.kind, cell, "kind", kindNames());
        break;
      case Field::Name:
        sample.name = Symbol(cell.text);
        break;
      case Field::DType:
        typeGiven = true;
        word(ir::parseDType(cell.text), sample.dtype, cell, "element type", typeNames());
        break;
      case Field::Device:
        device = cell.text;
        break;
      case Field::Series:
        label = cell.text;
        break;
      case Field::Elements:
        elements = number(cell, columns_[i]);
        break;
      case Field::Extent:
        // `causal` may be 0; other extents must be positive.
        if (columns_[i].extent != Extent::Causal || cell.text != "0")
          sample[columns_[i].extent] = number(cell, columns_[i]);
        break;
      case Field::Forward:
        sample.forward = number(cell, columns_[i]) * columns_[i].seconds;
        break;
      case Field::Backward:
        sample.backward = number(cell, columns_[i]) * columns_[i].seconds;
        break;
      }
    }
    if (!typeGiven && sample.kind == Kind::Optimizer) sample.dtype = ir::DType::fp32;
    if (elements > 0 && sample[Extent::Bytes] == 0) sample[Extent::Bytes] = elements * ir::width(sample.dtype);
    if (good_ && complete(sample, kindGiven) && sound(rowOf(sample.kind), row)) add(std::move(sample), device, label);
  }

  /// Returns whether every cell is meaningful for the kind and counts are whole numbers; reports other cells.
  bool sound(const KindRow& kind, const CsvRow& row) {
    bool good = true, bytes = false;
    for (size_t i = 0; i < row.size(); ++i)
      bytes |= columns_[i].field == Field::Extent && columns_[i].extent == Extent::Bytes && !row[i].text.empty();
    for (size_t i = 0; i < row.size(); ++i) {
      if (row[i].text.empty()) continue;
      const Expected expected = expectedOf(kind, columns_[i], bytes, parseNumber(row[i].text).value_or(0));
      if (expected.what.empty()) continue;
      badNumber(row[i], columns_[i].name, expected.what, diagnostics_).help(expected.help);
      good = false;
    }
    return good;
  }
  struct Expected {
    std::string_view what; ///< empty: the value is accepted
    std::string help;
  };
  /// Returns what a column should contain if the kind cannot have this value. `bytes`: the line also gives bytes.
  static Expected expectedOf(const KindRow& kind, const Column& column, bool bytes, double value) {
    if (column.field == Field::Backward && kind.oneWay)
      return {"empty", fmt::format("a sample of kind `{}` has one direction: its time is `time_us`", kind.name)};
    const bool elements = column.field == Field::Elements;
    if (!elements && column.field != Field::Extent) return {};
    const Extent e = elements ? Extent::Bytes : column.extent;
    if (!kind.has(e)) return {"empty", fmt::format("a sample of kind `{}` has {}", kind.name, extentsOf(kind))};
    if (elements && bytes) return {"empty", "`bytes` already gives the size: remove one of the two"};
    if (e == Extent::Causal)
      return value == 0 || value == 1 ? Expected() : Expected{"0 or 1", "1 if a mask hides half of the scores"};
    const bool mean = kind.kind == Kind::GroupedGemm && e == Extent::M; // tokens per expert may be a mean
    if (mean || value == std::floor(value)) return {};
    return {"a whole number", "it is a count: remove the line if it has another meaning"};
  }
  static std::string extentsOf(const KindRow& kind) {
    std::vector<std::string> names;
    for (const Extent e : kind.needs) names.emplace_back(name(e));
    for (const Extent e : kind.takes) names.emplace_back(name(e));
    return quotedSeries(names);
  }

  double number(const Cell& cell, const Column& column) {
    const std::optional<double> value = positiveNumber(cell, column.name, diagnostics_);
    good_ &= value.has_value();
    return value.value_or(0);
  }

  template <class T>
  bool word(const std::optional<T>& parsed, T& into, const Cell& cell, std::string_view what,
            const std::vector<std::string>& known) {
    if (parsed) {
      into = *parsed;
      return true;
    }
    good_ = false;
    auto report = diagnostics_.report(UnknownSampleWord, cell.range, {{"word", cell.text}, {"what", what}});
    report.meantElse(cell.text, known, fmt::format("it is one of {}", fmt::join(known, ", ")));
    return false;
  }

  /// Returns whether a name is valid. Names are written into plan text, and names of collectives select an equation.
  bool named(const Sample& sample) {
    const std::string_view name = sample.name.view();
    auto unknown = [&](std::string_view what, const std::string& help) {
      diagnostics_.report(UnknownSampleWord, lines_.range(), {{"word", name}, {"what", what}}).help(help);
      return false;
    };
    const bool word =
        std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
    if (!word || std::isdigit(static_cast<unsigned char>(name[0])))
      return unknown("name", "letters, digits and `_`, as the names of the language");
    if (sample.kind != Kind::Collective || parseCollective(name)) return true;
    std::vector<std::string> known;
    for (const ir::CollectiveKind kind : sampledCollectives()) known.emplace_back(ir::name(kind));
    return unknown("collective", didYouMean(name, known, fmt::format("it is one of {}", fmt::join(known, ", "))));
  }

  bool complete(const Sample& sample, bool kindGiven) {
    const KindRow& row = rowOf(sample.kind);
    std::vector<std::string> missing;
    if (!kindGiven) missing.emplace_back("kind");
    if (sample.name == Symbol()) missing.emplace_back("name");
    if (kindGiven)
      for (const Extent e : row.needs)
        if (sample[e] == 0) missing.emplace_back(name(e));
    if (!missing.empty()) {
      diagnostics_
          .report(MissingSampleColumn, lines_.range(),
                  {{"kind", kindGiven ? row.name : "?"}, {"columns", quotedSeries(missing)}})
          .help(kindGiven ? fmt::format("`name` is {}", row.names)
                          : "docs/calibrate.md lists the columns of each kind");
      return false;
    }
    if (!named(sample)) return false;
    if (sample.kind == Kind::Gemm && ir::isRecipe(sample.dtype)) {
      diagnostics_
          .report(UnknownSampleWord, lines_.range(), {{"word", ir::name(sample.dtype)}, {"what", "type of products"}})
          .help(fmt::format("its products run in `{}`: write that", ir::name(ir::arithmetic(sample.dtype))));
      return false;
    }
    if (sample.forward > 0 || sample.backward > 0) return true;
    diagnostics_.report(NoTime, lines_.range()).help("give it `forward_us`, `backward_us` or both");
    return false;
  }

  void add(Sample&& sample, const std::string& device, const std::string& label) {
    fillDefaults(sample);
    const KindRow& row = rowOf(sample.kind);
    std::vector<Extent> axes = row.needs;
    axes.insert(axes.end(), row.takes.begin(), row.takes.end());
    // An extent without a column and without a value was not varied.
    std::erase_if(axes, [&](Extent e) {
      return sample[e] == 0 && std::none_of(columns_.begin(), columns_.end(),
                                            [&](const Column& c) { return c.field == Field::Extent && c.extent == e; });
    });
    for (const Extent e : axes) sample.at.push_back(sample[e]);
    const std::string title = label.empty() ? std::string(sample.name.view()) : label;
    const auto key = std::tuple(device, title, sample.kind, sample.dtype);
    auto [it, isNew] = series_.try_emplace(key, static_cast<uint32_t>(out_.series.size()));
    if (isNew) {
      Series series{title, device, file_.id, {}, false, sustained_};
      for (const Extent e : axes) series.axes.emplace_back(name(e));
      out_.series.push_back(std::move(series));
    }
    sample.series = it->second;
    out_.samples.push_back(std::move(sample));
  }

  static const std::vector<std::string>& kindNames() {
    static const std::vector<std::string> names = [] {
      std::vector<std::string> all;
      for (const KindRow& row : kindRows()) all.emplace_back(row.name);
      return all;
    }();
    return names;
  }
  static const std::vector<std::string>& typeNames() {
    static const std::vector<std::string> names = [] {
      std::vector<std::string> all;
      for (const ir::DType t : ir::allDTypes()) all.emplace_back(ir::name(t));
      return all;
    }();
    return names;
  }

  const SampleFile& file_;
  Samples& out_;
  DiagnosticEngine& diagnostics_;
  CsvLines lines_;
  std::vector<Column> columns_;
  std::map<std::tuple<std::string, std::string, Kind, ir::DType>, uint32_t> series_;
  bool good_ = true;
  const bool sustained_;
};

} // namespace

/// Recognises a header with a column `kind`.
bool isPlancCsv(const SampleFile& file) {
  const std::string_view line = firstLine(file.text);
  SampleFile header{file.id, file.path, line};
  CsvLines lines(header);
  CsvRow row;
  if (!lines.next(row)) return false;
  return std::any_of(row.begin(), row.end(), [](const Cell& c) { return c.text == "kind"; });
}

void readPlancCsv(const SampleFile& file, Samples& out, DiagnosticEngine& diagnostics) {
  Table(file, out, diagnostics).read();
}

} // namespace planc::calibrate
