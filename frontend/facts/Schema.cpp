// Reads facts into structures, driven by tables.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/facts/Schema.h"

#include "ir/facts/FactPath.h"
#include "support/text/Spelling.h"
#include "support/text/UnitWords.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(FactType, 502, "`{fact}` must be {expected}; this is {actual}")
PLANC_ERROR(UnknownFactKey, 508, "`{key}`{place} is not {expected}")
PLANC_ERROR(SectionForm, 509, "`{fact}` is a section: write `{fact} {{ … }}`")

void reportSectionForm(Context& context, SourceRange at, std::string_view fact) {
  context.report(SectionForm, at, {{"fact", fact}});
}

namespace {

std::string expectation(const RowView& row) {
  switch (row.type.form) {
  case FactForm::Count:
    return "a count";
  case FactForm::Bool:
    return "true or false";
  case FactForm::Text:
    return "a string";
  case FactForm::Curve:
    return "a curve: `curve(x = […], y = […])`";
  default:
    const std::string number =
        row.type.unit.plain() ? "a number without a unit" : "a quantity of " + row.type.unit.name();
    if (!row.type.sizeUnit) return number;
    return number + ", or a curve of it" + (row.type.sizeUnit->plain() ? "" : " by " + row.type.sizeUnit->name());
  }
}

/// Returns a suggestion in place of a value of the wrong type; empty if there is none. `text`: the value in the plan.
std::string typeHelp(const RowView& row, const Value& v, std::string_view text) {
  const bool number = v.numeric();
  switch (row.type.form) {
  case FactForm::Count:
    return number ? "write a whole number without a unit" : "";
  case FactForm::Bool:
    return "write `true` or `false`";
  case FactForm::Text:
    return "put it in quotes";
  case FactForm::Curve:
    return "";
  default:
    break;
  }
  if (!number) return "";
  const Unit given = v.isInt() ? units::none : v.unit;
  if (row.type.unit.plain()) return "write the number alone, or a share with `%`";
  // `400GB` for `400GB/s`: only the `/s` is missing.
  if (!given.plain() && row.type.unit == given / units::time && text.find_first_of(" ()/") == std::string_view::npos)
    return fmt::format("did you mean `{}/{}`?", text, row.type.unit == units::price ? "h" : "s");
  const std::string names = unitsFor(row.type.unit);
  return names.empty() ? "" : fmt::format("{}, {}", given.plain() ? "give it its unit" : "write it in its unit", names);
}

/// Suggests `70%` for `70` if the fact takes a share of at most 1; empty otherwise, or if the value has a `%`.
std::string percentMeant(const FactRange& range, double v, std::string_view text) {
  const bool part =
      range.most <= ranges::kError.most && v > range.most && v <= 100 && range.holds(v / 100) && !text.ends_with('%');
  return part ? fmt::format("did you mean `{}`?", formatQuantity(v, units::none) + "%") : std::string();
}

/// The names of statistics about facts.
const Symbol kSamples("samples"), kError("error"), kP90("p90"), kValid("valid");

/// Whether all facts of this section are calibrated. Facts about the record's origin (provenance) are ignored. If the
/// section also has other facts, this holds only if the enclosing section is calibrated.
bool allCalibrated(const std::vector<RowView>& rows, std::string_view section, bool around) {
  bool calibrated = false, other = false;
  for (const RowView& row : rows) {
    if (row.type.provenance || !ir::fitsPath(row.path, section, ir::PathEnd::Beginning)) continue;
    (row.type.calibrated ? calibrated : other) = true;
  }
  return calibrated && (around || !other);
}

} // namespace

bool FactReader::statistic(Symbol name) const {
  return around_.calibrated && (name == kSamples || name == kError || name == kP90 || name == kValid);
}

/// Reads the statistics of a section, which apply to all of its facts without their own.
void FactReader::statistics(FactNode& section, const std::string& path) {
  bool fresh = true;
  for (FactNode& node : section.children) {
    if (node.section() || !statistic(node.name)) continue;
    if (fresh) around_ = {true, {.calibrated = true, .record = path, .range = section.nameRange}};
    fresh = false;
    readStatistic(node.name, tree_.value(node), path, node.value->range, node.layer);
  }
}

