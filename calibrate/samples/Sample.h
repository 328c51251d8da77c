// Measured times of operators and collectives. Every reader produces the same flat list, in base units.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/layout/Layout.h"
#include "ir/model/DType.h"
#include "support/Source.h"
#include "support/Symbol.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace planc::calibrate {

/// The kind of call that was timed; it determines the equation of a sample (docs/cost-model.md, sections 1 and 2).
enum class Kind { Gemm, GroupedGemm, Attention, Scores, Context, Memory, Lookup, Optimizer, Collective, Step };
inline constexpr int kKinds = 10;

/// Extents of what was timed. Extents that a kind does not use stay 0.
enum class Extent {
  Batch,   ///< gemm: independent products; grouped_gemm: experts; attention: sequences
  M,       ///< gemm: rows of the result; grouped_gemm: tokens per expert
  N,       ///< columns of the result
  K,       ///< length of the sum
  Heads,   ///< attention: query heads
  Seq,     ///< attention: queries
  KvSeq,   ///< attention: keys
  HeadDim, ///< attention: elements per head
  Causal,  ///< attention: 1 if half of the keys is masked, else 0
  Bytes,   ///< memory: of the first operand; lookup: of the result; collective: of the full tensor
  Table,   ///< lookup: elements of the local table, whose gradient the backward pass writes
  Params,  ///< optimizer: updated parameters
  Tensors, ///< optimizer: tensors that hold the parameters
  Row,     ///< memory: elements of the first operand's last dimension
  Ranks,   ///< collective: ranks of the group
  Nodes,   ///< collective: hosts of the group as read; units of the part after countUnits (Units.h)
};
inline constexpr int kExtents = 16;

/// One measured point.
struct Sample {
  Kind kind = Kind::Memory;
  Symbol name; ///< operator of the library (`layer_norm`), collective (`all_reduce`), optimizer (`adam`)
  ir::DType dtype = ir::DType::bf16; ///< type of the operands; for an optimizer, of the parameters and their states
  std::array<double, kExtents> extents{};
  double forward = 0, backward = 0; ///< seconds; 0: not measured. One-directional kinds use `forward`
  double ranksOnHost = 0;           ///< collective: ranks of its run on one host; 0: `ranks` / `nodes`
  bool uneven = false;              ///< collective: its units hold different numbers of ranks (Units.h)
  uint32_t series = 0;              ///< index into `Samples::series`
  std::vector<double> at;           ///< values of the series' axes, in their order
  SourceRange range;                ///< its line in the file

  double operator[](Extent e) const { return extents[static_cast<size_t>(e)]; }
  double& operator[](Extent e) { return extents[static_cast<size_t>(e)]; }
};

/// The points of one run of one benchmark, which the checks examine together.
struct Series {
  std::string label;  ///< name in the file: `linear2`
  std::string device; ///< name in the file: `NVIDIAA100-SXM4-80GB`; empty if it gives none
  FileId file;
  std::vector<std::string> axes; ///< names of the varied columns
  bool elements = false;         ///< the format counts message sizes in elements, without saying so
  bool sustained = false;        ///< taken at the clocks of long training, not in short bursts
  bool profiled = false;         ///< from a profile: counts as sustained unless its products ran at full clocks
};

/// All samples that were read. Notes say what was skipped, and which conventions of a format were assumed.
struct Samples {
  std::vector<Series> series;
  std::vector<Sample> samples;
  std::vector<std::string> notes;
};

/// A kind with its name in tables and messages, and its extents.
struct KindRow {
  Kind kind;
  std::string_view name;            ///< `gemm`
  std::vector<Extent> needs, takes; ///< required extents, and extents with a default
  std::string_view names;           ///< description of a sample's `name`
  bool oneWay = false;              ///< has no backward pass
  bool has(Extent e) const;
};
const KindRow& rowOf(Kind kind);
std::span<const KindRow> kindRows();
std::optional<Kind> parseKind(std::string_view name);

/// Returns the collectives that can be sampled.
std::span<const ir::CollectiveKind> sampledCollectives();
/// Returns the collective that a sample's `name` denotes; nothing for other words.
std::optional<ir::CollectiveKind> parseCollective(std::string_view name);

/// Returns `head_dim`.
std::string_view name(Extent e);
std::optional<Extent> parseExtent(std::string_view name);
/// Fills optional extents that a file does not give: one batch, one node, as many keys as queries.
void fillDefaults(Sample& sample);
/// Returns `gemm of 2048 x 5632 x 16896`, for messages and outliers.
std::string shapeText(const Sample& sample);

} // namespace planc::calibrate
