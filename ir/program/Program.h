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

/// The axes of one dimension of one operator, and the rule that placed them.
struct PlacedDim {
  DimId dim;
  AxisList axes;                       ///< major first
  const PlacementRule* rule = nullptr; ///< the innermost rule that placed it; null if none did
  bool ring = false;
  bool uneven = false;
};
/// The placement of one operator: the axes of each dim of its iteration space, and of the dims that a routed dim stands
/// for. Dims without axes may be left out.
struct Placement {
  std::vector<PlacedDim> dims;
  const AxisList& axesOf(DimId dim) const;
  AxisMask mask() const;
};

/// Bytes kept from forward to backward by one instance.
struct Saved {
  OpId op;       ///< the operator that keeps it
  ValueId value; ///< the kept value, or the value that a kept buffer (mask) belongs to
  Symbol buffer;
  double bytes = 0;      ///< on one device
  bool host = false;     ///< leaves the device between forward and backward
  Layout layout = {};    ///< layout in which the value is kept
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

/// Where a parameter of one instance, its gradient and its optimizer states are stored.
struct ParamState : ParamUse {
  ParamState() = default;
  explicit ParamState(ParamUse use) : ParamUse(std::move(use)) {}
  AxisMask params = 0, grads = 0, optimizer = 0; ///< Zp, Zg, Zo: storage axes beyond those of the layout
  std::array<int32_t, 3> rules{-1, -1, -1};      ///< the rules that set them, as indices into `Plan::states`; -1: none
  std::array<bool, 3> host{};                    ///< params, grads, optimizer: in the host's memory
  bool owner = true; ///< false: shares the storage of another parameter (tied) that this stage already counts
  /// For tables, which only lookups read, in a plan with an optimizer for tables: the elements of one row on a device.
  /// 0 for other parameters.
  double rowElements = 0;
  /// For a table whose gradient needs no sum over devices: the local elements of the distinct rows that one micro-batch
  /// reads. Backward updates these rows, so no gradient is stored. 0 for parameters with a gradient of their own size.
  double touched = 0;
};

/// A fused collective of the states of one layer (docs/language.md, section 11). The layer is an instance of the
/// innermost repeat around the use of its parameters, as software that shards states wraps it. A collective over the
/// stage axes joins the devices that hold one virtual stage, one device of each route.
struct StateCollective {
  CollectiveKind collective = CollectiveKind::AllGather;
  CollectiveClass cls = CollectiveClass::State;
  Phase phase = Phase::Forward; ///< Forward, Backward: every micro-batch; Step: once
  AxisMask axes = 0;
  int64_t group = 1;
  size_t level = 0;
  double bytes = 0; ///< bytes of one layer, on the larger local side
  bool out = false; ///< HostCopy: to the host, after its instance; false: to the device, before its instance
  std::vector<ValueId> params;
  SourceRange because;
  bool kept = false; ///< gathered in forward and kept until backward, which does not gather again
  RegionId region;   ///< the innermost repeat; none at the top
  int64_t times = 1; ///< layers in one instance of the class: the product of the nested repeats
};
/// Returns whether the collective follows backward: it moves gradients, or copies to the host. The other collectives of
/// a step move new parameters, which the first forward waits for.
inline bool endsBackward(const StateCollective& s) {
  return s.cls == CollectiveClass::Gradient || s.out;
}

struct LayerClass;
using LayerClassId = Id<LayerClass>;

/// One class of equal instances of a layer, which is lowered once: its members at both levels.
struct ClassHead {
  LayerId layer;
  /// A boundary reshard holds only the reshards of a carried value: into the first instance, out of the last, or
  /// between two classes whose layouts differ. Its `layer` is the repeat; it runs once per entry in
  /// StageKind::classes like any other class.
  bool boundaryReshard = false;
  /// Position of a boundary reshard: after the last run of the first class, before the first run of the second class,
  /// or both if runs of the two classes are adjacent.
  LayerClassId behind, before;
  RangeSet instances;                        ///< instances of a repeat; [0,1) for a plain layer
  Shared<std::vector<Placement>> placements; ///< parallel to the layer's operators
  /// Layout in which each operator produces its result; parallel to the layer's operators.
  Shared<std::vector<Layout>> results;
  Shared<std::vector<Saved>> saved;
  double workingForward = 0;              ///< most live bytes beyond `saved` while an instance runs forward
  double workingBackward = 0;             ///< most live bytes while an instance runs backward, replay included
  double weightOperands = 0;              ///< bytes that a backward split in two keeps for the gradients of parameters
  Shared<std::vector<ParamUse>> uses;     ///< uses of parameters, in the order of the operators
  Shared<std::vector<ParamState>> params; ///< `uses` with their storage, set by place-states
  Shared<std::vector<StateCollective>> states;
};

/// A class at level sharded: nodes in program order. `backward` also has the replayed nodes (phase Recompute), in
/// place.
struct ShardedClass : ClassHead {
  Shared<Indexed<ShardedNode>> forward, backward;
  /// Per operator and operand the node of `forward` that brings the operand into the needed layout, or -1.
  Shared<std::vector<std::vector<int32_t>>> brought;
};

/// A class at level comm: nodes in the order of level sharded.
struct LayerClass : ClassHead {
  Shared<Indexed<Node>> forward, backward;
};

/// A value that crosses from one virtual stage to a later one.
struct Boundary {
  ValueId value;
  double bytes = 0;     ///< local, as sent
  bool gradient = true; ///< backward returns its gradient: something upstream trains
  AxisMask scatter = 0; ///< axes that split it while it crosses
  Collective gather;    ///< gather on arrival, if scatter != 0
  double arriving() const { return scatter ? gather.bytes : bytes; }
};

/// The contents and transfers of all virtual stages of one kind. Each of these stages alone takes the same time and
/// memory.
struct StageKind {
  std::vector<std::pair<LayerClassId, int64_t>> classes; ///< in order, each with the number of its instances
  std::vector<Boundary> sends; ///< to the next stage, forward; backward sends the gradients back
  size_t level = 0;            ///< level of the link to the next stage; with several routes, of the slowest link
  double receives = 0;         ///< bytes from the previous stage, as they arrive
};
using StageKindId = Id<StageKind>;

/// A contiguous piece of the model.
struct VirtualStage {
  int64_t index = 0;
  StageKindId kind;
  Few<int64_t, 2> devices; ///< the device stage that it runs on, for each route of the schedule
};

/// A parameter that several device stages use and store separately (tied embeddings). Its gradient is summed over these
/// stages once per step.
struct StageGroup {
  ValueId storage;
  std::vector<int64_t> stages; ///< device stages
  Collective allReduce;
};

struct ScheduleKind;

/// The classes of a program as a range of their members at both levels.
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

/// The members of a program at both levels: everything except the nodes of its classes.
struct ProgramHead {
  const Plan* plan = nullptr;
  /// The plan whose rules the placements point to, if layers are shared with programs of other plans (`Lowerings`).
  std::shared_ptr<const Plan> rulesOf;
  std::shared_ptr<Memos> memos; ///< results that passes share among plans with the same layers; null: none
  Mesh mesh;                    ///< refined
  Shared<Model> model;          ///< bound to the workload, casts inserted
  std::vector<Precision>
      precisions; ///< the plan's precision, then one per set of rules that reach the same layers; none at level `model`
  int64_t microBatches = 1;
  int64_t stages = 1;                     ///< p: product of the pipeline axes
  int64_t chunks = 1;                     ///< v: virtual stages of a route on a device
  int64_t routes = 1;                     ///< number of ways of micro-batches through the virtual stages
  const ScheduleKind* kind = nullptr;     ///< implementation of the plan's schedule
  std::vector<int64_t> scheduleArguments; ///< values of the schedule's parameters
  AxisMask stageAxes = 0;
  /// By `recompute` statement and layer: the instances that a statement with `first` reaches. Empty for statements
  /// without `first`.
  std::vector<std::vector<RangeSet>> firstLayers;
  Shared<std::vector<std::vector<bool>>> withGradient; ///< by class and value: backward makes the value's gradient
  Store<StageKind> stageKinds;
  Indexed<VirtualStage> virtualStages; ///< p · v stages
  std::vector<StageGroup> stageGroups;

