// Writes facts as statements: units, tables, statistics, and `override` if the extended record has the fact.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/write/Library.h"

#include "ir/facts/ClusterFacts.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/Ranges.h"
#include "ir/facts/SampleColumns.h"
#include "ir/facts/StackFacts.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>

namespace planc::calibrate {

namespace {

/// Units for numbers. The first unit in which the value is at least 1 is used; values keep four digits.
struct Scale {
  Unit unit;
  double size;
  std::string_view text;
};
const std::vector<Scale>& scales() {
  static const std::vector<Scale> table{
      {units::time, 1, "s"},           {units::time, 1e-3, "ms"},
      {units::time, 1e-6, "us"},       {units::bandwidth, 1e9, "GB/s"},
      {units::bandwidth, 1e6, "MB/s"}, {units::rate, 1e12, "TFLOP/s"},
      {units::rate, 1e9, "GFLOP/s"},   {units::bytes, 1e9, "GB"},
      {units::bytes, 1e6, "MB"},       {units::bytes, 1e3, "kB"},
      {units::bytes, 1, "B"},          {units::flops, 1e12, "TFLOP"},
      {units::flops, 1e9, "GFLOP"},    {units::flops, 1e6, "MFLOP"},
      {units::flops, 1, "FLOP"},       {units::energyPerFlop, 1e-12, "pJ/FLOP"},
  };
  return table;
}

/// Returns a number with four significant digits, without an exponent.
std::string digits(double v) {
  if (v == 0) return "0";
  const int whole = static_cast<int>(std::floor(std::log10(std::fabs(v)))) + 1;
  std::string text = fmt::format("{:.{}f}", v, std::max(0, 4 - whole));
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string quantity(double v, const Unit& unit) {
  const Scale* best = nullptr;
  for (const Scale& s : scales())
    if (s.unit == unit && (best = &s, std::fabs(v) >= s.size)) break;
  return best ? digits(v / best->size) + std::string(best->text) : digits(v);
}

std::string number(std::string_view name, const ir::FactType& type, double v) {
  if (name.ends_with("efficiency") && type.unit.plain()) return digits(v * 100) + "%";
  if (type.form == ir::FactForm::Count) return fmt::format("{:.0f}", v);
  return quantity(v, type.unit);
}

std::string curve(std::string_view name, const ir::FactType& type, const ir::Table& table, const Unit& size) {
  std::string x, y;
  for (size_t i = 0; i < table.x.size(); ++i) {
    x += (i ? ", " : "") + quantity(table.x[i], size);
    y += (i ? ", " : "") + number(name, type, table.y[i]);
  }
  return fmt::format("curve(x = [{}], y = [{}])", x, y);
}

/// Returns `efficiency` for `calibration.gemm.bf16.efficiency`.
std::string nameOf(const ir::FactRef& fact) {
  const std::string path = fact.path();
  return path.substr(path.rfind('.') + 1);
}

std::string value(const Fact& fact) {
  const ir::FactType& type = ir::factRow(fact.of.id).type;
  const std::string name = nameOf(fact.of);
  return fact.table.empty() ? number(name, type, fact.number)
                            : curve(name, type, fact.table, type.sizeUnit.value_or(units::none));
}

/// Returns the statistics of a section. Errors are limited to the range that a record accepts; the source text has them
/// in full.
std::string statistics(const Section& s) {
  if (s.samples == 0) return "";
  std::string text = fmt::format("samples = {}", s.samples);
  const auto percent = [](double error) { return digits(std::min(error, ir::ranges::kError.most) * 100); };
  if (s.heldOut) text += fmt::format(", error = {}%, p90 = {}%", percent(s.error), percent(s.p90));
  if (s.size == Size::Flops || s.size == Size::Bytes) {
    const Unit unit = s.size == Size::Flops ? units::flops : units::bytes;
    text += fmt::format(", valid = [{}, {}]", quantity(s.low, unit), quantity(s.high, unit));
  }
  return text;
}

std::string quoted(std::string text) {
  std::replace(text.begin(), text.end(), '"', '\'');
  std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\\'; });
  return '"' + text + '"';
}

/// Facts of the extended record: their text by path; nothing for lists of samples.
using InheritedFacts = std::map<std::string, std::optional<std::string>>;

/// Returns the facts that a record states among those that calibration writes.
template <class Id> InheritedFacts knownOf(const ir::FactsOf<Id>& record, std::initializer_list<Id> facts) {
  InheritedFacts out;
  for (const Id id : facts)
    for (const ir::FactKey& key : record.keys(id)) {
      const ir::Number& fact = *record.number(id, key);
      const ir::FactRef of(id, key);
      out[of.path()] = value({of, fact.value, fact.table});
    }
  return out;
}

InheritedFacts knownOf(const ir::Device& d) {
  using enum ir::DeviceFact;
  return knownOf(d, {GemmEfficiency, GemmMemoryEfficiency, GemmStart, GemmEnergy, GemmRuns, ScoresMemoryEfficiency,
                     ScoresBackward, ScoresSize, ContextMemoryEfficiency, ContextBackward, ContextSize,
                     AttentionForward, AttentionHead, AttentionBackward, AttentionStart, AttentionSplit,
                     AttentionEnergy, MemoryEfficiency, MemoryStart});
}

InheritedFacts knownOf(const ir::Stack& s) {
  using enum ir::StackFact;
  return knownOf(s, {PassesForward, PassesBackward, PassesForwardRow, PassesBackwardRow, ir::StackFact::Optimizer,
                     OptimizerTensor, BackwardRatio, TableGradient, Accumulation, Grouped, AttentionFactor,
                     AttentionBackward, AttentionHead});
}

InheritedFacts knownOf(const ir::Fabric& f) {
  using enum ir::FabricFact;
  InheritedFacts out = knownOf(f, {SampledAt, SampledLatency, SendRecvStart, SendRecvBandwidth});
  for (const ir::Fabric::SampledOperation& operation : ir::Fabric::sampledOperations())
    if (!(f.*operation.samples).rows.empty()) out[ir::FactRef(operation.fact).path()] = std::nullopt;
  return out;
}

/// Returns `{efficiency = 80%, start = 5us, samples = 12}`.
std::string braces(const Section& s) {
  std::string text;
  auto add = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
  };
  for (const Fact& f : s.facts) add(nameOf(f.of), value(f));
  if (s.row()) {
    const bool timed = !s.sample.time.empty();
    for (const ir::SampleColumn& c : ir::sampleColumns()) {
      const double v = s.sample.*c.field;
      const bool given = c.fitted ? !timed : v != 0;
      if (given) add(c.name, number(c.name, c.type, v));
    }
    if (timed)
      add(ir::kSampledTimes, curve(ir::kSampledTimes, ir::number(units::time, {}), s.sample.time, units::bytes));
  }
  if (const std::string known = statistics(s); !known.empty()) text += ", " + known;
  return "{" + text + "}";
}

class Writer {
  std::string out_;
  const InheritedFacts& known_;
  std::vector<std::string> open_; ///< open sections around the next statement