void FactReader::readStatistic(Symbol name, const Value& v, const std::string& path, SourceRange at, int layer) {
  if (v.invalid()) return;
  const std::string fact = path.empty() ? name.str() : path + "." + name.str();
  auto wrong = [&](std::string_view expected) {
    ev_.context.report(FactType, at, {{"fact", fact}, {"expected", expected}, {"actual", describe(v)}});
  };
  auto senseless = [&](std::string_view expected) { reportOutOfRange(ev_.context, at, fact, show(v), expected); };
  if (name == kValid) {
    auto size = [](const Value& x) {
      return x.isInt() ||
             (x.kind == ValueKind::Number && (x.unit.plain() || x.unit == units::bytes || x.unit == units::flops));
    };
    if (v.kind != ValueKind::List || v.list->items.size() != 2 || !size(v.list->items[0]) || !size(v.list->items[1]))
      return wrong("a range of FLOPs or bytes: `[least, most]`");
    around_.validAt = layer;
    around_.statistics.low = v.list->items[0].asDouble();
    around_.statistics.high = v.list->items[1].asDouble();
    if (!(around_.statistics.low > 0 && around_.statistics.low <= around_.statistics.high))
      senseless("`[least, most]`, both more than 0");
    return;
  }
  const bool count = name == kSamples;
  if (count ? !v.isInt() : !v.numeric() || (!v.isInt() && !v.unit.plain()))
    return wrong(count ? "a count" : "a number without a unit");
  ir::Statistics& stated = around_.statistics;
  (count ? stated.samples : name == kError ? stated.error : stated.p90) = v.asDouble();
  (count ? around_.samplesAt : name == kError ? around_.errorAt : around_.p90At) = layer;
  const FactRange& range = count ? ranges::kSome : ranges::kError;
  if (!range.holds(v.asDouble())) senseless(range.text);
}

int FactReader::remadeAt(const std::vector<RowView>& rows, bool ir::FactType::*basis) {
  int last = -1;
  const auto see = [&](const FactNode& node) { last = std::max(last, node.replaced ? node.layer : -1); };
  for (const RowView& row : rows) {
    if (!(row.type.*basis)) continue;
    const FactNode* section = tree_.root().find(Symbol(row.path.substr(0, row.path.find('.'))));
    if (!section) continue;
    see(*section);
    for (const FactNode& fact : section->children) see(fact);
  }
  return last;
}

/// The statistics of a fact with this path that is written at `layer`.
ir::Statistics FactReader::statisticsOf(const RowView& row, const std::string& section, const std::string& path,
                                        int layer) const {
  if (!row.type.calibrated) return {};
  const int since = std::max(layer, remade_);
  const bool samples = around_.samplesAt >= since, error = around_.errorAt >= since, valid = around_.validAt >= since;
  const bool p90 = around_.p90At >= since;
  if (!samples && !error && !p90 && !valid) return {.calibrated = true, .record = around_.calibrated ? section : path};
  ir::Statistics own = around_.statistics;
  if (!samples) own.samples = 0;
  if (!error) own.error = 0;
  if (!p90) own.p90 = 0;
  if (!valid) own.low = own.high = 0;
  return own;
}

void FactReader::read(ir::Statement statement, FactNode& section, ir::Plan& plan,
                      const std::function<void(FactInput&)>& by) {
  const bool whole = &section == &tree_.root(); // its paths begin with its facts
  std::vector<RowView> views;
  const auto rows = ir::settingsIn(ir::name(statement));
  for (const ir::SettingRow* row : rows) views.push_back({whole ? ir::nameOf(*row) : row->path, row->type});
  walk(section, whole ? "" : std::string(ir::name(statement)), views, [&](size_t row, FactInput& input) {
    if (!ir::putNumber(*rows[row], plan, input.number)) by(input);
  });
}

void FactReader::walk(FactNode& section, const std::string& path, const std::vector<RowView>& rows, const Store& set) {
  const Around around = around_;
  around_.calibrated = allCalibrated(rows, path, around.calibrated);
  statistics(section, path);
  for (FactNode& node : section.children) {
    if (!node.section() && statistic(node.name)) continue;
    const std::string inner = path.empty() ? node.name.str() : path + "." + node.name.str();
    if (!node.section()) {
      leaf(node, inner, rows, set);
      continue;
    }
    const bool known = std::any_of(rows.begin(), rows.end(), [&](const RowView& r) {
      return ir::fitsPath(r.path, inner, ir::PathEnd::Beginning);
    });
    if (known)
      walk(node, inner, rows, set);
    else
      unknown(inner, rows, node.nameRange);
  }
  around_ = around;
}

/// An input for the fact at this node, with everything but its value.
FactInput FactReader::inputOf(FactNode& node, std::string_view star, const std::string& source,
                              ir::Statistics statistics) {
  FactInput input;
  input.node = &node;
  input.tree = &tree_;
  input.ev = &ev_;
  input.star = Symbol(star);
  input.number.range = node.value->range;
  input.number.source = source;
  input.number.statistics = std::move(statistics);
  return input;
}

