// Runs the steps of a calibration for one device.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/Calibrate.h"

#include "calibrate/fit/Checks.h"
#include "calibrate/fit/Fit.h"
#include "calibrate/samples/Traffic.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/SampleColumns.h"
#include "support/Quantity.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace planc::calibrate {

PLANC_WARNING(FitMisses, 1030, "{subject}, {direction}: held-out error {error} % median, {p90} % p90, in either form")

namespace {

/// Returns whether the equation of a sample needs the peak of its type, and the part has none.
bool lacksPeak(const Sample& s, const Part& part) {
  const bool product =
      s.kind == Kind::Gemm || s.kind == Kind::GroupedGemm || s.kind == Kind::Scores || s.kind == Kind::Context;
  return product && !part.device.number(ir::DeviceFact::Peak, ir::arithmetic(s.dtype));
}

std::vector<Suspects> suspectsOf(const Samples& samples, const std::string& device, const Part& part,
                                 const SourceManager& sources, std::vector<std::string>& notes) {
  std::vector<Points> points(samples.series.size());
  std::map<ir::DType, size_t> without;
  for (const Sample& s : samples.samples) {
    if (samples.series[s.series].device != device || s.kind == Kind::Step) continue;
    if (lacksPeak(s, part))
      ++without[s.dtype];
    else
      points[s.series].push_back(&s);
  }
  for (const auto& [type, count] : without)
    notes.push_back(
        fmt::format("samples of products in `{}` that are not fitted, since `{}` has no peak of this type: {}",
                    ir::name(type), part.name, count));
  std::vector<Suspects> out;
  out.reserve(points.size()); // elements hold references to the vector
  for (size_t i = 0; i < points.size(); ++i)
    if (!points[i].empty()) out.emplace_back(part, samples.series[i], std::move(points[i]), out, sources);
  return out;
}

/// Adds notes on how sizes and times of collectives were interpreted, with the resulting bandwidth.
void noteConventions(const std::vector<Suspects>& suspects, const Part& part, Calibration& out) {
  for (const Suspects& s : suspects) {
    if (!s.series.elements || s.points.front()->name != Symbol("all_reduce")) continue;
    std::vector<double> rates;
    for (const Sample* p : s.points) rates.push_back(wireBytes(*p) / p->forward);
    const double rate = median(rates);
    const bool inside = (*s.points.front())[Extent::Nodes] == 1;
    const double line = inside ? part.link : part.card;
    if (line <= 0) continue;
    const double width = ir::width(s.points.front()->dtype);
    out.notes.push_back(fmt::format("`{}`: sizes as elements of {} bytes and times as us give {} per device, median, "
                                    "of the {}'s {}; sizes as bytes "
                                    "would give {}, times as ms {}",
                                    s.series.label, width, formatQuantity(rate, units::bandwidth),
                                    inside ? "link" : "card", formatQuantity(line, units::bandwidth),
                                    formatQuantity(rate / width, units::bandwidth),
                                    formatQuantity(rate / 1000, units::bandwidth)));
    return; // one note is enough
  }
}

void reportMisses(const Calibration& c, DiagnosticEngine& diagnostics) {
  for (const Quality& q : c.qualities)
    if (q.median > kTolerance)
      diagnostics
          .report(FitMisses, q.outliers.empty() ? SourceRange{} : q.outliers.front().sample->range,
                  {{"subject", q.subject},
                   {"direction", name(q.direction)},
                   {"error", fmt::format("{:.0f}", q.median * 100)},
                   {"p90", fmt::format("{:.0f}", q.p90 * 100)}})
          .note(fmt::format("device {}; {} samples of {} shapes", c.label.empty() ? c.part->name : c.label, q.samples,
                            q.shapes))
          .help("its time depends on more than the terms of the equation: sample the shapes that you run");
}

/// Returns a description of a value that the fact cannot have; empty if all values of the section are possible.
std::string impossibleValue(const Section& s) {
  const auto check = [](std::string_view name, const ir::FactType& type, double value) {
    return type.range.holds(value)
               ? std::string()
               : fmt::format("`{}` would be {}, and takes {}", name, formatQuantity(value, type.unit), type.range.text);
  };
  std::string found;
  for (const Fact& f : s.facts) {
    const std::string path = f.of.path();
    const ir::FactType& type = ir::factRow(f.of.id).type;
    for (const double y : f.table.empty() ? std::vector{f.number} : f.table.y)
      if (found.empty()) found = check(path, type, y);
  }
  if (s.row() && s.sample.time.empty())
    for (const ir::SampleColumn& c : ir::sampleColumns())
      if (found.empty() && c.fitted) found = check(c.name, c.type, s.sample.*c.field);
  return found;
}

/// Removes facts whose held-out error exceeds `kUseless`, with a note.
void dropUseless(Calibration& c) {
  for (const Section& s : c.sections)
    if (s.error > kUseless)
      c.notes.push_back(fmt::format("`{}` is not written: its held-out error is {:.0f} %", s.path(), s.error * 100));
  std::erase_if(c.sections, [](const Section& s) { return s.error > kUseless; });
}

} // namespace