  /// Closes and opens sections (`calibration { gemm {`) until only the last name of the path is left, and returns that
  /// name.
  std::string enter(const std::string& path) {
    std::vector<std::string> around;
    size_t at = 0;
    for (size_t dot; (dot = path.find('.', at)) != std::string::npos; at = dot + 1)
      around.push_back(path.substr(at, dot - at));
    size_t same = 0;
    while (same < std::min(around.size(), open_.size()) && around[same] == open_[same]) ++same;
    for (; open_.size() > same; open_.pop_back()) out_ += "}\n";
    for (; open_.size() < around.size(); open_.push_back(around[open_.size()])) out_ += around[open_.size()] + " {\n";
    return path.substr(at);
  }

public:
  explicit Writer(const InheritedFacts& known) : known_(known) {}

  /// Returns whether the extended record has the same text. Overriding a fact without changing it is an error in plan
  /// text.
  bool inherits(const std::string& path, const std::string& text) const {
    const auto known = known_.find(path);
    return known != known_.end() && known->second == text;
  }

  void statement(const Section& s) {
    const std::string own = s.path();
    std::string text = s.alone ? value(s.facts[0]) : braces(s), source = s.source;
    if (inherits(own, text)) return;
    const std::string last = enter(own);
    bool inherited = known_.count(own) > 0;
    // An override replaces the whole statement, so repeat the facts that were not measured.
    for (const auto& [path, value] : known_) {
      if (s.alone || !path.starts_with(own + ".")) continue;
      inherited = true;
      const std::string name = path.substr(own.size() + 1);
      const bool measured =
          std::any_of(s.facts.begin(), s.facts.end(), [&known = path](const Fact& f) { return f.of.path() == known; });
      if (measured || !value || s.holds(path)) continue;
      text.insert(std::min(text.find(", samples = "), text.size() - 1), fmt::format(", {} = {}", name, *value));
      source += fmt::format("; `{}` is not measured: the value of the extended record", name);
    }
    out_ += fmt::format("{}{} = {} : {}\n", inherited ? "override " : "", last, text, quoted(source));
  }

  /// Writes all rows of one operation.
  void rows(const std::vector<const Section*>& rows) {
    std::string list, source;
    std::set<std::string> sources;
    for (const Section* s : rows) {
      list += braces(*s) + ",\n";
      const std::string file = s->source.substr(0, s->source.find(';'));
      if (sources.insert(file).second) source += (source.empty() ? "" : "; ") + file;
    }
    const std::string path = rows.front()->path();
    enter(path);
    out_ += fmt::format("{}{} = [\n{}] : {}\n", known_.count(path) ? "override " : "", path, list, quoted(source));
  }

