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
  Routed, ///< stands for `parts` (slots for batch, seq): extent = scale · Π extents of parts, placed where they are
  Following, ///< goes where `parts[0]` goes (an index goes where its row is)
};

/// A named extent. Two dims of one name and different extents are two dims; an operator may hold only one of them.
struct Dim {
  Symbol name;
  int64_t extent =
      0; ///< `batch` is bound from the workload by the frontend and can be bound again by passes::bindWorkload
  DimKind kind = DimKind::Basic;
  std::vector<DimId> parts;
  double scale = 1;  ///< Routed only
  DimId chosen = {}; ///< Routed only: the dim that the data chooses along (experts)
  double skew =
      1; ///< Routed only: load of the busiest device over the mean, where `chosen` is split (bound from the workload)
  double capacity =
      0; ///< Routed only: slots kept per slot that balanced routing fills, so no skew; 0: as many as arrive
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
      dtype;                 ///< declared; else the activations' (params: the parameters') dtype of the precision there
  uint32_t precision = 0;    ///< that holds there: an index into Program::precisions; 0: the plan's
  OpId producer;             ///< Result
  LayerId layer;             ///< where it is declared; inputs: none
  RegionId region;           ///< Param: the repeat that it has a copy for each instance of; none at the top
  bool trainable = false;    ///< Param, not frozen
  ValueId storage;           ///< Param: the parameter whose storage it shares (`tied`), itself otherwise
  std::vector<DimId> counts; ///< Input: the dimensions whose product is its tokens per sample; none: it counts none
  SourceRange range;
};

// ---- operators --------------------------------------------------------------

/// The closed list of equations (docs/cost-model.md, section 1) and two structural kinds that cost nothing.
enum class OpKind {
  Gemm,
  GroupedGemm,
  Scores,
  Context,
  Attention,
  Memory,
  Lookup,
  Permute,
  Carry, ///< identity at the path of a repeat: first and last of its instances
  Cast,  ///< inserted by passes::insertCasts where an operand is wider than precision.compute
};
std::string_view name(OpKind k);
std::optional<OpKind> parseOpKind(std::string_view text); ///< only those a `.plan` may name
bool isContraction(OpKind k);
bool isAttention(OpKind k); ///< attention in one kernel, or one of its two products: over pairs of positions
bool isProduct(OpKind k);   ///< a contraction, or a product of attention

struct Operand {
  ValueId value;
  std::vector<DimId> dims; ///< the operator's own dimension for each dimension of the value (kv_seq for seq)
};

/// What backward keeps.
struct Save {
  enum class What { Operand, Result, Buffer } what = What::Operand;
  int operand = -1;
  Symbol buffer; ///< Buffer: its name (`mask`)
  Poly bytes;    ///< Buffer: its size
};

/// Statistics over a dimension: where it is placed, `values` forward and `backward` backward all-reduces of one fp32
/// per remaining element.
struct Reduce {
  DimId dim;
  int values = 0;
  int backward = 0;
};

/// An operator of the backward pass that is not the derived one; it gives the gradients of `operands`.
struct BackwardSpec {
  std::vector<int> operands;
  std::optional<Poly> flops, reads, writes;
};

/// The places that copies of an element go to stand in `groups` equal groups, in order; its copies reach `limit` of
/// them at most.
struct GroupLimit {
  double groups = 1, limit = 1;
  /// Of `layers` that hold the places in equal parts and in order: how many the copies reach at most.
  double units(double units) const { return limit * std::max(1.0, units / groups); }
};

/// The document of a sequence whose tokens attend to the most keys.
struct LongestDocument {
  double share = 1; ///< as `Op::share`, of the tokens of this document alone
  double span = 1;  ///< part of the sequence that it fills
};

