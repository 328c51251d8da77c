// Levels `sharded` and `comm`: the operators of each class of equal instances with layouts, first with explicit
// reshards, then with collectives.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/Plan.h"
#include "ir/program/Node.h"
#include "support/Indexed.h"
#include "support/Shared.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace planc {
class Memos;
}

namespace planc::ir {

/// Where the axes of one dimension of one operator came from.
struct PlacedDim {
  DimId dim;
  AxisList axes;                       ///< major first
  const PlacementRule* rule = nullptr; ///< the innermost rule that placed it; null if none did
  bool ring = false;
  bool uneven = false;
};
/// Of one operator, over its iteration space (and the dims that a routed one stands for). Dims without axes may be left
/// out.
struct Placement {
  std::vector<PlacedDim> dims;
  const AxisList& axesOf(DimId dim) const;
  AxisMask mask() const;
};

/// Bytes kept from forward to backward by one instance.
struct Saved {
  OpId op;       ///< that keeps it
  ValueId value; ///< or the value whose buffer (mask) it is
  Symbol buffer;
  double bytes = 0;      ///< local
  bool host = false;     ///< leaves the device between forward and backward
  Layout layout = {};    ///< in which a value is kept
  bool narrowed = false; ///< kept in fewer bits than the value has
};

/// How one instance computes with a parameter.
struct ParamUse {
  ValueId param;
  Layout layout;       ///< compute layout
  double elements = 0; ///< local, per instance, in the compute layout
  RegionId region;     ///< the innermost repeat around its use; none at the top
  bool trainable = true;
  AxisMask partial = 0; ///< axes over which its gradient is a pending sum
};

/// Where a parameter of one instance and what belongs to it is stored.
struct ParamState : ParamUse {
  ParamState() = default;
  explicit ParamState(ParamUse use) : ParamUse(std::move(use)) {}
  AxisMask params = 0, grads = 0, optimizer = 0; ///< Zp, Zg, Zo: storage axes beyond those of the layout
  std::array<int32_t, 3> rules{-1, -1, -1};      ///< that set them, by their number among the plan's; -1: none
  std::array<bool, 3> host{};                    ///< params, grads, optimizer: in the host's memory
  bool owner = true; ///< false: shares the storage of another parameter (tied) that this stage already counts
  /// A table: read by lookups only, in a plan with an optimizer for tables. Elements of one row on a device; 0 of
  /// others.
  double rowElements = 0;
  /// Of a table whose gradient no device has to wait for: the local elements of the distinct rows that one micro-batch
  /// reads. They are updated in backward and no gradient is stored; 0 of parameters with a gradient of their own size.
  double touched = 0;
};

/// A fused collective of the states of one layer (docs/language.md, section 11): of an instance of the innermost repeat
/// around the use of its parameters, as software that shards states wraps them. Over the stage axes it joins the
/// devices that hold one virtual stage, one of each route.
struct StateCollective {
  CollectiveKind collective = CollectiveKind::AllGather;
  CollectiveClass cls = CollectiveClass::State;
  Phase phase = Phase::Forward; ///< Forward, Backward: every micro-batch; Step: once
  AxisMask axes = 0;
  int64_t group = 1;
  size_t level = 0;
  double bytes = 0; ///< larger local side, of one layer
  bool out = false; ///< HostCopy: to the host, when its instance has ended; else to the device, before it begins
  std::vector<ValueId> params;
  SourceRange because;
  bool kept = false; ///< gather of forward that stays until backward: no instance gathers these again
  RegionId region;   ///< the innermost repeat; none at the top
  int64_t times = 1; ///< layers in one instance of the class: the product of the nested repeats
};
/// Of the step: of gradients, which the last backward completes; not of new parameters, which the first forward waits
/// for.
inline bool endsBackward(const StateCollective& s) {
  return s.cls == CollectiveClass::Gradient || s.out;
}

struct LayerClass;
using LayerClassId = Id<LayerClass>;

/// One class of equal instances of a layer, lowered once: what it is at both levels.
struct ClassHead {
  LayerId layer;
  /// A boundary reshard holds only the reshards of a carried value: into the first instance, out of the last, or
  /// between two classes whose layouts differ. Its `layer` is the repeat; it runs once per entry in
  /// StageKind::classes like any other class.
  bool boundaryReshard = false;
  /// Position of a boundary reshard: after the last run of the first class, before the first run of the second class,
  /// or both if runs of the two classes are adjacent.
  LayerClassId behind, before;
  RangeSet instances;                        ///< of a repeat; [0,1) of a plain layer
  Shared<std::vector<Placement>> placements; ///< parallel to the layer's operators
  /// Layout in which each operator produces its result; parallel to the layer's operators.
  Shared<std::vector<Layout>> results;
  Shared<std::vector<Saved>> saved;
  double workingForward = 0;              ///< bytes live beyond `saved`, at most, while an instance runs
  double workingBackward = 0;             ///< idem, recompute replay included
  double weightOperands = 0;              ///< bytes that a backward split in two keeps for the gradients of parameters
  Shared<std::vector<ParamUse>> uses;     ///< of parameters, in the order of the operators
  Shared<std::vector<ParamState>> params; ///< the same from place-states on
  Shared<std::vector<StateCollective>> states;
};

/// At level sharded: nodes in program order; backward holds the replayed nodes (phase Recompute) where they stand.
struct ShardedClass : ClassHead {
  Shared<Indexed<ShardedNode>> forward, backward;
  /// Per operator and operand the node of `forward` that brings the operand into the needed layout, or -1.
  Shared<std::vector<std::vector<int32_t>>> brought;
};

/// At level comm: nodes in the order of level sharded.
struct LayerClass : ClassHead {
  Shared<Indexed<Node>> forward, backward;
};

/// A value that crosses from one virtual stage to a later one.
struct Boundary {
  ValueId value;
  double bytes = 0;     ///< local, as sent
  bool gradient = true; ///< its gradient comes back: something upstream trains
  AxisMask scatter = 0; ///< split over these while it crosses
  Collective gather;    ///< on arrival, if scatter != 0
  double arriving() const { return scatter ? gather.bytes : bytes; }
};

/// What virtual stages of one kind hold and hand on: what one takes of time and memory by itself, all of them do.
struct StageKind {
  std::vector<std::pair<LayerClassId, int64_t>> classes; ///< in order, with how many instances of each run there
  std::vector<Boundary> sends; ///< to the next stage, forward; backward sends the gradients back
  size_t level = 0;            ///< of the link to the next stage; with several routes of the slowest
  double receives = 0;         ///< bytes that the stage before hands on, as they arrive
};
using StageKindId = Id<StageKind>;

/// A contiguous piece of the model.
struct VirtualStage {
  int64_t index = 0;
  StageKindId kind;
  Few<int64_t, 2> devices; ///< the device stage that it runs on, for each route of the schedule
};

/// A parameter that several device stages use in places of their own (tied embeddings): its gradient is summed over
/// them, once.
struct StageGroup {
  ValueId storage;
  std::vector<int64_t> stages; ///< device stages
  Collective allReduce;
};

struct ScheduleKind;

/// The classes of a program as a range of what they are at both levels.
template <class Of> class ClassHeads {
public:
  ClassHeads(Of& program) : program_(program) {}

  struct Iterator {
    Of* program;
    uint32_t at;
    auto& operator*() const { return program->head(LayerClassId(at)); }
    Iterator& operator++() { return ++at, *this; }
    bool operator!=(const Iterator& other) const { return at != other.at; }
  };
  Iterator begin() const { return {&program_, 0}; }
  Iterator end() const { return {&program_, program_.classCount()}; }

private:
  Of& program_;
};

/// A program as it is at both levels: all but the nodes of its classes.
struct ProgramHead {
  const Plan* plan = nullptr;
  /// The plan whose rules placements point at, where it is another one: what layers do is shared with its program.
  std::shared_ptr<const Plan> rulesOf;
  std::shared_ptr<Memos> memos; ///< results that passes share among plans with the same layers; null: none
  Mesh mesh;                    ///< refined
  Shared<Model> model;          ///< bound to the workload, casts inserted
  std::vector<Precision>
      precisions; ///< the plan's, then one for each set of rules that reach the same layers; level `model`: none
  int64_t microBatches = 1;
  int64_t stages = 1;                     ///< p: product of the pipeline axes
  int64_t chunks = 1;                     ///< v: virtual stages of a route on a device
  int64_t routes = 1;                     ///< ways of micro-batches through the virtual stages
  const ScheduleKind* kind = nullptr;     ///< what the plan's schedule means
  std::vector<int64_t> scheduleArguments; ///< values of its parameters
  AxisMask stageAxes = 0;
  /// By `recompute` statement that says `first`, and by layer: the instances that it reaches. Empty for other
  /// statements.
  std::vector<std::vector<RangeSet>> firstLayers;
  Shared<std::vector<std::vector<bool>>> withGradient; ///< by class of instances and value: backward makes its gradient
  Store<StageKind> stageKinds;
  Indexed<VirtualStage> virtualStages; ///< p · v of them
  std::vector<StageGroup> stageGroups;