  /// Writes a fact of the machine that was sampled, unless the extended record has the same value.
  void machine(const Fact& fact, std::string_view source) {
    const std::string name = fact.of.path(), text = value(fact);
    if (inherits(name, text)) return;
    out_ += fmt::format("{}{} = {} : {}\n", known_.count(name) > 0 ? "override " : "", name, text,
                        quoted(std::string(source)));
  }

  void facts(std::vector<const Section*> sections) {
    std::stable_sort(sections.begin(), sections.end(),
                     [](const Section* a, const Section* b) { return a->path() < b->path(); });
    std::map<std::string, std::vector<const Section*>> lists;
    for (const Section* s : sections)
      if (s->row())
        lists[s->path()].push_back(s);
      else
        statement(*s);
    for (auto& [path, of] : lists) {
      std::stable_sort(of.begin(), of.end(),
                       [](const Section* a, const Section* b) { return a->sample.ranks < b->sample.ranks; });
      rows(of);
    }
    enter("");
  }
  const std::string& text() const { return out_; }
};

/// Returns the `fitted` facts of the library record that a written record extends.
FittedFacts fittedOf(const Bases& bases, Record record, const Part& part) {
  if (record == Record::Device) return fittedFacts(part.device);
  if (record == Record::Stack && bases.stackFacts) return fittedFacts(*bases.stackFacts);
  if (record == Record::Network && bases.fabricFacts) return fittedFacts(*bases.fabricFacts);
  return {};
}

std::string identifier(std::string_view text) {
  std::string out;
  for (char c : text)
    out += std::isalnum(static_cast<unsigned char>(c)) ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
                                                       : '_';
  return out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) ? "part_" + out : out;
}

constexpr std::string_view kMeasured = "measured", kStack = "stack";

/// Returns facts of the sampled machine for a fabric: its link rate and the latency of a step, from the library.
std::vector<Fact> machineOf(const Part& part, Record record) {
  if (record != Record::Node && record != Record::Network) return {};
  const double rate = record == Record::Node ? part.link : part.card;
  const std::optional<double>& latency = record == Record::Node ? part.linkLatency : part.cardLatency;
  std::vector<Fact> out;
  if (rate > 0) out.push_back({ir::FabricFact::SampledAt, rate});
  if (latency) out.push_back({ir::FabricFact::SampledLatency, *latency});
  return out;
}

std::string writtenName(const Part& part, std::string_view suffix) {
  return fmt::format("{}_{}", identifier(part.name), suffix);
}

} // namespace

std::string deviceRecord(const Part& part) {
  return writtenName(part, kMeasured);
}
std::string stackRecord(const Part& part) {
  return writtenName(part, kStack);
}

std::string libraryText(const std::vector<Calibration>& calibrations, const Bases& bases) {
  std::string text =
      "/// Calibrated by `planc calibrate`: measured facts with their numbers of samples and held-out errors.\n";
  std::string records;
  bool devices = false, fabrics = false, stacks = false;
  auto write = [&](const Calibration& c, Record record, std::string_view word, std::string_view suffix,
                   const std::string& base, const InheritedFacts& known) {
    std::vector<const Section*> sections;
    for (const Section& s : c.sections)
      if (s.record == record) sections.push_back(&s);
    if (sections.empty()) return false;
    Writer writer(known);
    for (const Fact& fact : machineOf(*c.part, record))
      writer.machine(fact, fmt::format("from a device's {} in the library's cluster of {}: change it if yours differs",
                                       record == Record::Node ? "links" : "network card", c.part->name));
    writer.facts(sections);
    std::map<std::string, size_t> on; // a stack names the sampled devices; other records belong to one device anyway
    if (record == Record::Stack) on[c.part->name] = c.samples;
    records += fmt::format("\n/// {} samples of {}.\nexport {} {}{} {{\n{}{}}}\n", c.samples,
                           c.label.empty() ? c.part->name : c.label, word, writtenName(*c.part, suffix),
                           base.empty() ? "" : " extends " + base, writer.text(),
                           fittedText(c.fitted, on, fittedOf(bases, record, *c.part)));
    return true;
  };
  for (const Calibration& c : calibrations) {
    devices |= write(c, Record::Device, "device", kMeasured, "devices." + c.part->name, knownOf(c.part->device));
    stacks |= write(c, Record::Stack, "stack", kStack, bases.stack,
                    bases.stackFacts ? knownOf(*bases.stackFacts) : InheritedFacts{});
    write(c, Record::Node, "fabric", "node", "", {});
    fabrics |= write(c, Record::Network, "fabric", "network", bases.fabric.empty() ? "" : "fabrics." + bases.fabric,
                     bases.fabricFacts ? knownOf(*bases.fabricFacts) : InheritedFacts{});
  }
  if (devices) text += "import std.devices\n";
  if (fabrics && !bases.fabric.empty()) text += "import std.fabrics\n";
  if (stacks && !bases.stack.empty())
    text += "import std.stacks." + bases.stack.substr(0, bases.stack.find('.')) + "\n";
  return text + records;
}

} // namespace planc::calibrate
