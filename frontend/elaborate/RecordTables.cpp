// The facts of devices, fabrics, stacks and levels: adding one is adding a row (and a field of ir::Machine).
// SPDX-License-Identifier: Apache-2.0
#include "frontend/elaborate/RecordTables.h"

#include "frontend/elaborate/Topologies.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(UnknownWord, 510, "`{fact}` is one of {words}; this is `{word}`")
PLANC_ERROR(SamplesForm, 511,
            "samples are a list of {{ranks, a, b, g}} or {{ranks, time = curve(…)}} with rising ranks; {problem}")

namespace {

using D = ir::Device;
using F = ir::Fabric;
using S = ir::Stack;
using L = ir::ClusterLevel;
using In = FactInput;

/// `valid = [1kB, 1GB]` of a row of samples.
bool validRange(const Value& v, ir::Statistics& out) {
  if (v.kind != ValueKind::List || v.list->items.size() != 2) return false;
  for (const Value& x : v.list->items)
    if (!x.isInt() && !(x.kind == ValueKind::Number && (x.unit.plain() || x.unit == units::bytes))) return false;
  out.low = v.list->items[0].asDouble();
  out.high = v.list->items[1].asDouble();
  return out.low > 0 && out.low <= out.high;
}

/// One group size: a, b and g of the fit, or a table of times; and what is known about them. Gives what is wrong.
std::string sampleRow(const Value& item, ir::Fabric::Sample& row) {
  struct Column {
    std::string_view name;
    Unit unit;
    const FactRange& range;
    double& field;
  };
  const std::array<Column, 7> columns{{{"ranks", {}, ranges::kSome, row.ranks},
                                       {"nodes", {}, ranges::kSome, row.nodes},
                                       {"a", units::time, ranges::kTime, row.a},
                                       {"b", units::bandwidth, ranges::kBandwidth, row.b},
                                       {"g", units::time, ranges::kTime, row.g},
                                       {"samples", {}, ranges::kSome, row.statistics.samples},
                                       {"error", {}, ranges::kError, row.statistics.error}}};
  if (item.kind != ValueKind::Record) return "one of these is " + describe(item);
  row.statistics.calibrated = true;
  for (const Field& f : item.record->fields) {
    const std::string_view name = f.name.view();
    bool good = false;
    if (name == "valid") {
      good = validRange(f.value, row.statistics);
    } else if (name == "time") {
      good = f.value.kind == ValueKind::Curve && f.value.curve->yUnit == units::time &&
             (f.value.curve->xUnit.plain() || f.value.curve->xUnit == units::bytes);
      if (good) row.time = {f.value.curve->x, f.value.curve->y};
      for (const double seconds : row.time.y)
        if (!ranges::kTime.holds(seconds) || seconds == 0)
          return fmt::format("one `time` is {}; it takes more than {}", formatQuantity(seconds, units::time),
                             ranges::kTime.text);
    } else {
      auto column = std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
      if (column == columns.end()) {
        std::vector<std::string> known{"valid", "time"};
        for (const Column& c : columns) known.emplace_back(c.name);
        const std::string meant = didYouMean(name, known);
        return fmt::format("`{}` is none of these{}{}", name, meant.empty() ? "" : ": ", meant);
      }
      good = f.value.isInt() ? column->unit.plain() : f.value.kind == ValueKind::Number && f.value.unit == column->unit;
      if (good) column->field = f.value.asDouble();
      if (good && !column->range.holds(column->field))
        return fmt::format("`{}` is {}; it takes {}", name, show(f.value), column->range.text);
    }
    if (!good) return fmt::format("`{}` is {}", name, describe(f.value));
  }
  auto has = [&](std::string_view name) { return item.record->find(Symbol(name)) != nullptr; };
  if (has("time") && (has("a") || has("b") || has("g"))) return "one row has `time` and a fit, too";
  for (std::string_view name : {"ranks", "a", "b"})
    if (!has(name) && (name == "ranks" || !has("time"))) return fmt::format("one row has no `{}`", name);
  if (has("nodes") && (row.nodes < 2 || row.nodes > row.ranks))
    return fmt::format("{} ranks do not spread over {} nodes", row.ranks, row.nodes);
  return {};
}

/// The samples of one collective, by group size.
void samples(FactInput& in, ir::Fabric::Samples& out) {
  const Value v = in.tree->value(*in.node);
  if (v.invalid()) return;
  auto wrong = [&](std::string problem) {
    in.ev->context.report(SamplesForm, in.node->value->range, {{"problem", std::move(problem)}});
    out.rows.clear();
    out.across.clear();
  };
  if (v.kind != ValueKind::List || v.list->items.empty())
    return wrong(fmt::format("this is {}", v.kind == ValueKind::List ? "empty" : describe(v)));
  for (const Value& item : v.list->items) {
    ir::Fabric::Sample row;
    if (std::string problem = sampleRow(item, row); !problem.empty()) return wrong(std::move(problem));
    std::vector<ir::Fabric::Sample>& rows = row.nodes > 0 ? out.across : out.rows;
    if (!rows.empty() && std::pair(row.ranks, row.nodes) <= std::pair(rows.back().ranks, rows.back().nodes))
      return wrong(row.nodes > 0 ? fmt::format("{} ranks on {} nodes stand after {} on {}", row.ranks, row.nodes,
                                               rows.back().ranks, rows.back().nodes)
                                 : fmt::format("{} ranks stand after {}", row.ranks, rows.back().ranks));
    row.statistics.record = in.node->name.str();
    row.statistics.range = in.node->nameRange;
    rows.push_back(std::move(row));
  }
  out.range = in.node->value->range;
  out.source = in.node->source;
}

void accumulate(S& s, In& in) {
  static const std::vector<std::string> kWords{"none", "separate", "fused", "deferred"};
  if (const int at = wordIndex(in, kWords); at >= 0) s.accumulate = static_cast<ir::Accumulate>(at);
}

/// `algorithm.NAME = hierarchical`.
void algorithm(ir::Algorithms& algorithms, In& in) {
  static const std::array<ir::CollectiveKind, 4> kKinds{ir::CollectiveKind::AllReduce, ir::CollectiveKind::AllGather,
                                                        ir::CollectiveKind::ReduceScatter,
                                                        ir::CollectiveKind::AllToAll};
  auto kind =
      std::find_if(kKinds.begin(), kKinds.end(), [&](ir::CollectiveKind k) { return Symbol(ir::name(k)) == in.star; });
  if (kind == kKinds.end()) {
    std::vector<std::string> names;
    for (ir::CollectiveKind k : kKinds) names.emplace_back(ir::name(k));
    reportUnknownFact(in.ev->context, in.node->nameRange, in.star.view(), {"`algorithm`", in.node->nameRange}, names);
    return;
  }
  static const std::vector<std::string> kWords = [] {
    std::vector<std::string> words;
    for (int a = 0; a < ir::kAlgorithms; ++a) words.emplace_back(ir::name(static_cast<ir::Algorithm>(a)));
    return words;
  }();
  if (const int at = wordIndex(in, kWords); at >= 0)
    algorithms[*kind] = {static_cast<ir::Algorithm>(at), in.node->value->range, in.node->source};
}

/// Each of its facts makes it.
ir::Accuracy& accuracyOf(std::optional<ir::Accuracy>& accuracy, const In& in) {
  if (!accuracy) accuracy.emplace();
  accuracy->range = in.number.range;
  accuracy->source = in.number.source;
  return *accuracy;
}

#define SET(T, FIELD) [](T& t, In& in) { t.FIELD = in.number; }
#define ACCURACY(FIELD) [](S& s, In& in) { accuracyOf(s.accuracy, in).FIELD = in.number.value; }

const std::vector<FactRow<D>>& deviceRows() {
  static const std::vector<FactRow<D>> rows{
      {"platform", {}, ranges::kAny, FactForm::Text, StarKey::None, [](D& d, In& in) { d.platform = in.text; }},
      {"memory", units::bytes, ranges::kSize, FactForm::Number, StarKey::None, SET(D, memory)},
      {"bandwidth", units::bandwidth, ranges::kBandwidth, FactForm::Number, StarKey::None, SET(D, bandwidth)},
      {"power", units::power, ranges::kPower, FactForm::Number, StarKey::None, SET(D, power)},
      {"price", units::price, ranges::kPrice, FactForm::Number, StarKey::None, SET(D, price)},
      {"peak.*", units::rate, ranges::kRate, FactForm::Number, StarKey::DType, SET(D, peak[in.dtype])},
      {"calibration.gemm.*.efficiency",
       {},
       ranges::kEfficiency,
       FactForm::Number,
       StarKey::DType,
       SET(D, gemm[in.dtype].efficiency),
       units::flops},
      {"calibration.gemm.*.memory_efficiency",
       {},
       ranges::kEfficiency,
       FactForm::Number,
       StarKey::DType,
       SET(D, gemm[in.dtype].memoryEfficiency)},
      {"calibration.gemm.*.start", units::time, ranges::kTime, FactForm::Number, StarKey::DType,
       SET(D, gemm[in.dtype].start)},
      {"calibration.scores.memory_efficiency",
       {},
       ranges::kEfficiency,
       FactForm::Number,
       StarKey::None,
       SET(D, scores.memoryEfficiency),
       Unit{}},
      {"calibration.scores.backward",
       {},
       ranges::kFactor,
       FactForm::Number,
       StarKey::None,
       SET(D, scores.backward),
       Unit{}},
      {"calibration.scores.size",
       {},
       ranges::kRelative,
       FactForm::Curve,
       StarKey::None,
       [](D& d, In& in) { d.scores.size = in.curve; },
       units::bytes},
      {"calibration.context.memory_efficiency",
       {},
       ranges::kEfficiency,
       FactForm::Number,
       StarKey::None,
       SET(D, context.memoryEfficiency),
       Unit{}},
      {"calibration.context.backward",
       {},
       ranges::kFactor,
       FactForm::Number,
       StarKey::None,
       SET(D, context.backward),
       Unit{}},
      {"calibration.context.size",
       {},
       ranges::kRelative,
       FactForm::Curve,
       StarKey::None,
       [](D& d, In& in) { d.context.size = in.curve; },
       units::bytes},
      {"calibration.attention.forward", units::rate, ranges::kRate, FactForm::Curve, StarKey::None,
       [](D& d, In& in) { d.attention.forward = in.curve; }},
      {"calibration.attention.forward.rate", units::rate, ranges::kRate, FactForm::Curve, StarKey::None,
       [](D& d, In& in) { d.attention.forward = in.curve; }},
      {"calibration.attention.head",
       {},
       ranges::kRelative,
       FactForm::Curve,
       StarKey::None,
       [](D& d, In& in) { d.attention.head = in.curve; }},
      {"calibration.attention.backward",
       {},
       ranges::kFactor,
       FactForm::Number,
       StarKey::None,
       SET(D, attention.backward),
       Unit{}},
      {"calibration.attention.start", units::time, ranges::kTime, FactForm::Number, StarKey::None,
       SET(D, attention.start)},
      {"calibration.attention.split",
       {},
       ranges::kEfficiency,
       FactForm::Number,
       StarKey::None,
       SET(D, attention.split)},
      {"calibration.memory.efficiency",
       {},
       ranges::kEfficiency,
       FactForm::Number,
       StarKey::None,
       SET(D, memoryEfficiency)},
      {"calibration.memory.start", units::time, ranges::kTime, FactForm::Number, StarKey::None, SET(D, memoryStart)},
      {"calibration.lookup.efficiency",
       {},
       ranges::kEfficiency,
       FactForm::Number,
       StarKey::None,
       SET(D, lookupEfficiency)},
      {"host.bandwidth", units::bandwidth, ranges::kBandwidth, FactForm::Number, StarKey::None, SET(D, host.bandwidth)},
      {"host.memory", units::bytes, ranges::kSize, FactForm::Number, StarKey::None, SET(D, host.memory)},
  };
  return rows;
}

const std::vector<FactRow<F>>& fabricRows() {
  static const std::vector<FactRow<F>> rows{
      {"all_reduce", {}, ranges::kAny, FactForm::Custom, StarKey::None, [](F& f, In& in) { samples(in, f.allReduce); }},
      {"all_gather", {}, ranges::kAny, FactForm::Custom, StarKey::None, [](F& f, In& in) { samples(in, f.allGather); }},
      {"reduce_scatter",
       {},
       ranges::kAny,
       FactForm::Custom,
       StarKey::None,
       [](F& f, In& in) { samples(in, f.reduceScatter); }},
      {"all_to_all", {}, ranges::kAny, FactForm::Custom, StarKey::None, [](F& f, In& in) { samples(in, f.allToAll); }},
      {"sampled_at", units::bandwidth, ranges::kBandwidth, FactForm::Number, StarKey::None, SET(F, sampledAt)},
      {"growth", {}, ranges::kError, FactForm::Number, StarKey::None, SET(F, growth)},
      {"start", units::time, ranges::kTime, FactForm::Number, StarKey::None, SET(F, start)},
      {"hop", units::time, ranges::kTime, FactForm::Number, StarKey::None, SET(F, hop)},
      {"g", units::time, ranges::kTime, FactForm::Number, StarKey::None, SET(F, g)},
      {"nic_efficiency", {}, ranges::kEfficiency, FactForm::Number, StarKey::None, SET(F, nicEfficiency)},
      {"exchange_efficiency", {}, ranges::kEfficiency, FactForm::Number, StarKey::None, SET(F, exchangeEfficiency)},
      {"pair_bonus", {}, ranges::kRelative, FactForm::Number, StarKey::None, SET(F, pairBonus)},
      {"send_recv.start", units::time, ranges::kTime, FactForm::Number, StarKey::None, SET(F, sendRecvStart)},
      {"send_recv.bandwidth", units::bandwidth, ranges::kBandwidth, FactForm::Number, StarKey::None,
       SET(F, sendRecvBandwidth)},
      {"send_recv.efficiency", {}, ranges::kEfficiency, FactForm::Number, StarKey::None, SET(F, sendRecvEfficiency)},
      {"algorithm.*",
       {},
       ranges::kAny,
       FactForm::Custom,
       StarKey::Name,
       [](F& f, In& in) { algorithm(f.algorithms, in); }},
  };
  return rows;
}

const std::vector<FactRow<S>>& stackRows() {
  static const std::vector<FactRow<S>> rows{
      {"platform", {}, ranges::kAny, FactForm::Text, StarKey::None, [](S& s, In& in) { s.platform = in.text; }},
      {"backward_ratio", {}, ranges::kRelative, FactForm::Number, StarKey::None, SET(S, backwardRatio)},
      {"accumulate", {}, ranges::kAny, FactForm::Custom, StarKey::None, accumulate},
      {"passes.*.forward",
       {},
       ranges::kPasses,
       FactForm::Number,
       StarKey::Name,
       SET(S, passes[in.star].forward),
       units::bytes},
      {"passes.*.backward",
       {},
       ranges::kPasses,
       FactForm::Number,
       StarKey::Name,
       SET(S, passes[in.star].backward),
       units::bytes},
      {"passes.*.forward_row",
       {},
       ranges::kFactor,
       FactForm::Curve,
       StarKey::Name,
       [](S& s, In& in) { s.passes[in.star].forwardRow = in.curve; }},
      {"passes.*.backward_row",
       {},
       ranges::kFactor,
       FactForm::Curve,
       StarKey::Name,
       [](S& s, In& in) { s.passes[in.star].backwardRow = in.curve; }},
      {"inline.*", {}, ranges::kShare, FactForm::Number, StarKey::Class, SET(S, inlineShare[in.cls])},
      {"receive", {}, ranges::kShare, FactForm::Number, StarKey::None, SET(S, receive)},
      {"slowdown", {}, ranges::kShare, FactForm::Number, StarKey::None, SET(S, slowdown)},
      {"optimizer.*", units::bytes, ranges::kBytes, FactForm::Number, StarKey::Name, SET(S, optimizer[in.star]),
       Unit{}},
      {"optimizer_tensor.*", units::time, ranges::kTime, FactForm::Number, StarKey::Name,
       SET(S, optimizerTensor[in.star])},
      {"table_gradient", units::bytes, ranges::kBytes, FactForm::Number, StarKey::None, SET(S, tableGradient)},
      {"grouped", {}, ranges::kRelative, FactForm::Curve, StarKey::None, [](S& s, In& in) { s.grouped = in.curve; }},
      {"grouped.efficiency",
       {},
       ranges::kRelative,
       FactForm::Curve,
       StarKey::None,
       [](S& s, In& in) { s.grouped = in.curve; }},
      {"grouped_kernel",
       {},
       ranges::kAny,
       FactForm::Bool,
       StarKey::None,
       [](S& s, In& in) { s.groupedKernel = in.truth; }},
      {"exchange_copies",
       {},
       ranges::kAny,
       FactForm::Bool,
       StarKey::None,
       [](S& s, In& in) { s.exchangeCopies = in.truth; }},
      {"attention.factor", {}, ranges::kRelative, FactForm::Number, StarKey::None, SET(S, attentionFactor)},
      {"attention.backward", {}, ranges::kFactor, FactForm::Number, StarKey::None, SET(S, attentionBackward)},
      {"attention.head",
       {},
       ranges::kRelative,
       FactForm::Curve,
       StarKey::None,
       [](S& s, In& in) { s.attentionHead = in.curve; }},
      {"launch", units::time, ranges::kTime, FactForm::Number, StarKey::None, SET(S, launch)},
      {"collective_launch.*", units::time, ranges::kTime, FactForm::Number, StarKey::Class,
       SET(S, collectiveLaunch[in.cls])},
      {"grouped_launch", units::time, ranges::kTime, FactForm::Number, StarKey::None, SET(S, groupedLaunch)},
      {"waits", {}, ranges::kAny, FactForm::Bool, StarKey::None, [](S& s, In& in) { s.waits = in.truth; }},
      {"unattributed", {}, ranges::kRelative, FactForm::Number, StarKey::None, SET(S, unattributed)},
      {"step", units::time, ranges::kTime, FactForm::Number, StarKey::None, SET(S, step)},
      {"jitter", {}, ranges::kShare, FactForm::Number, StarKey::None, SET(S, jitter)},
      {"algorithm.*",
       {},
       ranges::kAny,
       FactForm::Custom,
       StarKey::Name,
       [](S& s, In& in) { algorithm(s.algorithms, in); }},
      {"prefetch", {}, ranges::kCount, FactForm::Count, StarKey::None, SET(S, prefetch)},
      {"bucket", units::bytes, ranges::kSize, FactForm::Number, StarKey::None, SET(S, bucket)},
      {"early_stop", {}, ranges::kAny, FactForm::Bool, StarKey::None, [](S& s, In& in) { s.earlyStop = in.truth; }},
      {"accuracy.runs", {}, ranges::kSome, FactForm::Count, StarKey::None, ACCURACY(runs)},
      {"accuracy.sources", {}, ranges::kSome, FactForm::Count, StarKey::None, ACCURACY(sources)},
      {"accuracy.low", {}, ranges::kRelative, FactForm::Number, StarKey::None, ACCURACY(low)},
      {"accuracy.high", {}, ranges::kRelative, FactForm::Number, StarKey::None, ACCURACY(high)},
      {"accuracy.derived", {}, ranges::kError, FactForm::Number, StarKey::None, ACCURACY(derived)},
      {"accuracy.fitted", {}, ranges::kError, FactForm::Number, StarKey::None, ACCURACY(fitted)},
      {"accuracy.nominal", {}, ranges::kError, FactForm::Number, StarKey::None, ACCURACY(nominal)},
      {"accuracy.distance", {}, ranges::kError, FactForm::Number, StarKey::None, ACCURACY(distance)},
      {"workspace", units::bytes, ranges::kBytes, FactForm::Number, StarKey::None, SET(S, workspace)},
      {"fragmentation", {}, ranges::kSurcharge, FactForm::Number, StarKey::None, SET(S, fragmentation)},
      {"reserved", units::bytes, ranges::kBytes, FactForm::Number, StarKey::None, SET(S, reserved)},
      {"copies.buckets",
       {},
       ranges::kAny,
       FactForm::Bool,
       StarKey::None,
       [](S& s, In& in) { s.copies.buckets = in.truth; }},
      {"copies.update",
       {},
       ranges::kAny,
       FactForm::Bool,
       StarKey::None,
       [](S& s, In& in) { s.copies.update = in.truth; }},
      {"copies.gathers",
       {},
       ranges::kAny,
       FactForm::Bool,
       StarKey::None,
       [](S& s, In& in) { s.copies.gathers = in.truth; }},
  };
  return rows;
}

const std::vector<FactRow<L>>& levelRows() {
  static const std::vector<FactRow<L>> rows{
      {"link", {}, ranges::kAny, FactForm::Custom, StarKey::None, [](L&, In&) {}}, // a record: Machines resolves it
      {"bandwidth", units::bandwidth, ranges::kBandwidth, FactForm::Number, StarKey::None, SET(L, bandwidth)},
      {"links", {}, ranges::kSome, FactForm::Count, StarKey::None, SET(L, links)},
      {"latency", units::time, ranges::kTime, FactForm::Number, StarKey::None, SET(L, latency)},
      {"cards", {}, ranges::kSome, FactForm::Count, StarKey::None, SET(L, cards)},
      {"own_port", {}, ranges::kAny, FactForm::Bool, StarKey::None, [](L& l, In& in) { l.ownPort = in.truth; }},
      {"topology",
       {},
       ranges::kAny,
       FactForm::Custom,
       StarKey::None,
       [](L& l, In& in) { readTopology(l.topology, in); }},
  };
  return rows;
}

} // namespace