void FactReader::leaf(FactNode& node, const std::string& path, const std::vector<RowView>& rows, const Store& set) {
  for (size_t i = 0; i < rows.size(); ++i) {
    std::string_view star;
    if (!ir::fitsPath(rows[i].path, path, ir::PathEnd::Whole, &star)) continue;
    const size_t own = std::min(path.size(), node.name.view().size() + 1);
    FactInput input =
        inputOf(node, star, node.source, statisticsOf(rows[i], path.substr(0, path.size() - own), path, node.layer));
    if (!key(rows[i], input, path, node.nameRange)) return;
    if (rows[i].type.evidence && node.layer < evidenceFrom_) return;
    if (rows[i].type.form == FactForm::Custom || fill(rows[i], input, tree_.value(node), path, node.value->range))
      set(i, input);
    return;
  }
  const bool section = std::any_of(
      rows.begin(), rows.end(), [&](const RowView& r) { return ir::fitsPath(r.path, path, ir::PathEnd::Beginning); });
  if (!section) {
    unknown(path, rows, node.nameRange);
    return;
  }
  const Value v = tree_.value(node); // a named record: `gemm = shared`
  if (v.invalid()) return;
  if (v.kind == ValueKind::Record) {
    record(node, v, path, rows, set);
    return;
  }
  reportSectionForm(ev_.context, node.value->range, path);
}

bool FactReader::record(FactNode& node, const Value& value, const std::string& path, const std::vector<RowView>& rows,
                        const Store& set) {
  const Around around = around_;
  around_.calibrated = allCalibrated(rows, path, around.calibrated);
  bool fresh = true;
  for (const Field& field : value.record->fields) {
    if (!statistic(field.name)) continue;
    if (fresh) around_ = {true, {.calibrated = true, .record = path, .range = node.nameRange}};
    fresh = false;
    readStatistic(field.name, field.value, path, node.value->range, node.layer);
  }
  for (const Field& field : value.record->fields) {
    if (statistic(field.name)) continue;
    const std::string inner = path + "." + field.name.str();
    bool known = false;
    for (size_t i = 0; i < rows.size() && !known; ++i) {
      std::string_view star;
      if (!ir::fitsPath(rows[i].path, inner, ir::PathEnd::Whole, &star)) continue;
      known = true;
      FactInput input = inputOf(node, star, field.source.empty() ? node.source : field.source,
                                statisticsOf(rows[i], path, inner, node.layer));
      if (rows[i].type.evidence && node.layer < evidenceFrom_) continue;
      if (key(rows[i], input, inner, node.nameRange) && rows[i].type.form != FactForm::Custom &&
          fill(rows[i], input, field.value, inner, node.value->range))
        set(i, input);
    }
    if (!known && field.value.kind == ValueKind::Record)
      known = std::any_of(rows.begin(), rows.end(),
                          [&](const RowView& r) { return ir::fitsPath(r.path, inner, ir::PathEnd::Beginning); }) &&
              record(node, field.value, inner, rows, set);
    if (!known) unknown(inner, rows, field.range);
  }
  around_ = around;
  return true;
}

bool FactReader::key(const RowView& row, FactInput& input, const std::string& path, SourceRange at) {
  if (row.type.star == StarKey::Name) input.key = input.star;
  if (row.type.star == StarKey::None || row.type.star == StarKey::Name) return true;
  std::vector<std::string> names;
  std::string_view expected;
  if (row.type.star == StarKey::DType) {
    const auto dtype = ir::parseDType(input.star.view());
    if (dtype && ir::arithmetic(*dtype) == *dtype) {
      input.key = *dtype;
      return true;
    }
    expected = dtype ? "a type that products run in" : "an element type"; // recipes compute in another
    for (ir::DType t : ir::allDTypes())
      if (ir::arithmetic(t) == t) names.emplace_back(ir::name(t));
  } else {
    if (auto cls = ir::parseCollectiveClass(input.star.view())) {
      input.key = input.cls = *cls;
      return true;
    }
    expected = "a class of collectives";
    for (int c = 0; c < ir::kCollectiveClasses; ++c) names.emplace_back(ir::name(static_cast<ir::CollectiveClass>(c)));
  }
  const size_t dot = path.rfind('.');
  const std::string place = dot == std::string::npos ? "" : fmt::format(" in `{}`", path.substr(0, dot));
  auto report =
      ev_.context.report(UnknownFactKey, at, {{"key", input.star.str()}, {"place", place}, {"expected", expected}});
  report.meant(input.star.view(), names, "there are ");
  return false;
}

