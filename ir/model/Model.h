// Level `model`: logical operators over named dimensions, folded repeats, parameters. No devices, no layouts.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/model/DType.h"
#include "ir/model/LayerRef.h"
#include "ir/model/Poly.h"
#include "support/Ids.h"
#include "support/Indexed.h"
#include "support/Shared.h"
#include "support/Source.h"
#include "support/Symbol.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace planc::ir {

// ---- dimensions -------------------------------------------------------------

enum class DimKind {
  Basic,
  Routed, ///< stands for `parts` (slots for batch, seq): extent = scale · Π extents of parts; placed like its parts
  Following, ///< placed like `parts[0]` (an index is placed like its row)
  Pooled,    ///< each element stands for `1 / scale` neighbours of `parts[0]`, in order; placed like it
};

/// A named extent. The same name with different extents makes different dims; an operator may hold only one of them.
struct Dim {
  Symbol name;
  int64_t extent =
      0; ///< `batch` is bound from the workload by the frontend and can be bound again by passes::bindWorkload
  DimKind kind = DimKind::Basic;
  std::vector<DimId> parts;
  double scale = 1;  ///< Routed; Pooled: 1 / the number of elements that one stands for
  DimId chosen = {}; ///< Routed only: the dim from which the data chooses (experts)
  double skew =
      1; ///< Routed only: load of the busiest device over the mean if `chosen` is split (bound from the workload)
  double capacity =
      0; ///< Routed only: slots kept per slot that balanced routing fills, so no skew; 0: every slot is kept
  /// Whether neighbours stay neighbours when the dim is split: data decides what lies where for the other kinds.
  bool ordered() const { return kind == DimKind::Basic || kind == DimKind::Pooled; }
  bool operator==(const Dim&) const = default;
};

/// `dim heads = kv_heads * group`: a rule on the name is a rule on the factors, major first.
struct Composite {
  Symbol name;
  std::vector<DimId> factors;
  SourceRange range;
};
using CompositeId = Id<Composite>;

// ---- values -----------------------------------------------------------------

struct Value;
struct Op;
struct Layer;
struct Region;
using ValueId = Id<Value>;
using OpId = Id<Op>;
using LayerId = Id<Layer>;
using RegionId = Id<Region>;

enum class ValueKind { Input, Param, Result };

struct Value {
  Symbol name;              ///< last step of its path
  std::vector<Symbol> path; ///< `decoder.attn.wq`, `decoder.mid`
  ValueKind kind = ValueKind::Result;
  std::vector<DimId> dims;
  std::optional<DType>
      dtype; ///< declared; else the dtype of activations (params: of parameters) in the precision at its place
  uint32_t precision = 0;    ///< precision at its place: index into Program::precisions; 0: the plan's
  OpId producer;             ///< Result
  LayerId layer;             ///< layer that declares it; invalid for inputs
  RegionId region;           ///< Param: the repeat with one copy of it per instance; invalid at the top
  bool trainable = false;    ///< Param, not frozen
  ValueId storage;           ///< Param: the parameter whose storage it shares (`tied`), itself otherwise
  std::vector<DimId> counts; ///< Input: dims whose product is its tokens per sample; empty: it counts no tokens
  SourceRange range;
};

// ---- operators --------------------------------------------------------------

/// The closed list of equations (docs/cost-model.md, section 1), and two structural kinds without cost.
enum class OpKind {
  Gemm,
  GroupedGemm,
  Scores,
  Context,
  Attention,
  Memory,
  Lookup,
  Permute,
  Carry, ///< identity at the path of a repeat: the first and last operator of its instances
  Cast,  ///< inserted by passes::insertCasts if an operand is wider than precision.compute
};
std::string_view name(OpKind k);
std::optional<OpKind> parseOpKind(std::string_view text); ///< accepts only the kinds that a `.plan` may name
bool isContraction(OpKind k);
bool isAttention(OpKind k); ///< attention in one kernel, or one of its two products: work over pairs of positions
bool isProduct(OpKind k);   ///< a contraction, or a product of attention

struct Operand {
  ValueId value;
  std::vector<DimId> dims; ///< the operator's own dimension for each dimension of the value (kv_seq for seq)
  bool detached = false;   ///< the operator says that no gradient flows to it
};

