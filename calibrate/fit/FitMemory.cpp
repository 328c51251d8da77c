// Fits operators bound by memory: the memory efficiency of the device from kernels with known traffic, then the passes
// of every other kernel; lookups; optimizers (docs/cost-model.md, sections 1.2, 1.4 and 1.6).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/Equations.h"
#include "calibrate/fit/Fit.h"
#include "calibrate/samples/Traffic.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"
#include "ir/program/States.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace planc::calibrate {

namespace eq = cost::equations;

namespace {

constexpr size_t kMemoryKnots = 10, kRowKnots = 24;
constexpr double kOfBandwidth = 0.85, kMemoryStart = 3e-6, kTensor = 1e-5; // initial values of the search

Points named(const Fitting& f, Kind kind, Direction d, Symbol name) {
  return f.points(kind, d, [&](const Sample& s) { return s.name == name; });
}

std::set<Symbol> names(const Fitting& f, Kind kind) {
  std::set<Symbol> out;
  for (const Sample* s : f.all)
    if (s->kind == kind) out.insert(s->name);
  return out;
}

/// Fits memory efficiency and start of the device. Keeps the library's values if no sample determines them.
void fitDevice(Fitting& f) {
  f.memoryRate = f.bandwidth() * f.part.device.value(ir::DeviceFact::MemoryEfficiency, kOfBandwidth);
  f.memoryStart = f.part.device.value(ir::DeviceFact::MemoryStart, kMemoryStart);
  for (const Reference& r : references()) {
    const Points points = named(f, Kind::Memory, Direction::Forward, r.name);
    if (points.size() < 3) continue;
    auto fit = [&](const Points& p) {
      return fitClosed({kOfBandwidth, kMemoryStart}, times(p, Direction::Forward),
                       [&](std::span<const double> v, size_t i) {
                         return eq::moved(r.passes * (*p[i])[Extent::Bytes], v[0] * f.bandwidth(), v[1]);
                       });
    };
    Quality q = judge(points, Direction::Forward, Size::Bytes, [&](const Points& p) -> Predict {
      return [&, v = fit(p)](const Sample& s) {
        return eq::moved(r.passes * s[Extent::Bytes], v[0] * f.bandwidth(), v[1]);
      };
    });
    const std::vector<double> found = fit(points);
    f.memoryRate = found[0] * f.bandwidth();
    f.memoryStart = found[1];
    q.subject = fmt::format("memory, by {}", r.name.view());
    q.constants = fmt::format("{:.1f} % of B, start {}", found[0] * 100, formatQuantity(found[1], units::time));
    Section section = f.section(Record::Device, points, {&q});
    section.low *= r.passes, section.high *= r.passes; // the rate is looked up by the bytes that are moved
    section.source += fmt::format("; `{}` moves {} times its first operand", r.name.view(), r.passes);
    section.facts = {{ir::DeviceFact::MemoryEfficiency, found[0]}, {ir::DeviceFact::MemoryStart, found[1]}};
    f.out.sections.push_back(std::move(section));
    f.out.qualities.push_back(std::move(q));
    return;
  }
  if (!names(f, Kind::Memory).empty())
    f.out.notes.push_back(
        "no sample of a kernel whose traffic is known (`add`, `gelu`): passes are counted at the memory "
        "efficiency and start of the library");
}

/// A kernel's passes over `bytes` of a sample; `other` gives seconds that are not passes.
struct PassesFit {
  const Fitting& f;
  Symbol name; ///< name of the operator
  Direction direction;
  std::function<double(const Sample&)> other = [](const Sample&) { return 0.0; };