bool FactReader::fill(const RowView& row, FactInput& input, const Value& v, const std::string& path, SourceRange at) {
  if (v.invalid()) return false;
  bool good = false;
  switch (row.type.form) {
  case FactForm::Bool:
    good = v.isBool();
    break;
  case FactForm::Text:
    good = v.kind == ValueKind::String;
    break;
  case FactForm::Curve:
    good = v.kind == ValueKind::Curve && v.curve->yUnit == row.type.unit &&
           (v.curve->xUnit.plain() || (row.type.sizeUnit && v.curve->xUnit == *row.type.sizeUnit));
    if (input.node && input.node->curve && v.numeric()) good = v.unit == row.type.unit; // of all points
    break;
  case FactForm::Count:
    good = v.isInt();
    break;
  default:
    good = v.isInt() ? row.type.unit.plain() : v.kind == ValueKind::Number && v.unit == row.type.unit;
    if (row.type.sizeUnit && v.kind == ValueKind::Curve)
      good = v.curve->yUnit == row.type.unit && (v.curve->xUnit.plain() || v.curve->xUnit == *row.type.sizeUnit);
    break;
  }
  if (!good) {
    std::string actual = describe(v);
    if (v.kind == ValueKind::Curve)
      actual = fmt::format("a curve of {} by {}", v.curve->yUnit.name(), v.curve->xUnit.name());
    ev_.context.report(FactType, at, {{"fact", path}, {"expected", expectation(row)}, {"actual", actual}})
        .help(typeHelp(row, v, ev_.context.text(at)));
    return false;
  }
  if (row.type.form == FactForm::Bool) input.number.value = v.truth;
  if (row.type.form == FactForm::Text) input.text = *v.string;
  if (v.numeric() || v.kind == ValueKind::Curve) {
    if (v.kind == ValueKind::Curve) input.number.table = {v.curve->x, v.curve->y};
    if (v.numeric() && row.type.form == FactForm::Curve)
      input.number.table = {input.node->curve->x, std::vector<double>(input.node->curve->x.size(), v.asDouble())};
    input.number.value = v.kind == ValueKind::Curve ? v.curve->y.back() : v.asDouble();
    input.number.unit = row.type.unit;
    return inRange(row, v, path, at);
  }
  return true;
}

/// Checks the number, or every point of a curve.
bool FactReader::inRange(const RowView& row, const Value& v, const std::string& path, SourceRange at) {
  const bool curve = v.kind == ValueKind::Curve;
  const double one = curve ? 0 : v.asDouble();
  for (const double y : curve ? std::span<const double>(v.curve->y) : std::span<const double>(&one, 1)) {
    if (row.type.range.holds(y)) continue;
    auto report = reportOutOfRange(ev_.context, at, path, curve ? formatQuantity(y, v.curve->yUnit) : show(v),
                                   row.type.range.text);
    if (auto meant = row.type.unit.plain() ? percentMeant(row.type.range, y, ev_.context.text(at)) : ""; !meant.empty())
      report.help(meant);
    return false;
  }
  return true;
}

/// Reports an unknown fact; suggests facts at the same depth of the same section.
void FactReader::unknown(const std::string& path, const std::vector<RowView>& rows, SourceRange at) {
  const size_t dot = path.rfind('.');
  const std::string parent = dot == std::string::npos ? "" : path.substr(0, dot),
                    name = dot == std::string::npos ? path : path.substr(dot + 1);
  std::vector<std::string> known;
  for (const RowView& row : rows) {
    std::string_view rest = row.path, at2 = parent;
    bool under = true;
    while (!at2.empty() && under) {
      const std::string_view p = ir::takeStep(rest), step = ir::takeStep(at2);
      under = p == "*" || p == step;
    }
    if (!under || rest.empty()) continue;
    const std::string next(ir::takeStep(rest));
    if (next != "*" && std::find(known.begin(), known.end(), next) == known.end()) known.push_back(next);
  }
  for (const char* word : {"error", "p90", "samples", "valid"})
    if (statistic(Symbol(word))) known.emplace_back(word);
  FactOwner owner = tree_.owner();
  if (!parent.empty()) owner.text = fmt::format("`{}` of {}", parent, owner.text);
  reportUnknownFact(ev_.context, at, name, owner, known);
}

} // namespace planc::frontend