struct Op {
  std::vector<Symbol> path;
  Symbol name; ///< of the declaration (`layer_norm`): the key of stack.passes and precision
  OpKind kind = OpKind::Memory;
  uint32_t precision = 0; ///< that holds there: an index into Program::precisions; 0: the plan's
  Indexed<Operand> operands;
  ValueId result;
  std::vector<DimId> dims; ///< iteration space: operands' dims in order of appearance, then the result's
  std::vector<DimId> resultDims;
  Poly flops;       ///< without any mask
  double share = 1; ///< what a mask leaves of them
  double lastShare =
      0; ///< idem, of the last position, to which it rises linearly (causal: 1, mean 1/2); 0: as the mean
  /// Of the pairs of positions, those inside of one packed document. A fused attention computes no others, so its
  /// `flops` count no others; scores and context compute all. `share` and `lastShare` are parts of what is left.
  double packed = 1;
  std::optional<LongestDocument> longest; ///< of packed documents: the one that `lastShare` is the end of
  std::optional<Poly> reads, writes;
  std::vector<Save> saves;
  std::vector<Reduce> reduces;
  std::vector<BackwardSpec> backwards;
  std::vector<DimId> along;
  std::vector<DimId> contest;
  std::optional<Poly> copies;
  GroupLimit groupLimit;               ///< of the copies
  double capacity = 0;                 ///< slots kept per slot that balanced routing fills; 0: as many as arrive
  bool linear = false;                 ///< of a sum it makes the sum of the results: pending sums may pass
  DimId queries, keys;                 ///< Attention: its two sequences; it sums over the keys
  std::vector<DimId> inside;           ///< contracted inside the kernel, before what is not linear
  Poly headSize;                       ///< Attention: width of a head, which the curves of devices go by
  int bias = -1;                       ///< contractions: the operand that is added to the result in the epilogue, or -1
  std::vector<CompositeId> composites; ///< in scope, innermost block last
  LayerId layer;
  RegionId region;
  SourceRange range; ///< where the model calls it
};

// ---- structure --------------------------------------------------------------

/// A repeat that is not top-level is a region inside a layer; so is an instance of a top-level one.
struct Region {
  std::vector<Symbol> path;
  int64_t count = 1;
  RegionId parent;
  SourceRange range;
};

/// A value carried from one instance of a top-level repeat to the next, through `carry` operators.
struct Carry {
  Symbol name;
  ValueId initial; ///< outside
  ValueId inside;  ///< result of the carry operator that begins an instance (its operand is `initial`)
  ValueId last;    ///< result of the carry operator that ends an instance; users behind the repeat read this value
};

/// A top-level layer, in dataflow order: a plain one, or a repeat of `count` equal instances. Where stage lines cut an
/// instance of a repeat (passes::openRepeats), the instances before it and behind it are layers, and so is each part of
/// an instance.
struct Layer {
  Symbol name;
  bool repeat = false;
  int64_t count = 1;
  int64_t from = 0;     ///< its first instance, as selectors count those of the whole repeat
  int64_t of = 0;       ///< of a piece and of a part: how many instances the whole repeat has
  Symbol within;        ///< of a part: the repeat whose instance is cut
  int64_t instance = 0; ///< of a part: that instance
  RegionId region;      ///< repeat only
  OpId first, end;      ///< its operators: [first, end)
  std::vector<Carry> carries;
  SourceRange range;

  bool isPart() const { return !within.empty(); }
  /// Of a repeat, or of an instance of one.
  bool repeated() const { return repeat || isPart(); }
  /// Behind the last instance.
  int64_t to() const { return from + count; }
  /// Instances of the whole repeat; 1 of what is none.
  int64_t wholeCount() const { return of > 0 ? of : count; }
  /// Are the instances of a step's slice instances of it?
  bool has(const LayerStep& step) const;
  /// The instances of a top-level repeat of the model that these instances of the layer lie in.
  RangeSet atTop(const RangeSet& instances) const;
  /// Where its operators lie: `decoder`, `decoder.local`.
  std::vector<Symbol> path() const;
  /// `decoder`, `decoder[0:3]` of a piece, `decoder[3].local` of a part.
  LayerRef ref() const;
  /// Of some instances of a repeat.
  LayerRef ref(const RangeSet& instances) const;
};

struct Model {
  Symbol name;
  Store<Dim> dims;
  Store<Composite> composites;
  // Other extents are all that most copies differ in.
  SharedList<Store<Value>> values;
  SharedList<Store<Op>> ops;
  SharedList<Store<Region>> regions;
  SharedList<Store<Layer>> layers;
  std::vector<ValueId> inputs;
  std::vector<ValueId> params;
  ValueId loss; ///< the value named `loss`: where backward begins; invalid if there is none

  /// The dim of that name and extent, made on the first call.
  DimId dim(Symbol name, int64_t extent);
  std::string pathOf(OpId op) const;
  std::string pathOf(ValueId value) const;
  /// Product of the counts of the regions around it.
  int64_t times(RegionId region) const;
  /// Parameters counted once per storage, instances included.
  double parameterCount() const;
  /// The dimensions that inputs count as tokens, each once.
  std::vector<DimId> countedDims() const;
  /// Tokens of one sample: those of all inputs that count some; nothing if none does.
  std::optional<double> tokensPerSample() const;
};

std::string join(const std::vector<Symbol>& path);

/// Text form of a model module.
std::string print(const Model& model);
/// The level's law: dimensions agree, every operand is defined before its use, repeats > 0, regions nest. Returns what
/// is wrong, or nothing.
std::vector<std::string> verify(const Model& model);

} // namespace planc::ir
