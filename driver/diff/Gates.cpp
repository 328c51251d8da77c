// Parses gates, and judges changes by them.
// SPDX-License-Identifier: Apache-2.0
#include "driver/diff/Gates.h"

#include "backends/verdict/ExprText.h"
#include "support/Quantity.h"
#include "support/Rounding.h"
#include "support/text/Spelling.h"
#include "support/text/UnitWords.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>

namespace planc::driver {

PLANC_ERROR(GateOfNoMetric, 1110, "gate on `{metric}`, which is {problem}")
PLANC_ERROR(GateWithoutBound, 1111, "`{bound}` is not a bound for `{metric}`: {problem}")
PLANC_ERROR(GateOfWrongUnit, 1112, "`{metric}` is {wanted}, but `{bound}` is {found}")

namespace {

/// The value of a gate on a boolean metric.
constexpr std::string_view kHolds = "true";
constexpr std::string_view kNot = "not ";

std::string withoutBlanks(std::string_view text) {
  const size_t from = text.find_first_not_of(" \t");
  return from == std::string_view::npos ? "" : std::string(text.substr(from, text.find_last_not_of(" \t") - from + 1));
}

const verdict::Metric* gatedMetric(const project::ConfigText& name, DiagnosticEngine& diagnostics) {
  const verdict::Metric* const metric = verdict::findMetric(name.value);
  if (metric && !metric->ofLayer()) return metric;
  const char* const problem = metric ? "a number of a layer, not of the plan" : "not a metric";
  std::vector<std::string> known;
  for (const verdict::Metric* m : verdict::metrics().rows())
    if (!m->ofLayer()) known.emplace_back(m->name());
  diagnostics.report(GateOfNoMetric, name.range, {{"metric", name.value}, {"problem", problem}})
      .help(metric ? "" : didYouMean(name.value, known, "`planc schema planc.toml` lists the metrics under `gates`"));
  return nullptr;
}

/// Returns an example of a bound on the metric.
std::string boundExample(const verdict::Metric& metric, char sign) {
  const std::string units = unitsFor(metric.unit);
  return fmt::format("write `{}3%`, relative to the value before{}", sign,
                     metric.unit.plain() ? fmt::format(", or `{}0.03`", sign)
                     : units.empty()     ? ""
                                         : fmt::format(", or write an amount in {}", units));
}

std::optional<Gate> readGate(const project::ConfigText& name, const project::ConfigText& written,
                             DiagnosticEngine& diagnostics) {
  const verdict::Metric* const metric = gatedMetric(name, diagnostics);
  if (!metric) return std::nullopt;
  const std::string text = withoutBlanks(written.value);
  const auto noBound = [&](std::string problem, std::string help) {
    diagnostics.report(GateWithoutBound, written.range, {{"bound", text}, {"metric", name.value}, {"problem", problem}})
        .help(std::move(help));
    return std::nullopt;
  };
  if (metric->isBool) {
    if (text != kHolds)
      return noBound("it is true or false, so it cannot change by an amount",
                     fmt::format("`\"{}\" = true` of planc.toml, and `--fail-if 'not {}'`, fail if it no longer holds",
                                 name.value, name.value));
    return Gate{metric, false, true, 0, text, written.range};
  }
  if (text.empty()) return noBound("it is empty", boundExample(*metric, '+'));
  const char sign = text[0];
  if (sign != '+' && sign != '-')
    return noBound("it has no sign",
                   std::isdigit(static_cast<unsigned char>(sign)) || sign == '.'
                       ? fmt::format("`+{}` fails if the metric rises by more, `-{}` if it falls by more", text, text)
                       : "a gate limits a change, `+3%` or `-3%`; a policy limits a value: `policy limit { require "
                         "memory.peak < 80GB }`");
  std::string amount = withoutBlanks(std::string_view(text).substr(1));
  // `3 %` is read as `3%`. An amount without a unit keeps its blank, so that `1 000` is rejected.
  if (const size_t blank = amount.find(' ');
      blank < amount.size() && !std::isdigit(static_cast<unsigned char>(amount.back())))
    amount = amount.substr(0, blank) + withoutBlanks(std::string_view(amount).substr(blank));
  std::string badUnit;
  const std::optional<Quantity> quantity = parseQuantity(amount, badUnit);
  if (!quantity || quantity->value < 0) {
    const bool unit = !quantity && !badUnit.empty();
    return noBound(unit ? fmt::format("`{}` is not a unit", badUnit) : "write a number with a unit after the sign",
                   unit ? unitMeant(amount.substr(0, amount.size() - writtenUnit(amount).size()), writtenUnit(amount))
                        : boundExample(*metric, sign));
  }
  const bool relative = amount.ends_with('%');
  if (!relative && quantity->unit != metric->unit) {
    diagnostics
        .report(GateOfWrongUnit, written.range,
                {{"metric", name.value},
                 {"wanted", verdict::typeText(false, metric->unit)},
                 {"bound", text},
                 {"found", verdict::typeText(false, quantity->unit)}})
        .help(boundExample(*metric, sign));
    return std::nullopt;
  }
  const bool falling = sign == '-';
  return Gate{metric, relative, falling, falling ? -quantity->value : quantity->value, text, written.range};
}

} // namespace

std::string Gate::str() const {
  return metric->isBool ? fmt::format("{}{}", kNot, metric->name())
                        : fmt::format("{} {} {}", metric->name(), falling ? "<" : ">", text);
}

bool Gate::fails(double before, double after) const {
  const double limit = relative ? bound * std::abs(before) : bound;
  const double rounding = kRounding * std::max(std::abs(before), std::abs(after)); // an exactly equal change passes
  return falling ? after - before < limit - rounding : after - before > limit + rounding;
}

std::vector<Gate> gatesOf(const project::Config& config, DiagnosticEngine& diagnostics) {
  std::vector<Gate> out;
  for (const project::ConfigGate& line : config.gates)
    if (std::optional<Gate> gate = readGate(line.metric, line.bound, diagnostics)) out.push_back(std::move(*gate));
  return out;
}

std::optional<Gate> gateOfWord(const std::string& word, GateMistake& mistake) {
  const size_t at = word.find_first_of("<>");
  const bool holds = word.starts_with(kNot);
  if (at == std::string::npos && !holds) {
    mistake = {fmt::format("`{}` is not a gate: it has neither `>` nor `<`", word),
               "write `step_time > +3%` or `not memory.fits`"};
    return std::nullopt;
  }
  DiagnosticEngine found;
  const std::optional<Gate> gate =
      holds ? readGate({withoutBlanks(word.substr(kNot.size())), {}}, {std::string(kHolds), {}}, found)
            : readGate({withoutBlanks(word.substr(0, at)), {}}, {withoutBlanks(word.substr(at + 1)), {}}, found);
  if (!gate) {
    const Diagnostic& first = *found.sorted().front();
    mistake = {first.message, first.help.empty() ? "" : first.help.front()};
    return std::nullopt;
  }
  if (holds != gate->metric->isBool) {
    mistake = {fmt::format("`{}` is a number, not a condition", gate->metric->name()),
               fmt::format("write `{} > +3%`", gate->metric->name())};
    return std::nullopt;
  }
  if (holds || gate->falling == (word[at] == '<')) return gate;
  mistake = {fmt::format("`{}` is true for every small change", word),
             fmt::format("write `{} {} {}`: a gate fails if a rise is above its bound or a fall below it",
                         gate->metric->name(), gate->falling ? '<' : '>', gate->text)};
  return std::nullopt;
}

std::vector<Gate> merged(std::vector<Gate> words, const std::vector<Gate>& config) {
  const size_t named = words.size();
  for (const Gate& gate : config)
    if (std::none_of(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(named),
                     [&](const Gate& word) { return word.metric == gate.metric; }))
      words.push_back(gate);
  return words;
}

} // namespace planc::driver