/// One thing that the forward pass keeps for backward.
struct Save {
  enum class What { Operand, Result, Buffer } what = What::Operand;
  int operand = -1;
  Symbol buffer; ///< Buffer: its name (`mask`)
  Poly bytes;    ///< Buffer: its size
};

/// Statistics over a dimension. If the dimension is split, they need `values` all-reduces in forward and `backward` in
/// backward, each of one fp32 per remaining element.
struct Reduce {
  DimId dim;
  int values = 0;
  int backward = 0;
};

/// An operator of the backward pass that replaces the derived one. It computes the gradients of `operands`.
struct BackwardSpec {
  std::vector<int> operands;
  std::optional<Poly> flops, reads, writes;
};

/// The possible places of an element's copies form `groups` equal groups, in order. Its copies reach at most `limit`
/// groups.
struct GroupLimit {
  double groups = 1, limit = 1;
  /// The most units that the copies reach, if `units` units hold the places in equal parts and in order.
  double units(double units) const { return limit * std::max(1.0, units / groups); }
};

/// The document of a sequence whose tokens attend to the most keys.
struct LongestDocument {
  double share = 1; ///< like `Op::share`, for the tokens of this document only
  double span = 1;  ///< fraction of the sequence that it fills
};

struct Op {
  std::vector<Symbol> path;
  Symbol name; ///< of the declaration (`layer_norm`): the key in stack.passes and precision
  OpKind kind = OpKind::Memory;
  uint32_t precision = 0; ///< precision at its place: index into Program::precisions; 0: the plan's
  Indexed<Operand> operands;
  ValueId result;
  std::vector<DimId> dims; ///< iteration space: operands' dims in order of appearance, then the result's
  std::vector<DimId> resultDims;
  Poly flops;       ///< without any mask
  double share = 1; ///< fraction of the FLOPs that a mask leaves
  double lastShare =
      0; ///< `share` at the last position, to which it rises linearly (causal: 1, mean 1/2); 0: equal to the mean
  double countedShare = 1; ///< fraction of the FLOPs that model FLOPs count: the masked half of a causal mask, too
  /// Fraction of position pairs that lie inside of one packed document. Fused attention computes only these pairs, and
  /// its `flops` count only these; scores and context compute all pairs. `share` and `lastShare` are fractions of these
  /// pairs.
  double packed = 1;
  std::optional<LongestDocument> longest; ///< the longest packed document; `lastShare` refers to its end
  std::optional<Poly> reads, writes;
  std::vector<Save> saves;
  std::vector<Reduce> reduces;
  std::vector<BackwardSpec> backwards;
  std::vector<DimId> along;
  std::vector<DimId> contest;
  std::vector<DimId>
      pools; ///< pooled dims that it computes from their parts, or the parts from them, element by element
  std::optional<Poly> copies;
  GroupLimit groupLimit;               ///< limits the groups that the copies reach
  double capacity = 0;                 ///< slots kept per slot that balanced routing fills; 0: every slot is kept
  bool linear = false;                 ///< maps a sum to the sum of the results, so pending sums may pass through it
  DimId queries, keys;                 ///< Attention: its two sequence dims; it sums over the keys
  std::vector<DimId> inside;           ///< contracted inside the kernel, before its nonlinear part
  Poly headSize;                       ///< Attention: width of a head, an input of the devices' curves
  int bias = -1;                       ///< contractions: index of the operand added in the epilogue, or -1
  std::vector<CompositeId> composites; ///< in scope, innermost block last
  LayerId layer;
  RegionId region;
  SourceRange range; ///< where the model calls it
};

// ---- structure --------------------------------------------------------------

/// A repeat inside of a layer, or a top-level repeat.
struct Region {
  std::vector<Symbol> path;
  int64_t count = 1;
  RegionId parent;
  SourceRange range;
};

/// A value carried from one instance of a top-level repeat to the next, through `carry` operators.
struct Carry {
  Symbol name;
  ValueId initial; ///< the value before the repeat
  ValueId inside;  ///< result of the carry operator that begins an instance (its operand is `initial`)
  ValueId last;    ///< result of the carry operator that ends an instance; users after the repeat read it
};

