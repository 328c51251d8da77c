// The table of kinds of samples and their extents.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/samples/Sample.h"

#include "ir/model/Model.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::calibrate {

namespace {

using E = Extent;

constexpr std::array<std::string_view, kExtents> kExtentNames{
    "batch",  "m",     "n",     "k",      "heads",   "seq", "kv_seq", "head_dim",
    "causal", "bytes", "table", "params", "tensors", "row", "ranks",  "nodes"};

/// Rows in the order of the enumeration.
const std::array<KindRow, kKinds>& rows() {
  static const std::array<KindRow, kKinds> table{{
      {Kind::Gemm, ir::name(ir::OpKind::Gemm), {E::M, E::N, E::K}, {E::Batch}, "an operator: `linear`"},
      {Kind::GroupedGemm,
       ir::name(ir::OpKind::GroupedGemm),
       {E::Batch, E::M, E::N, E::K},
       {},
       "an operator: `grouped_linear`"},
      {Kind::Attention,
       ir::name(ir::OpKind::Attention),
       {E::Batch, E::Heads, E::Seq, E::HeadDim},
       {E::KvSeq, E::Causal},
       "an operator: `attention`"},
      {Kind::Scores,
       ir::name(ir::OpKind::Scores),
       {E::Batch, E::Heads, E::Seq, E::HeadDim},
       {E::KvSeq},
       "an operator: `scores`"},
      {Kind::Context,
       ir::name(ir::OpKind::Context),
       {E::Batch, E::Heads, E::Seq, E::HeadDim},
       {E::KvSeq},
       "an operator: `context`"},
      {Kind::Memory, "memory", {E::Bytes}, {E::Row}, "an operator: `layer_norm`, `gelu`, `add`, `cross_entropy`"},
      {Kind::Lookup, "lookup", {E::Bytes}, {E::Table}, "an operator: `lookup`"},
      {Kind::Optimizer, "optimizer", {E::Params}, {E::Tensors}, "an optimizer: `adam`", true},
      {Kind::Collective,
       "collective",
       {E::Bytes, E::Ranks},
       {E::Nodes},
       "a collective: `all_reduce`, `all_gather`, `reduce_scatter`, `all_to_all`, `send_recv`",
       true},
      {Kind::Step, "step", {}, {}, "a plan"},
  }};
  return table;
}

} // namespace

const KindRow& rowOf(Kind kind) {
  return rows()[static_cast<size_t>(kind)];
}

bool KindRow::has(Extent e) const {
  return std::count(needs.begin(), needs.end(), e) + std::count(takes.begin(), takes.end(), e) > 0;
}

std::span<const KindRow> kindRows() {
  return rows();
}

std::optional<Kind> parseKind(std::string_view name) {
  for (const KindRow& row : rows())
    if (row.name == name) return row.kind;
  return std::nullopt;
}

std::span<const ir::CollectiveKind> sampledCollectives() {
  using enum ir::CollectiveKind;
  static constexpr std::array<ir::CollectiveKind, 5> kSampled{AllReduce, AllGather, ReduceScatter, AllToAll, SendRecv};
  return kSampled;
}

std::optional<ir::CollectiveKind> parseCollective(std::string_view name) {
  for (const ir::CollectiveKind kind : sampledCollectives())
    if (ir::name(kind) == name) return kind;
  return std::nullopt;
}

std::string_view name(Extent e) {
  return kExtentNames[static_cast<size_t>(e)];
}

std::optional<Extent> parseExtent(std::string_view name) {
  for (size_t i = 0; i < kExtents; ++i)
    if (kExtentNames[i] == name) return static_cast<Extent>(i);
  return std::nullopt;
}

void fillDefaults(Sample& sample) {
  auto fill = [&](Extent e, double value) {
    if (sample[e] == 0) sample[e] = value;
  };
  if (sample.kind == Kind::Gemm) fill(E::Batch, 1);
  if (sample[E::Seq] > 0) fill(E::KvSeq, sample[E::Seq]);
  if (sample.kind == Kind::Collective) fill(E::Nodes, 1);
}

std::string shapeText(const Sample& sample) {
  std::string text(sample.name.view());
  for (size_t i = 0; i < kExtents; ++i)
    if (sample.extents[i] > 0)
      text +=
          fmt::format("{}{} {:.10g}", text == sample.name.view() ? " of " : ", ", kExtentNames[i], sample.extents[i]);
  return text;
}

} // namespace planc::calibrate