void dropImpossible(Calibration& c) {
  std::erase_if(c.sections, [&](const Section& s) {
    const std::string why = impossibleValue(s);
    if (!why.empty()) c.notes.push_back(fmt::format("`{}` is not written: {}", s.path(), why));
    return !why.empty();
  });
}

void dropCopies(Samples& samples, const SourceManager& sources) {
  using Key = std::tuple<std::string, std::string, Symbol, ir::DType, std::array<double, kExtents>, double, double>;
  std::map<Key, FileId> seen;
  std::map<std::string, std::pair<std::set<std::string>, size_t>> copies; // by the file that contained them first
  std::vector<Sample> kept;
  for (Sample& s : samples.samples) {
    const Series& series = samples.series[s.series];
    Key key{series.device, series.label, s.name, s.dtype, s.extents, s.forward, s.backward};
    auto [it, isNew] = seen.try_emplace(std::move(key), s.range.file);
    if (isNew || it->second == s.range.file)
      kept.push_back(std::move(s));
    else {
      auto& [files, count] = copies[sources.path(it->second)];
      files.insert(sources.path(s.range.file));
      ++count;
    }
  }
  samples.samples = std::move(kept);
  for (const auto& [path, others] : copies)
    samples.notes.push_back(
        fmt::format("{}: {} samples are also in {}{} and are counted once", path, others.second, *others.first.begin(),
                    others.first.size() > 1 ? fmt::format(" and {} more files", others.first.size() - 1) : ""));
}

std::vector<std::string> devicesOf(const Samples& samples) {
  std::set<std::string> names;
  for (const Sample& s : samples.samples) names.insert(samples.series[s.series].device);
  return {names.begin(), names.end()};
}

Calibration calibrate(const Samples& samples, const std::string& device, const Part& part, const SourceManager& sources,
                      DiagnosticEngine& diagnostics, std::span<const ir::Optimizer> optimizers) {
  Calibration out;
  out.label = device;
  out.part = &part;
  std::vector<Suspects> suspects = suspectsOf(samples, device, part, sources, out.notes);
  Fitting fitting(part, sources, samples.series, optimizers, out);
  std::map<uint32_t, const Suspects*> of;
  for (Suspects& s : suspects) {
    for (const Check& check : checks()) check.run(s, diagnostics);
    of[s.points.front()->series] = &s;
    out.samples += s.points.size();
    out.excluded += s.excluded();
    fitting.all.insert(fitting.all.end(), s.points.begin(), s.points.end());
  }
  noteConventions(suspects, part, out);
  fitting.usable = [&](const Sample& s, Direction d) { return of.at(s.series)->usable(&s, d); };
  for (auto* fit : {fitProducts, fitMemory, fitAttention, fitScores, fitLookup, fitOptimizers, fitCollectives})
    fit(fitting);
  reportMisses(out, diagnostics);
  dropUseless(out);
  return out;
}

} // namespace planc::calibrate
