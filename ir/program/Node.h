// The nodes of levels `sharded` and `comm`: their common head, and the kinds that compute, change a layout or move
// data. Each level has its own list type, which holds only the kinds of that level.
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

/// The work of a compute node.
enum class Role {
  Forward,    ///< the operator
  DGrad,      ///< of a contraction: gradient of operand `operand`
  WGrad,      ///< of a contraction: gradient of a parameter
  Backward,   ///< of any other operator: the gradients of all operands that need one
  Accumulate, ///< adds a parameter's gradient to its accumulator, every micro-batch
  Cast,
  Save,      ///< casts a value to the narrower type that backward keeps, and back (phases Forward and Backward)
  Optimizer, ///< Step phase: updates one bucket of parameters
};
std::string_view name(Role r);

/// The work of one device at a compute node.
struct LocalWork {
  double flops = 0;             ///< executed FLOPs, masks ignored; law L9: devices · flops = global · idle axes
  double share = 1;             ///< fraction of the FLOPs that masks leave, on the device with the largest fraction
  double skew = 1;              ///< load of this device over the mean (routed data)
  double reads = 0, writes = 0; ///< bytes that the operator declares, else bytes of operands and result
  double firstOperandBytes = 0; ///< forward's first operand; stack.passes multiplies it
  double resultBytes = 0;
  double row = 0;                        ///< local elements of the first operand's last dimension
  double batch = 1, m = 0, n = 0, k = 0; ///< contractions (of this role)
  double resultElements = 0;             ///< local
  double operandWidth = 2;               ///< bytes per element of contraction operands in the type of the product
  double elements = 0;                   ///< Accumulate, Optimizer, Cast: elements handled
  double tokensPerExpert = 0;            ///< GroupedGemm
  double sequence = 0,
         headDim = 0;         ///< Attention: full kv length (not local) and head size, inputs of the curves
  bool sequenceSplit = false; ///< Attention: its queries or keys are sharded
  DType dtype = DType::bf16;  ///< type in which the contraction runs
};

/// Position of a node in its phase's list.
using NodeIndex = uint32_t;
using NodeList = Few<NodeIndex, 4>;

/// The members of nodes of all kinds.
struct NodeHead {
  Phase phase = Phase::Forward;
  OpId op = {};       ///< operator of the work; for a reshard its reader (backward: the operator whose gradient moves)
  NodeList deps = {}; ///< nodes of the same list that must end first
  double times = 1;   ///< runs per instance of the class: the product of the nested repeats around it
  bool needed = true; ///< Recompute: backward reads its result, or the result of a node that depends on it
};

/// Computes an operator, its gradients, or the values that it keeps.
struct Computation {
  Role role = Role::Forward;
  int operand = -1;   ///< DGrad, WGrad, Accumulate; Cast: the parameter that it unpacks
  ValueId value = {}; ///< Accumulate: the parameter; Save: the kept value
  Layout kept = {};   ///< Save: layout in which the value is kept
};
/// A computation with the work of one device.
struct Compute : Computation {
  LocalWork work;
  Compute() = default;
  explicit Compute(Computation what) : Computation(std::move(what)) {}
};

/// The value that a reshard, collective or copy moves.
struct Traveller {
  ValueId value = {}; ///< the value, or the value whose gradient travels; invalid: fused states
  bool gradient = false;
  OpId source = {}; ///< its producer; for a gradient in backward, the user that the gradient comes from
};

/// Changes the layout of a value or of its gradient.
struct Reshard : Traveller {
  Layout from, to;
  bool regather = false; ///< from the layout that backward keeps to the layout that it reads
};

/// Moves data between the devices of a group, or to and from the host.
struct Collective : Traveller {
  CollectiveKind kind = CollectiveKind::AllReduce;
  CollectiveClass cls = CollectiveClass::Activation;
  bool ring = false;     ///< SendRecv around the group that replaces an AllGather (`via ring`)
  bool strided = false;  ///< a copy packs its result
  Layout from, to;       ///< layouts before and after, if it was a step of a reshard
  AxisMask axes = 0;     ///< 0: a transfer to the next stage, a host copy
  int64_t group = 1;     ///< number of ranks
  size_t level = 0;      ///< cluster level
  double bytes = 0;      ///< bytes on the larger local side
  double copies = 1;     ///< AllToAll of a routed dim: expected copies (op.copies)
  double places = 0;     ///< number of places that the copies choose from, each place at most once; 0: not counted
  GroupLimit groupLimit; ///< limit of the copies, if their places form groups of devices, in order
  SourceRange because;   ///< the placement rule that requires it, or the rule of the producer
  SourceRange becauseOf; ///< the rule on the other side
  Collective() = default;
  explicit Collective(const Traveller& what) : Traveller(what) {}
};

/// Packs the result of a strided collective: reads and writes it once.
struct Copy : Traveller {
  CollectiveClass cls = CollectiveClass::Activation; ///< this member and the next ones are the collective's
  AxisMask axes = 0;
  int64_t group = 1;
  double bytes = 0; ///< read once and written once
  SourceRange because;
  Copy() = default;
  explicit Copy(const Collective& of)
      : Traveller(of), cls(of.cls), axes(of.axes), group(of.group), bytes(of.bytes), because(of.because) {}
};

/// A node of one of several kinds. The first kind is the computing kind. `asX()` returns null if the node is of another
/// kind; `x()` requires that kind.
template <class... Kinds> struct NodeOf : NodeHead {
  std::variant<Kinds...> does;

  NodeOf() = default;
  template <class Kind>
  requires(std::same_as<Kind, Kinds> || ...) NodeOf(NodeHead head, Kind kind)
      : NodeHead(std::move(head)), does(std::move(kind)) {}
  /// Builds the kind in place with default values.
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

  /// The value that the node moves, keeps or accumulates; invalid for other compute nodes.
  ValueId value() const {
    return std::visit([](const auto& kind) { return kind.value; }, does);
  }
};

/// A node of level `sharded`.
using ShardedNode = NodeOf<Computation, Reshard>;
/// A node of level `comm`.
using Node = NodeOf<Compute, Collective, Copy>;

} // namespace planc::ir