  ir::FactRef of(ir::StackFact forward, ir::StackFact backward) const {
    return {direction == Direction::Forward ? forward : backward, name};
  }
  double count(const Sample& s) const {
    const double time = timeOf(s, direction);
    return working(time, f.memoryStart + other(s)) * f.memoryRate / s[Extent::Bytes];
  }
  double time(const Sample& s, double passes) const {
    return eq::moved(passes * s[Extent::Bytes], f.memoryRate, f.memoryStart) + other(s);
  }
  double closed(const Points& p) const {
    return fitClosed({4}, times(p, direction),
                     [&](std::span<const double> v, size_t i) { return time(*p[i], v[0]); })[0];
  }
  ir::Table table(const Points& p) const {
    std::vector<double> x, y;
    for (const Sample* s : p) x.push_back((*s)[Extent::Bytes]), y.push_back(count(*s));
    return monotone(
        fitCurve(x, y, kMemoryKnots), [](double bytes, double passes) { return passes * bytes; },
        [](double bytes, double moved) { return moved / bytes; });
  }
  Fitter byClosed() const {
    return [this](const Points& p) -> Predict {
      return [this, passes = closed(p)](const Sample& s) { return time(s, passes); };
    };
  }
  Fitter byTable() const {
    return [this](const Points& p) -> Predict {
      return [this, c = table(p)](const Sample& s) { return time(s, c.at(s[Extent::Bytes])); };
    };
  }
  /// Returns the passes by row length, because kernels either keep a row in registers or read it again.
  ir::Table byRow(const Points& p) const {
    std::vector<double> x, y;
    for (const Sample* s : p) x.push_back((*s)[Extent::Row]), y.push_back(count(*s));
    return fitCurve(x, y, kRowKnots);
  }
  Fitter byRows(const Points& points) const {
    if (!std::all_of(points.begin(), points.end(), [](const Sample* s) { return (*s)[Extent::Row] > 0; })) return {};
    return [this](const Points& p) -> Predict {
      return [this, c = byRow(p)](const Sample& s) { return time(s, c.at(s[Extent::Row])); };
    };
  }
  /// Returns the facts, and sets `constants` of their quality.
  std::vector<Fact> facts(const Points& p, Quality& q) const {
    if (q.form != Form::Factors) return {fact(p, q)};
    ir::Table rows = byRow(p);
    const double longest = rows.y.back();
    q.constants = fmt::format("{:.3g} to {:.3g} passes by row", rows.y.front(), longest);
    for (double& y : rows.y) y /= longest;
    return {{of(ir::StackFact::PassesForward, ir::StackFact::PassesBackward), longest},
            {of(ir::StackFact::PassesForwardRow, ir::StackFact::PassesBackwardRow), 0, std::move(rows)}};
  }
  Fact fact(const Points& p, Quality& q) const {
    Fact out{of(ir::StackFact::PassesForward, ir::StackFact::PassesBackward)};
    if (q.form == Form::Table)
      out.table = table(p);
    else
      out.number = closed(p);
    q.constants = q.form == Form::Table
                      ? fmt::format("{:.3g} to {:.3g} passes", out.table.y.front(), out.table.y.back())
                      : fmt::format("{:.3g} passes", out.number);
    return out;
  }
};

void fitPasses(Fitting& f, Symbol name) {
  std::vector<Quality> qualities;
  std::vector<Fact> facts;
  Points all;
  for (const Direction d : {Direction::Forward, Direction::Backward}) {
    const Points points = named(f, Kind::Memory, d, name);
    if (points.empty()) continue;
    const PassesFit fit{f, name, d};
    Quality q = f.choose(name.str(), points, d, Size::Bytes, fit.byClosed(), fit.byTable(), fit.byRows(points));
    for (Fact& fact : fit.facts(points, q)) facts.push_back(std::move(fact));
    qualities.push_back(std::move(q));
    if (all.empty()) all = points;
  }
  if (facts.empty()) return;
  std::vector<const Quality*> which;
  for (const Quality& q : qualities) which.push_back(&q);
  Section section = f.section(Record::Stack, all, which);
  section.facts = std::move(facts);
  f.out.sections.push_back(std::move(section));
  for (Quality& q : qualities) f.out.qualities.push_back(std::move(q));
}

} // namespace

void fitMemory(Fitting& f) {
  fitDevice(f);
  for (const Symbol name : names(f, Kind::Memory)) fitPasses(f, name);
}

void fitLookup(Fitting& f) {
  for (const Symbol name : names(f, Kind::Lookup)) {
    const Points forward = named(f, Kind::Lookup, Direction::Forward, name);
    const Points backward = named(f, Kind::Lookup, Direction::Backward, name);
    std::vector<Quality> qualities;
    std::vector<Fact> facts;
    if (!forward.empty()) {
      const PassesFit fit{f, name, Direction::Forward};
      qualities.push_back(
          f.choose(name.str(), forward, Direction::Forward, Size::Bytes, fit.byClosed(), fit.byTable()));
      facts.push_back(fit.fact(forward, qualities.back()));
    }
    double width = 0;
    if (!backward.empty()) {
      // The gradient of the whole table is written, too, if the samples give its size.
      const bool tables =
          std::all_of(backward.begin(), backward.end(), [](const Sample* s) { return (*s)[Extent::Table] > 0; });
      auto spread = [&](const Points& p) {
        return fitClosed({4, 4}, times(p, Direction::Backward), [&](std::span<const double> v, size_t i) {
          return eq::moved(v[0] * (*p[i])[Extent::Bytes], f.memoryRate, f.memoryStart) +
                 eq::moved(v[1] * (*p[i])[Extent::Table], f.memoryRate, f.memoryStart);
        })[1];
      };
      PassesFit fit{f, name, Direction::Backward};
      if (tables) {
        width = spread(backward);
        fit.other = [&f, width](const Sample& s) {
          return eq::moved(width * s[Extent::Table], f.memoryRate, f.memoryStart);
        };
      }
      qualities.push_back(
          f.choose(name.str(), backward, Direction::Backward, Size::Bytes, fit.byClosed(), fit.byTable()));
      facts.push_back(fit.fact(backward, qualities.back()));
      if (tables) qualities.back().constants += fmt::format(", {:.3g} B per table element", width);
    }
    if (facts.empty()) continue;
    std::vector<const Quality*> which;
    for (const Quality& q : qualities) which.push_back(&q);
    Section section = f.section(Record::Stack, forward.empty() ? backward : forward, which);
    section.facts = std::move(facts);
    f.out.sections.push_back(std::move(section));
    if (width > 0) {
      Section table = f.section(Record::Stack, backward, {&qualities.back()});
      table.facts = {{ir::StackFact::TableGradient, width}};
      table.alone = true;
      f.out.sections.push_back(std::move(table));
    }
    for (Quality& q : qualities) f.out.qualities.push_back(std::move(q));
  }
}

