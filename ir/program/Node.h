// The nodes of levels `sharded` and `comm`: what all of them have, and what each kind computes, brings into another
// layout or moves. A list of one level holds nothing of the other.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/layout/Layout.h"
#include "ir/machine/Machine.h"
#include "ir/model/Model.h"
#include "support/Few.h"

#include <concepts>
#include <string_view>
#include <utility>
#include <variant>

namespace planc::ir {

enum class Phase { Forward, Recompute, Backward, Step };
std::string_view name(Phase p);

/// What a compute node does.
enum class Role {
  Forward,    ///< the operator
  DGrad,      ///< of a contraction: gradient of operand `operand`
  WGrad,      ///< of a contraction: gradient of a parameter
  Backward,   ///< of any other operator: the gradients of all operands that want one
  Accumulate, ///< adds a parameter's gradient to its accumulator, every micro-batch
  Cast,
  Save, ///< casts what backward keeps to the narrower type that it is kept in, and back (phases Forward and Backward)
  Optimizer, ///< Step phase: updates one bucket of parameters
};
std::string_view name(Role r);

/// The problem one device solves at a compute node.
struct LocalWork {
  double flops = 0;             ///< executed, no mask (share not applied); L9: devices · flops = global · idle axes
  double share = 1;             ///< of the operator, on the device with the most of it
  double skew = 1;              ///< load of this device over the mean (routed data)
  double reads = 0, writes = 0; ///< bytes, declared or operands and result
  double firstOperandBytes = 0; ///< what stack.passes multiplies: forward's first operand
  double resultBytes = 0;
  double row = 0;                        ///< local elements of the first operand's last dimension
  double batch = 1, m = 0, n = 0, k = 0; ///< contractions (of this role)
  double resultElements = 0;             ///< local
  double operandWidth = 2;               ///< bytes per element of contraction operands as computed with
  double elements = 0;                   ///< Accumulate, Optimizer, Cast: elements handled
  double tokensPerExpert = 0;            ///< GroupedGemm
  double sequence = 0,
         headDim = 0;         ///< Attention: full kv length (of the value, not local) and head size, for the curves
  bool sequenceSplit = false; ///< Attention: its queries or keys are split
  DType dtype = DType::bf16;  ///< that the contraction runs in
};

/// Position of a node in its phase's list.
using NodeIndex = uint32_t;
using NodeList = Few<NodeIndex, 4>;

/// What nodes of all kinds have.
struct NodeHead {
  Phase phase = Phase::Forward;
  OpId op = {};       ///< whose work this is; for a reshard the consumer (backward: the operator whose gradient it is)
  NodeList deps = {}; ///< nodes of the same list that must end first
  double times = 1;   ///< per instance of the class: the product of the nested repeats around it
  bool needed = true; ///< Recompute: backward reads its result, or that of a node that depends on it
};

/// An operator is computed, or what belongs to its gradients and to what it keeps.
struct Computation {
  Role role = Role::Forward;
  int operand = -1;   ///< DGrad, WGrad, Accumulate; Cast: the parameter that it unpacks
  ValueId value = {}; ///< Accumulate: the parameter; Save: what is kept
  Layout kept = {};   ///< Save: the layout that it is kept in
};
/// The same with the work of one device.
struct Compute : Computation {
  LocalWork work;
  Compute() = default;
  explicit Compute(Computation what) : Computation(std::move(what)) {}
};

/// What a reshard, collective or copy moves.
struct Traveller {
  ValueId value = {}; ///< or whose gradient travels; none: states, fused
  bool gradient = false;
  OpId source = {}; ///< who made it: the producer, or in backward the user whose gradient it is
};

/// Brings a value or its gradient into another layout.
struct Reshard : Traveller {
  Layout from, to;
  bool regather = false; ///< from what backward keeps, back to what it reads
};

/// Moves data between the devices of a group, or to and from the host.
struct Collective : Traveller {
  CollectiveKind kind = CollectiveKind::AllReduce;
  CollectiveClass cls = CollectiveClass::Activation;
  bool ring = false;     ///< SendRecv around the group that stands for an AllGather (`via ring`)
  bool strided = false;  ///< what it leaves is packed by a copy
  Layout from, to;       ///< of what was a step of a reshard
  AxisMask axes = 0;     ///< 0: a transfer to the next stage, a host copy
  int64_t group = 1;     ///< ranks
  size_t level = 0;      ///< of the cluster
  double bytes = 0;      ///< the larger local side
  double copies = 1;     ///< AllToAll of a routed dim: expected copies (op.copies)
  double places = 0;     ///< that the copies are chosen among, each at most once; 0: not counted
  GroupLimit groupLimit; ///< of the copies, where the groups of their places lie on devices in order
  SourceRange because;   ///< the placement rule that wants it, or the rule of the producer
  SourceRange becauseOf; ///< the other side
  Collective() = default;
  explicit Collective(const Traveller& what) : Traveller(what) {}
};

/// Packs what a strided collective leaves: reads and writes it once.
struct Copy : Traveller {
  CollectiveClass cls = CollectiveClass::Activation; ///< this and what follows: of the collective
  AxisMask axes = 0;
  int64_t group = 1;
  double bytes = 0; ///< read, and written
  SourceRange because;
  Copy() = default;
  explicit Copy(const Collective& of)
      : Traveller(of), cls(of.cls), axes(of.axes), group(of.group), bytes(of.bytes), because(of.because) {}
};

/// A node of one of some kinds, the first of which computes. `asX` is null of other kinds; `x()` may only be asked of
/// that kind.
template <class... Kinds> struct NodeOf : NodeHead {
  std::variant<Kinds...> does;

  NodeOf() = default;
  template <class Kind>
  requires(std::same_as<Kind, Kinds> || ...) NodeOf(NodeHead head, Kind kind)
      : NodeHead(std::move(head)), does(std::move(kind)) {}
  /// Of the kind as it is made.
  template <class Kind>
  NodeOf(NodeHead head, std::in_place_type_t<Kind> kind) : NodeHead(std::move(head)), does(kind) {}

  template <class Kind> const Kind* as() const { return std::get_if<Kind>(&does); }
  template <class Kind> Kind* as() { return std::get_if<Kind>(&does); }
  const auto* asCompute() const { return std::get_if<0>(&does); }
  auto* asCompute() { return std::get_if<0>(&does); }
  const auto* asReshard() const { return as<Reshard>(); }
  auto* asReshard() { return as<Reshard>(); }
  const auto* asCollective() const { return as<Collective>(); }
  auto* asCollective() { return as<Collective>(); }
  const auto* asCopy() const { return as<Copy>(); }

  bool isCompute() const { return asCompute() != nullptr; }
  bool isReshard() const { return asReshard() != nullptr; }
  bool isCollective() const { return asCollective() != nullptr; }

  const auto& compute() const { return *asCompute(); }
  auto& compute() { return *asCompute(); }
  const auto& reshard() const { return *asReshard(); }
  auto& reshard() { return *asReshard(); }
  const auto& collective() const { return *asCollective(); }
  auto& collective() { return *asCollective(); }
  const auto& copy() const { return *asCopy(); }

  /// That it moves, keeps or accumulates; none of other compute nodes.
  ValueId value() const {
    return std::visit([](const auto& kind) { return kind.value; }, does);
  }
};

/// Of level sharded.
using ShardedNode = NodeOf<Computation, Reshard>;
/// Of level comm.
using Node = NodeOf<Compute, Collective, Copy>;

} // namespace planc::ir