  /// The kind of a virtual stage. A change of it applies to all stages of the kind.
  const StageKind& kindOf(std::integral auto virtualStage) const {
    return stageKinds[virtualStages[virtualStage].kind];
  }
  StageKind& kindOf(std::integral auto virtualStage) { return stageKinds[virtualStages[virtualStage].kind]; }
  /// The virtual stages that a device stage holds; the stages of the first route come first.
  std::vector<size_t> heldBy(int64_t stage) const;
  /// Returns whether the output of a virtual stage leaves its device.
  bool crosses(size_t virtualStage) const;
  /// `decoder`, `decoder[0:20]`: with the instances only if the repeat has several classes.
  LayerRef refOf(const ClassHead& layerClass) const;
  /// Instances of a repeat in one instance of the layer around it; 1 at the top.
  int64_t timesInside(LayerId layer, RegionId region) const;
  /// Micro-batches that pass each virtual stage on each device that holds it.
  int64_t passes() const { return microBatches / routes; }
  /// The element types at the place of an operator or a value.
  const Precision& precisionOf(const Op& op) const { return precisionAt(op.precision); }
  const Precision& precisionOf(const Value& value) const { return precisionAt(value.precision); }
  /// Bytes per element of a value on the device.
  double widthOf(ValueId value) const;
  DType dtypeOf(ValueId value) const;
  /// Element type of the operands of `op` while it computes. This is `compute` unless `compute` has less than 16 bits.
  /// Such a type is only for products with parameters, and only in repeated layers unless a rule gives it. Everything
  /// else then computes in `activations`.
  DType computeType(const Op& op) const;
  /// Element type in which backward keeps a value for an operator: the value's own type, or the narrower type that
  /// `saved` gives at the operator's place.
  DType savedType(const Op& reader, ValueId value) const;
  std::vector<int64_t> extents(const std::vector<DimId>& dims) const;
  std::vector<bool> unordered(const std::vector<DimId>& dims) const;
  /// By dim of the value that a reshard or collective of this operator moves: whether the dim is unordered, by itself
  /// or as the operator that reads it names it (an index goes where its row is).
  std::vector<bool> unordered(const Traveller& what, OpId op) const;
  /// Load of the busiest device over the mean, for data with these dims: the product of the skews of routed dims whose
  /// chosen dim is split. 1 if there is no such dim.
  double skew(const std::vector<DimId>& dims, const Layout& layout) const;
  double skew(const std::vector<DimId>& dims, const Placement& placement) const;
  double skew(DimId dim, const Placement& placement) const;

  /// The members of a class at both levels.
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
  /// Takes the members of a program of another level; it has no classes yet.
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

/// Text form of a program. With `sources`, every collective names the line of the plan that caused it.
std::string print(const ShardedProgram& program, const SourceManager* sources = nullptr);
std::string print(const Program& program, const SourceManager* sources = nullptr);
/// Checks the laws of the level (docs/language.md, section 10, L8 and L9). Returns the errors; empty if there are none.
std::vector<std::string> verify(const ShardedProgram& program);
std::vector<std::string> verify(const Program& program);

} // namespace planc::ir