  /// What a virtual stage holds; changed, for all stages of its kind.
  const StageKind& kindOf(std::integral auto virtualStage) const {
    return stageKinds[virtualStages[virtualStage].kind];
  }
  StageKind& kindOf(std::integral auto virtualStage) { return stageKinds[virtualStages[virtualStage].kind]; }
  /// Virtual stages that a device stage holds, those of the first route first.
  std::vector<size_t> heldBy(int64_t stage) const;
  /// Does what a virtual stage hands on leave its device?
  bool crosses(size_t virtualStage) const;
  /// `decoder`, `decoder[0:20]`; the instances only where the repeat has several classes.
  LayerRef refOf(const ClassHead& layerClass) const;
  /// Instances of a repeat in one instance of the layer around it; 1 at the top.
  int64_t timesInside(LayerId layer, RegionId region) const;
  /// Micro-batches that pass each virtual stage on each device that holds it.
  int64_t passes() const { return microBatches / routes; }
  /// The element types that hold where the operator, the value stands.
  const Precision& precisionOf(const Op& op) const { return precisionAt(op.precision); }
  const Precision& precisionOf(const Value& value) const { return precisionAt(value.precision); }
  /// Element width on the device of a value.
  double widthOf(ValueId value) const;
  DType dtypeOf(ValueId value) const;
  /// Element type of the operands of `op` while it computes: `compute`, which where it has less than 16 bits is for
  /// products with parameters alone, and only for those of repeated layers unless a rule names others; everything else
  /// then computes in `activations`.
  DType computeType(const Op& op) const;
  /// Element type in which backward keeps a value for an operator: the value's, or the narrower one that `saved` gives
  /// there.
  DType savedType(const Op& reader, ValueId value) const;
  std::vector<int64_t> extents(const std::vector<DimId>& dims) const;
  std::vector<bool> unordered(const std::vector<DimId>& dims) const;
  /// Of the dims of what a reshard or collective of this operator moves: unordered by themselves, or as the operator
  /// that reads them calls them (an index goes where its row is).
  std::vector<bool> unordered(const Traveller& what, OpId op) const;
  /// Load of the busiest device over the mean for data with these dims, where the data chooses the device: the skew of
  /// a routed dim whose chosen dim is split. One otherwise.
  double skew(const std::vector<DimId>& dims, const Layout& layout) const;
  double skew(const std::vector<DimId>& dims, const Placement& placement) const;
  double skew(DimId dim, const Placement& placement) const;

