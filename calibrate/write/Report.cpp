// Formats the tables of fits.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/write/Report.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace planc::calibrate {

namespace {

/// The number of outliers of a fit that the text shows; JSON has all of them.
constexpr size_t kShown = 3;

const Unit& layerOf(Size size) {
  return size == Size::Flops ? units::flops : size == Size::Bytes ? units::bytes : units::none;
}
std::string_view nameOf(Size size) {
  switch (size) {
  case Size::Flops:
    return "flops";
  case Size::Bytes:
    return "bytes";
  case Size::Params:
    return "params";
  case Size::HeadDim:
    return "head_dim";
  case Size::None:
    break;
  }
  return "";
}
std::string rangeText(const Quality& q) {
  if (q.size == Size::None) return "";
  std::string text =
      fmt::format("{} to {}", formatQuantity(q.low, layerOf(q.size)), formatQuantity(q.high, layerOf(q.size)));
  if (q.size == Size::HeadDim) text += " per head";
  return q.size == Size::Params ? text + " parameters" : text;
}
std::string_view nameOf(Form form) {
  return form == Form::Table ? "table" : form == Form::Factors ? "factors" : "closed";
}

using Cells = std::vector<std::string>;

/// Returns a table whose columns are as wide as needed. Columns marked `r` in `right` are aligned right.
std::string table(const std::vector<Cells>& rows, const std::string& right) {
  std::vector<size_t> widths(right.size());
  auto length = [](const std::string& s) {
    return static_cast<size_t>(std::count_if(s.begin(), s.end(), [](char c) { return (c & 0xC0) != 0x80; }));
  };
  for (const Cells& row : rows)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], length(row[i]));
  std::string out;
  for (const Cells& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string pad(widths[i] - length(row[i]), ' ');
      line += "  " + (right[i] == 'r' ? pad + row[i] : row[i] + pad);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

/// Returns an error of a fit, or `none` if it has no held-out error.
std::string percent(const Quality& q, double v) {
  return q.heldOut() ? fmt::format("{:.1f} %", v * 100) : "none";
}
nlohmann::ordered_json error(const Quality& q, double v) {
  return q.heldOut() ? nlohmann::ordered_json(v) : nlohmann::ordered_json();
}

/// Returns a sentence about fits to a single shape; empty if there are none.
std::string withoutErrors(const Calibration& c) {
  std::vector<std::string> names;
  for (const Quality& q : c.qualities)
    if (!q.heldOut() && std::find(names.begin(), names.end(), q.subject) == names.end()) names.push_back(q.subject);
  return names.empty()
             ? std::string()
             : fmt::format("  note: one shape was sampled, so there is no held-out error, and other sizes are "
                           "extrapolated: {}\n",
                           fmt::join(names, "; "));
}

} // namespace

std::string reportText(const std::vector<Calibration>& calibrations, const Samples& samples,
                       const SourceManager& sources) {
  std::string out;
  for (const Calibration& c : calibrations) {
    if (!out.empty()) out += "\n";
    const bool renamed = !c.label.empty() && c.label != c.part->name;
    out += fmt::format("{}{}: {} samples, {} times left out by the checks\n", renamed ? c.label + ", as " : "",
                       c.part->name, c.samples, c.excluded);
    std::vector<Cells> rows{{"what", "direction", "samples", "form", "median", "p90", "valid", "found"}};
    for (const Quality& q : c.qualities)
      rows.push_back({q.subject, std::string(name(q.direction)), fmt::format("{}", q.samples),
                      std::string(nameOf(q.form)), percent(q, q.median), percent(q, q.p90), rangeText(q), q.constants});
    out += table(rows, "llrlrrll");
    for (const Quality& q : c.qualities) {
      if (q.outliers.empty()) continue;
      out += fmt::format("  outliers of {}, {}: {}\n", q.subject, name(q.direction), q.outliers.size());
      for (size_t i = 0; i < std::min(kShown, q.outliers.size()); ++i) {
        const Outlier& o = q.outliers[i];
        out += fmt::format("    {}: {} took {}, fitted {}\n", sources.where(o.sample->range), shapeText(*o.sample),
                           formatQuantity(o.measured, units::time), formatQuantity(o.predicted, units::time));
      }
    }
    out += withoutErrors(c);
    for (const std::string& note : c.notes) out += "  note: " + note + "\n";
  }
  if (!samples.notes.empty()) out += "\n";
  for (const std::string& note : samples.notes) out += "note: " + note + "\n";
  return out;
}

nlohmann::ordered_json reportJson(const std::vector<Calibration>& calibrations, const SourceManager& sources) {
  using Json = nlohmann::ordered_json;
  Json devices = Json::array();
  for (const Calibration& c : calibrations) {
    Json fits = Json::array();
    for (const Quality& q : c.qualities) {
      Json outliers = Json::array();
      for (const Outlier& o : q.outliers)
        outliers.push_back({{"file", sources.path(o.sample->range.file)},
                            {"line", sources.begin(o.sample->range).line},
                            {"sample", shapeText(*o.sample)},
                            {"measured_s", o.measured},
                            {"predicted_s", o.predicted}});
      Json fit{{"what", q.subject},
               {"direction", name(q.direction)},
               {"samples", q.samples},
               {"shapes", q.shapes},
               {"form", nameOf(q.form)},
               {"median_error", error(q, q.median)},
               {"p90_error", error(q, q.p90)},
               {"closed_median_error", error(q, q.closedMedian)},
               {"found", q.constants}};
      if (q.size != Size::None) fit["valid"] = {{"of", nameOf(q.size)}, {"low", q.low}, {"high", q.high}};
      fit["outliers"] = std::move(outliers);
      fits.push_back(std::move(fit));
    }
    devices.push_back({{"label", c.label},
                       {"device", c.part->name},
                       {"samples", c.samples},
                       {"excluded", c.excluded},
                       {"fits", std::move(fits)},
                       {"notes", c.notes}});
  }
  return devices;
}

} // namespace planc::calibrate