std::span<const FactRow<D>> deviceFacts() {
  return deviceRows();
}
std::span<const FactRow<F>> fabricFacts() {
  return fabricRows();
}
std::span<const FactRow<S>> stackFacts() {
  return stackRows();
}
std::span<const FactRow<L>> levelFacts() {
  return levelRows();
}
std::span<const FactRow<ir::Cluster>> clusterFacts() {
  static const std::vector<FactRow<ir::Cluster>> rows{
      {"device", {}, ranges::kAny, FactForm::Custom, StarKey::None, [](ir::Cluster&, In&) {}}, // Machines resolves it
      {"jitter", {}, ranges::kShare, FactForm::Number, StarKey::None, SET(ir::Cluster, jitter)},
  };
  return rows;
}

#undef SET
#undef ACCURACY

std::span<const std::string_view> calibratedFacts(DeclKind kind) {
  static constexpr std::array<std::string_view, 2> kDevice{"calibration", "host.bandwidth"};
  static constexpr std::array<std::string_view, 1> kFabric{""};
  static constexpr std::array<std::string_view, 6> kStack{"passes",           "attention", "optimizer",
                                                          "optimizer_tensor", "grouped",   "launch"};
  switch (kind) {
  case DeclKind::Device:
    return kDevice;
  case DeclKind::Fabric:
    return kFabric;
  case DeclKind::Stack:
    return kStack;
  default:
    return {};
  }
}

int wordIndex(FactInput& in, const std::vector<std::string>& words) {
  const Expr* e = in.node->value;
  std::string word;
  SourceRange at = e->range;
  if (e->kind == ExprKind::Call) e = e->kids[0];
  if (e->kind == ExprKind::Name) word = e->name.text.str();
  if (e->kind == ExprKind::None) word = "none"; // a reserved word that is a member, too
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i] == word) return static_cast<int>(i);
  if (word.empty()) word = std::string(in.ev->context.text(at));
  std::string list;
  for (size_t i = 0; i < words.size(); ++i)
    list += (i == 0 ? "`" : i + 1 == words.size() ? " and `" : ", `") + words[i] + "`";
  auto report =
      in.ev->context.report(UnknownWord, at, {{"fact", in.node->name.str()}, {"words", list}, {"word", word}});
  if (auto meant = didYouMean(word, words); !meant.empty()) report.help(meant);
  return -1;
}

} // namespace planc::frontend