namespace {

/// A stack's optimizer bytes assume fp32 states (docs/cost-model.md, section 1.6). Samples with narrower states move
/// fewer bytes, so the bytes that a price subtracts for such states are added to the measured ones.
class Narrow {
public:
  Narrow(Fitting& f, Symbol name) {
    const auto found =
        std::find_if(f.optimizers.begin(), f.optimizers.end(), [&](const ir::Optimizer& o) { return o.name == name; });
    if (found != f.optimizers.end()) optimizer_ = &*found;
  }
  /// Returns the saved bytes per parameter.
  double saved(const Sample& s) const { return optimizer_ ? ir::narrowUpdateBytes(*optimizer_, s.dtype) : 0; }
  double moved(double width, const Sample& s) const {
    constexpr double kSome = 0.01; // share of the initial width of the search
    return std::max(width - saved(s), kSome * width);
  }
  /// Returns a note for the source text that lists the corrected types; empty if there are none.
  std::string note(const Points& points) const {
    std::map<ir::DType, double> types;
    for (const Sample* s : points)
      if (saved(*s) != 0) types[s->dtype] = saved(*s);
    std::string text;
    for (const auto& [type, bytes] : types)
      text +=
          fmt::format("; parameters and states of the samples are {}: with fp32 states and a master copy {:.4g} B more",
                      ir::name(type), bytes);
    return text;
  }

private:
  const ir::Optimizer* optimizer_ = nullptr;
};

} // namespace

void fitOptimizers(Fitting& f) {
  for (const Symbol name : names(f, Kind::Optimizer)) {
    const Points points = named(f, Kind::Optimizer, Direction::Forward, name);
    if (points.empty()) continue;
    // Updates that are launched per tensor cost a time for each tensor, if the samples give the count of tensors.
    const bool tensors =
        std::all_of(points.begin(), points.end(), [](const Sample* s) { return (*s)[Extent::Tensors] > 0; });
    struct Update {
      double width = 0, tensor = 0;
    };
    const Narrow narrow(f, name);
    auto time = [&](const Sample& s, const Update& u) {
      return eq::moved(narrow.moved(u.width, s) * s[Extent::Params], f.memoryRate, u.tensor * s[Extent::Tensors]);
    };
    auto closed = [&](const Points& p) {
      const std::vector<double> found =
          fitClosed(tensors ? std::vector{30., kTensor} : std::vector{30.}, times(p, Direction::Forward),
                    [&](std::span<const double> v, size_t i) {
                      return time(*p[i], {v[0], tensors ? v[1] : 0});
                    });
      return Update{found[0], tensors ? found[1] : 0};
    };
    auto table = [&](const Points& p) {
      std::vector<double> x, y;
      for (const Sample* s : p)
        x.push_back((*s)[Extent::Params]),
            y.push_back(s->forward * f.memoryRate / (*s)[Extent::Params] + narrow.saved(*s));
      return monotone(
          fitCurve(x, y, kMemoryKnots), [](double params, double width) { return params * width; },
          [](double params, double moved) { return moved / params; });
    };
    Quality q = f.choose(
        name.str(), points, Direction::Forward, Size::Params,
        [&](const Points& p) -> Predict { return [&, u = closed(p)](const Sample& s) { return time(s, u); }; },
        [&](const Points& p) -> Predict {
          return [&, c = table(p)](const Sample& s) { return time(s, {c.at(s[Extent::Params]), 0}); };
        });
    Fact fact{{ir::StackFact::Optimizer, name}};
    Update found;
    if (q.form == Form::Table)
      fact.table = table(points);
    else
      found = closed(points), fact.number = found.width;
    q.constants = q.form == Form::Table
                      ? fmt::format("{:.3g} to {:.3g} B per parameter", fact.table.y.front(), fact.table.y.back())
                      : fmt::format("{:.3g} B per parameter", fact.number);
    const std::string types = narrow.note(points);
    if (!types.empty()) q.constants += " of fp32 states";
    if (found.tensor > 0) q.constants += fmt::format(", {} per tensor", formatQuantity(found.tensor, units::time));
    Section section = f.section(Record::Stack, points, {&q});
    section.alone = true;
    section.source += types;
    section.facts = {std::move(fact)};
    f.out.sections.push_back(section);
    if (found.tensor > 0) {
      section.facts = {{{ir::StackFact::OptimizerTensor, name}, found.tensor}};
      f.out.sections.push_back(std::move(section));
    }
    f.out.qualities.push_back(std::move(q));
  }
}

} // namespace planc::calibrate
