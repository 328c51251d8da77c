// Measured times of operators and collectives as every reader of sample files leaves them: one flat list, in base
// units.
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

/// What was timed; the equation of a sample follows from it (docs/cost-model.md, sections 1 and 2).
enum class Kind { Gemm, GroupedGemm, Attention, Scores, Context, Memory, Lookup, Optimizer, Collective, Step };
inline constexpr int kKinds = 10;

/// Extents of what was timed. Those that a kind has no use for stay 0.
enum class Extent {
  Batch,   ///< gemm: independent products; grouped_gemm: experts; attention: sequences
  M,       ///< gemm: rows of the result; grouped_gemm: tokens per expert
  N,       ///< columns of the result
  K,       ///< summed over
  Heads,   ///< attention: query heads
  Seq,     ///< attention: queries
  KvSeq,   ///< attention: keys
  HeadDim, ///< attention: elements per head
  Causal,  ///< attention: 1 if half of the keys is masked, else 0
  Bytes,   ///< memory: of the first operand; lookup: of the result; collective: of the full tensor
  Table,   ///< lookup: elements of the local table, whose gradient backward writes
  Params,  ///< optimizer: parameters that are updated
  Tensors, ///< optimizer: tensors that they stand in
  Row,     ///< memory: elements of the first operand's last dimension
  Ranks,   ///< collective: of the group
  Nodes,   ///< collective: hosts that the group lies in, as read; units of the part once they are counted (Units.h)
};
inline constexpr int kExtents = 16;

/// One measured point.
struct Sample {
  Kind kind = Kind::Memory;
  Symbol name; ///< operator of the library (`layer_norm`), collective (`all_reduce`), optimizer (`adam`)
  ir::DType dtype = ir::DType::bf16; ///< of the operands; of an update the parameters and their states
  std::array<double, kExtents> extents{};
  double forward = 0, backward = 0; ///< seconds; 0: not measured. What has one direction only stands in `forward`
  double ranksOnHost = 0;           ///< collective: ranks of its run on one host; 0: `ranks` over `nodes`
  bool uneven = false;              ///< collective: its units hold different numbers of its ranks (Units.h)
  uint32_t series = 0;              ///< index into `Samples::series`
  std::vector<double> at;           ///< the series' axes at this point, in their order
  SourceRange range;                ///< its line

  double operator[](Extent e) const { return extents[static_cast<size_t>(e)]; }
  double& operator[](Extent e) { return extents[static_cast<size_t>(e)]; }
};

/// Points that one run of one benchmark left: what the checks look at as a whole.
struct Series {
  std::string label;  ///< as the file calls it: `linear2`
  std::string device; ///< as the file calls it: `NVIDIAA100-SXM4-80GB`; empty if it does not
  FileId file;
  std::vector<std::string> axes; ///< names of the columns that were varied
  bool elements = false;         ///< the format counts sizes of messages in elements, and says so nowhere
  bool sustained = false;        ///< taken at the clocks of long training, and not in bursts
  bool profiled = false;         ///< of a program that ran: sustained unless its products are at full clocks
};

/// Everything that was read. Notes say what was skipped and which conventions of a format were taken.
struct Samples {
  std::vector<Series> series;
  std::vector<Sample> samples;
  std::vector<std::string> notes;
};

/// A kind as tables and messages call it, and the extents that it cannot do without.
struct KindRow {
  Kind kind;
  std::string_view name;            ///< `gemm`
  std::vector<Extent> needs, takes; ///< `takes`: those with a default
  std::string_view names;           ///< what `name` of a sample says, for people
  bool oneWay = false;              ///< it has no backward pass
  bool has(Extent e) const;
};
const KindRow& rowOf(Kind kind);
std::span<const KindRow> kindRows();
std::optional<Kind> parseKind(std::string_view name);

/// Collectives that can be sampled.
std::span<const ir::CollectiveKind> sampledCollectives();
/// The one of them that `name` of a sample says; nothing for other words.
std::optional<ir::CollectiveKind> parseCollective(std::string_view name);

/// `head_dim`.
std::string_view name(Extent e);
std::optional<Extent> parseExtent(std::string_view name);
/// What an optional extent is where a file does not give it: one batch, one node, as many keys as queries.
void fillDefaults(Sample& sample);
/// `gemm of 2048 x 5632 x 16896`, for messages and outliers.
std::string shapeText(const Sample& sample);

} // namespace planc::calibrate