/// A top-level layer, in dataflow order: a plain layer, or a repeat of `count` equal instances. If stage boundaries cut
/// an instance of a repeat (passes::openRepeats), the instances before it and after it become layers of their own
/// (pieces), and so does each part of the cut instance.
struct Layer {
  Symbol name;
  bool repeat = false;
  int64_t count = 1;
  int64_t from = 0;     ///< index of its first instance in the whole repeat, as selectors count
  int64_t of = 0;       ///< pieces and parts: number of instances of the whole repeat
  Symbol within;        ///< parts: the repeat whose instance is cut
  int64_t instance = 0; ///< parts: index of the cut instance
  RegionId region;      ///< repeat only
  OpId first, end;      ///< its operators: [first, end)
  std::vector<Carry> carries;
  SourceRange range;

  bool isPart() const { return !within.empty(); }
  /// Returns whether it is a repeat or belongs to an instance of a repeat.
  bool repeated() const { return repeat || isPart(); }
  /// One past the index of the last instance.
  int64_t to() const { return from + count; }
  /// Number of instances of the whole repeat; 1 for a plain layer.
  int64_t wholeCount() const { return of > 0 ? of : count; }
  /// Returns whether every instance in the step's slice exists in the whole repeat.
  bool has(const LayerStep& step) const;
  /// The instances of the model's top-level repeat that contain these instances of the layer.
  RangeSet atTop(const RangeSet& instances) const;
  /// The path of its operators: `decoder`, `decoder.local`.
  std::vector<Symbol> path() const;
  /// `decoder`; `decoder[0:3]` for a piece; `decoder[3].local` for a part.
  LayerRef ref() const;
  /// A reference to some instances of the repeat.
  LayerRef ref(const RangeSet& instances) const;
};

struct Model {
  Symbol name;
  Store<Dim> dims;
  Store<Composite> composites;
  // Most copies of a model differ only in other extents, so these lists are shared.
  SharedList<Store<Value>> values;
  SharedList<Store<Op>> ops;
  SharedList<Store<Region>> regions;
  SharedList<Store<Layer>> layers;
  std::vector<ValueId> inputs;
  std::vector<ValueId> params;
  ValueId loss;                ///< the value of the model itself that is named `loss`; invalid if there is none
  std::vector<ValueId> losses; ///< `loss` and the values of that name in layers and blocks: backward begins at each

  /// The dim of that name and extent. Creates it on the first call.
  DimId dim(Symbol name, int64_t extent);
  std::string pathOf(OpId op) const;
  std::string pathOf(ValueId value) const;
  /// Whether a gradient of the result becomes a gradient of the operand. Integers and booleans have none, and an
  /// operator may detach an operand.
  bool passesGradient(const Op& op, const Operand& operand) const;
  bool isLoss(ValueId value) const;
  /// The value in whose storage a value lies: that of the operand if its operator moves nothing and keeps the shape.
  ValueId storageOf(ValueId value) const;
  /// The dim for which the operator holds the same element range as for `dim`: `parts` of a routed dim, and of a pooled
  /// dim unless the operator works on pairs of both (a query and pooled keys).
  bool standsForParts(const Op& op, DimId dim) const;
  /// By value: whether a loss depends on it through operands that pass gradients. The next instance of a repeat reads
  /// a carried value.
  std::vector<bool> reachesLoss() const;
  /// Product of the counts of `region` and of the regions around it.
  int64_t times(RegionId region) const;
  /// Number of parameters, all instances included. Shared storage is counted once.
  double parameterCount() const;
  /// The dimensions that inputs count as tokens, each once.
  std::vector<DimId> countedDims() const;
  /// Tokens of one sample, summed over the inputs that count tokens; nullopt if no input counts tokens.
  std::optional<double> tokensPerSample() const;
};

std::string join(const std::vector<Symbol>& path);

/// Text form of a model module.
std::string print(const Model& model);
/// Checks the rules of this level: dimensions agree, every operand is defined before its use, repeats > 0, regions
/// nest. Returns the errors; empty if the model is valid.
std::vector<std::string> verify(const Model& model);

} // namespace planc::ir