  /// What a class is at both levels.
  virtual const ClassHead& head(LayerClassId id) const = 0;
  ClassHead& head(LayerClassId id) { return const_cast<ClassHead&>(std::as_const(*this).head(id)); }
  virtual uint32_t classCount() const = 0;
  /// All classes, in order.
  ClassHeads<const ProgramHead> heads() const { return {*this}; }
  ClassHeads<ProgramHead> heads() { return {*this}; }

protected:
  ProgramHead() = default;
  ProgramHead(const ProgramHead&) = default;
  ProgramHead(ProgramHead&&) = default;
  ProgramHead& operator=(const ProgramHead&) = default;
  ProgramHead& operator=(ProgramHead&&) = default;
  ~ProgramHead() = default;

private:
  const Precision& precisionAt(size_t index) const;
};

/// A program with nodes of one level.
template <class Class> struct ProgramOf : ProgramHead {
  Store<Class, LayerClass> classes;

  ProgramOf() = default;
  /// What a program of another level has; no classes.
  explicit ProgramOf(ProgramHead&& other) : ProgramHead(std::move(other)) {}
  using ProgramHead::head;
  const ClassHead& head(LayerClassId id) const final { return classes[id]; }
  uint32_t classCount() const final { return classes.size(); }
};
/// Level `sharded`: explicit reshards.
struct ShardedProgram final : ProgramOf<ShardedClass> {
  using ProgramOf::ProgramOf;
};
/// Level `comm`: collectives.
struct Program final : ProgramOf<LayerClass> {
  using ProgramOf::ProgramOf;
};

/// Text form of a program. With `sources` every collective says which line of the plan caused it.
std::string print(const ShardedProgram& program, const SourceManager* sources = nullptr);
std::string print(const Program& program, const SourceManager* sources = nullptr);
/// The laws of the level (docs/language.md, section 10, L8 and L9). Returns what is wrong, or nothing.
std::vector<std::string> verify(const ShardedProgram& program);
std::vector<std::string> verify(const Program& program);

} // namespace planc::ir
