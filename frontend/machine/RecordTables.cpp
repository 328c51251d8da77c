// The facts of devices, fabrics, stacks and levels: adding one is adding a row (and a field of ir::Machine).
// SPDX-License-Identifier: Apache-2.0
#include "frontend/machine/RecordTables.h"

#include "frontend/machine/Samples.h"
#include "frontend/machine/Topologies.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(UnknownWord, 510, "`{fact}` is one of {words}; this is `{word}`")

namespace {

using D = ir::Device;
using F = ir::Fabric;
using S = ir::Stack;
using L = ir::ClusterLevel;
using In = FactInput;

void accumulate(S& s, In& in) {
  static const std::vector<std::string> kWords{"none", "separate", "fused", "deferred"};
  if (const int at = wordIndex(in, kWords); at >= 0) s.accumulate = static_cast<ir::Accumulate>(at);
}

/// `recipes = [fp8_tensor, mxfp8]`.
void recipes(D& d, In& in) {
  static const TypeInfo kList{.kind = TypeInfo::Kind::List, .name = "list"};
  const Value v = in.ev->coerce(in.tree->value(*in.node, &kList), kList, "`recipes`");
  if (v.invalid()) return;
  d.recipes.clear();
  for (const Value& item : v.list->items) {
    if (item.invalid()) return;
    if (item.kind == ValueKind::DType && ir::isRecipe(item.dtype)) {
      d.recipes.push_back(item.dtype);
      continue;
    }
    std::string words;
    for (ir::DType t : ir::allDTypes())
      if (ir::isRecipe(t)) words += fmt::format("{}`{}`", words.empty() ? "" : ", ", ir::name(t));
    in.ev->context.report(UnknownWord, item.range, {{"fact", "recipes"}, {"words", words}, {"word", show(item)}});
    return;
  }
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
#define CURVE(T, FIELD) [](T& t, In& in) { t.FIELD = in.curve; }
#define TRUTH(T, FIELD) [](T& t, In& in) { t.FIELD = in.truth; }
/// A product of attention whose result stands in memory.
#define PRODUCT(NAME)                                                                                                  \
  {"calibration." #NAME ".memory_efficiency",                                                                          \
   {},                                                                                                                 \
   ranges::kEfficiency,                                                                                                \
   FactForm::Number,                                                                                                   \
   StarKey::None,                                                                                                      \
   SET(D, NAME.memoryEfficiency),                                                                                      \
   Unit{}},                                                                                                            \
      {"calibration." #NAME ".backward",                                                                               \
       {},                                                                                                             \
       ranges::kFactor,                                                                                                \
       FactForm::Number,                                                                                               \
       StarKey::None,                                                                                                  \
       SET(D, NAME.backward),                                                                                          \
       Unit{}},                                                                                                        \
  {                                                                                                                    \
    "calibration." #NAME ".size", {}, ranges::kRelative, FactForm::Curve, StarKey::None, CURVE(D, NAME.size),          \
        units::bytes                                                                                                   \
  }
#define ACCURACY(FIELD) [](S& s, In& in) { accuracyOf(s.accuracy, in).FIELD = in.number.value; }

const std::vector<FactRow<D>>& deviceRows() {
  static const std::vector<FactRow<D>> rows{
      {"platform", {}, ranges::kAny, FactForm::Text, StarKey::None, [](D& d, In& in) { d.platform = in.text; }},
      {"memory", units::bytes, ranges::kSize, FactForm::Number, StarKey::None, SET(D, memory)},
      {"bandwidth", units::bandwidth, ranges::kBandwidth, FactForm::Number, StarKey::None, SET(D, bandwidth)},
      {"power", units::power, ranges::kPower, FactForm::Number, StarKey::None, SET(D, power)},
      {"price", units::price, ranges::kPrice, FactForm::Number, StarKey::None, SET(D, price)},
      {"recipes", {}, ranges::kAny, FactForm::Custom, StarKey::None, recipes},
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
      PRODUCT(scores),
      PRODUCT(context),
      {"calibration.attention.forward", units::rate, ranges::kRate, FactForm::Curve, StarKey::None,
       CURVE(D, attention.forward)},
      {"calibration.attention.forward.rate", units::rate, ranges::kRate, FactForm::Curve, StarKey::None,
       CURVE(D, attention.forward)},
      {"calibration.attention.head", {}, ranges::kRelative, FactForm::Curve, StarKey::None, CURVE(D, attention.head)},
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
      {"host.memory_bandwidth", units::bandwidth, ranges::kBandwidth, FactForm::Number, StarKey::None,
       SET(D, host.memoryBandwidth)},
      {"host.update_efficiency",
       {},
       ranges::kEfficiency,
       FactForm::Number,
       StarKey::None,
       SET(D, host.updateEfficiency)},
  };
  return rows;
}

const std::vector<FactRow<F>>& fabricRows() {
  static const std::vector<FactRow<F>> rows{
      {"all_reduce",
       {},
       ranges::kAny,
       FactForm::Custom,
       StarKey::None,
       [](F& f, In& in) { readSamples(f.allReduce, in); }},
      {"all_gather",
       {},
       ranges::kAny,
       FactForm::Custom,
       StarKey::None,
       [](F& f, In& in) { readSamples(f.allGather, in); }},
      {"reduce_scatter",
       {},
       ranges::kAny,
       FactForm::Custom,
       StarKey::None,
       [](F& f, In& in) { readSamples(f.reduceScatter, in); }},
      {"all_to_all",
       {},
       ranges::kAny,
       FactForm::Custom,
       StarKey::None,
       [](F& f, In& in) { readSamples(f.allToAll, in); }},
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
       CURVE(S, passes[in.star].forwardRow)},
      {"passes.*.backward_row",
       {},
       ranges::kFactor,
       FactForm::Curve,
       StarKey::Name,
       CURVE(S, passes[in.star].backwardRow)},
      {"inline.*", {}, ranges::kShare, FactForm::Number, StarKey::Class, SET(S, blockingShare[in.cls])},
      {"receive", {}, ranges::kShare, FactForm::Number, StarKey::None, SET(S, receive)},
      {"slowdown", {}, ranges::kShare, FactForm::Number, StarKey::None, SET(S, slowdown)},
      {"optimizer.*", units::bytes, ranges::kBytes, FactForm::Number, StarKey::Name, SET(S, optimizer[in.star]),
       Unit{}},
      {"optimizer_tensor.*", units::time, ranges::kTime, FactForm::Number, StarKey::Name,
       SET(S, optimizerTensor[in.star])},
      {"table_gradient", units::bytes, ranges::kBytes, FactForm::Number, StarKey::None, SET(S, tableGradient)},
      {"grouped", {}, ranges::kRelative, FactForm::Curve, StarKey::None, CURVE(S, grouped)},
      {"grouped.efficiency", {}, ranges::kRelative, FactForm::Curve, StarKey::None, CURVE(S, grouped)},
      {"grouped_kernel", {}, ranges::kAny, FactForm::Bool, StarKey::None, TRUTH(S, groupedKernel)},
      {"exchange_copies", {}, ranges::kAny, FactForm::Bool, StarKey::None, TRUTH(S, exchangeCopies)},
      {"exchange_pipelined", {}, ranges::kAny, FactForm::Bool, StarKey::None, TRUTH(S, exchangePipelined)},
      {"attention.factor", {}, ranges::kRelative, FactForm::Number, StarKey::None, SET(S, attentionFactor)},
      {"attention.backward", {}, ranges::kFactor, FactForm::Number, StarKey::None, SET(S, attentionBackward)},
      {"attention.head", {}, ranges::kRelative, FactForm::Curve, StarKey::None, CURVE(S, attentionHead)},
      {"launch", units::time, ranges::kTime, FactForm::Number, StarKey::None, SET(S, launch)},
      {"collective_launch.*", units::time, ranges::kTime, FactForm::Number, StarKey::Class,
       SET(S, collectiveLaunch[in.cls])},
      {"grouped_launch", units::time, ranges::kTime, FactForm::Number, StarKey::None, SET(S, groupedLaunch)},
      {"waits", {}, ranges::kAny, FactForm::Bool, StarKey::None, TRUTH(S, waits)},
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
      {"early_stop", {}, ranges::kAny, FactForm::Bool, StarKey::None, TRUTH(S, earlyStop)},
      {"accuracy.runs", {}, ranges::kSome, FactForm::Count, StarKey::None, ACCURACY(runs)},
      {"accuracy.sources", {}, ranges::kSome, FactForm::Count, StarKey::None, ACCURACY(sources)},
      {"accuracy.low", {}, ranges::kRelative, FactForm::Number, StarKey::None, ACCURACY(low)},
      {"accuracy.high", {}, ranges::kRelative, FactForm::Number, StarKey::None, ACCURACY(high)},
      {"accuracy.derived", {}, ranges::kError, FactForm::Number, StarKey::None, ACCURACY(derived)},
      {"accuracy.fitted", {}, ranges::kError, FactForm::Number, StarKey::None, ACCURACY(fitted)},
      {"accuracy.nominal", {}, ranges::kError, FactForm::Number, StarKey::None, ACCURACY(nominal)},
      {"accuracy.distance", {}, ranges::kError, FactForm::Number, StarKey::None, ACCURACY(distance)},
      {"accuracy.ratio.same_mesh", {}, ranges::kSurcharge, FactForm::Number, StarKey::None, ACCURACY(ratioSameMesh)},
      {"accuracy.ratio.other_mesh", {}, ranges::kSurcharge, FactForm::Number, StarKey::None, ACCURACY(ratioOtherMesh)},
      {"workspace", units::bytes, ranges::kBytes, FactForm::Number, StarKey::None, SET(S, workspace)},
      {"fragmentation", {}, ranges::kSurcharge, FactForm::Number, StarKey::None, SET(S, fragmentation)},
      {"reserved", units::bytes, ranges::kBytes, FactForm::Number, StarKey::None, SET(S, reserved)},
      {"copies.buckets", {}, ranges::kAny, FactForm::Bool, StarKey::None, TRUTH(S, copies.buckets)},
      {"copies.update", {}, ranges::kAny, FactForm::Bool, StarKey::None, TRUTH(S, copies.update)},
      {"copies.gathers", {}, ranges::kAny, FactForm::Bool, StarKey::None, TRUTH(S, copies.gathers)},
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
      {"own_port", {}, ranges::kAny, FactForm::Bool, StarKey::None, TRUTH(L, ownPort)},
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
      {"price", units::price, ranges::kPrice, FactForm::Number, StarKey::None, SET(ir::Cluster, price)},
      {"host_power", units::power, ranges::kPower, FactForm::Number, StarKey::None, SET(ir::Cluster, hostPower)},
      {"storage", units::bandwidth, ranges::kBandwidth, FactForm::Number, StarKey::None, SET(ir::Cluster, storage)},
  };
  return rows;
}

#undef SET
#undef PRODUCT
#undef CURVE
#undef TRUTH
#undef ACCURACY

std::span<const std::string_view> calibratedFacts(DeclKind kind) {
  static constexpr std::array<std::string_view, 3> kDevice{"calibration", "host.bandwidth", "host.update_efficiency"};
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
  report.meant(word, words);
  return -1;
}

} // namespace planc::frontend
