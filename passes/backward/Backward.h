// The parts of derive-backward: checkpoints, what is kept (`ActivationPolicy`) and replayed, the reshards between
// classes (addBoundaryReshards), the working set.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"
#include "passes/cut/CutStages.h"
#include "passes/lower/Lowering.h"
#include "support/Diagnostics.h"
#include "support/Indexed.h"

#include <map>
#include <optional>

namespace planc::passes {

/// Which operators of a class lie in which checkpoint: each match of a `recompute` selector is one.
struct Checkpoints {
  std::vector<int> of;     ///< per operator of the layer: number of its checkpoint, or -1
  std::vector<bool> named; ///< per operator of the layer: its result is kept by name (`save`)
  struct Form {
    bool saves = false;    ///< it keeps something by name, and replays only what is read
    bool discards = false; ///< what leaves it is not kept for its readers either (`outputs`)
  };
  Indexed<Form> forms; ///< per checkpoint
  bool ok = true;
};
Checkpoints findCheckpoints(const ir::ShardedProgram& program, const ir::ShardedClass& layerClass,
                            DiagnosticEngine& diagnostics);

/// Does a selector of the plan's `recompute` statement `rule` reach a path in this class, with the statement's `first`?
/// Gives the number of steps.
std::optional<int> recomputes(const ir::ShardedProgram& program, size_t rule, const ir::Selector& selector,
                              const std::vector<Symbol>& path, const ir::ShardedClass& layerClass);

/// Is what `reader`, an operator of these instances of the layer, keeps of the value a result of what the selector of a
/// `keep` names? Gives the number of steps. A value that a repeat carries is that of the instance that keeps it.
std::optional<int> keepsOf(const ir::ShardedProgram& program, ir::LayerId layer, const ir::RangeSet& instances,
                           const ir::Selector& selector, ir::OpId reader, const ir::Value& value);

/// Bytes that the stack's software keeps of one operator for its backward beside what the operator declares (`keeps` of
/// the stack), on one device.
double ownCopies(const ir::ShardedProgram& program, const ir::ShardedClass& layerClass, ir::OpId op);

/// Decides what forward keeps for backward, and issues what is done again: steps of a reshard after the kept side, and
/// the replay of checkpoints (docs/language.md, section 11).
class ActivationPolicy {
public:
  ActivationPolicy(const ir::ShardedProgram& program, ir::ShardedClass& layerClass, const std::vector<bool>& wanted,
                   const Checkpoints& checkpoints);

  /// Before the first backward node of a checkpoint: appends the replay of its forward nodes.
  void replay(ir::OpId op, std::vector<ir::ShardedNode>& backward) { replay(checkpointOf(op), backward); }
  /// Keeps what the operator's backward reads and appends the repeated steps of its operands; gives the nodes to wait
  /// for.
  std::vector<int32_t> read(ir::OpId op, std::vector<ir::ShardedNode>& backward);
  /// After `read`: the nodes that bring all operands but one.
  std::vector<int32_t> readOthers(ir::OpId op, int except) const;
  /// Takes out what is replayed only for results that are kept by name; marks what else backward does not need.
  void finish();

private:
  struct Point { ///< a place on the way of an operand from its producer to the layout an operator needs
    ir::Layout layout;
    int32_t node = -1; ///< forward node that ends there (-1: the producer's)
    double elements = 0;
  };
  std::vector<Point> points(ir::OpId op, size_t operand) const;
  Point kept(ir::OpId op, size_t operand) const;
  int32_t keepOperand(ir::OpId op, size_t operand, std::vector<ir::ShardedNode>& backward);
  void save(ir::OpId reader, ir::ValueId value, const ir::Layout& layout, double elements, int32_t made);
  ir::DType keptType(ir::ValueId value) const;
  ir::ShardedNode castOfSaved(ir::OpId reader, ir::ValueId value, const ir::Layout& layout, ir::Phase phase) const;
  int32_t restore(ir::ValueId value, const ir::Layout& layout, std::vector<ir::ShardedNode>& backward);
  void awaitRestored(ir::ShardedNode& node, const std::vector<ir::ShardedNode>& backward) const;
  void saveBuffer(ir::OpId op, const ir::Save& buffer);
  void saveOwnCopies(ir::OpId op);
  void saveEntering(int checkpoint, std::vector<ir::ShardedNode>& backward);
  void saveNamed(int checkpoint, std::vector<ir::ShardedNode>& backward);
  void replay(int checkpoint, std::vector<ir::ShardedNode>& backward);
  bool replayNode(int checkpoint, ir::ShardedNode& node, int32_t at) const;
  int32_t again(ir::OpId reader, ir::ValueId value, const Point& point, std::vector<ir::ShardedNode>& backward);
  bool discarded(ir::ValueId value) const;
  bool handsOn(ir::OpId op) const;
  void dropUnread();
  bool reads(const ir::Op& op, size_t operand) const;
  bool onHost(ir::OpId reader, ir::ValueId value) const;
  bool enters(ir::ValueId value, int checkpoint) const;
  int checkpointOf(ir::OpId op) const { return checkpoints_.of[local(layer_, op)]; }
  int32_t replayOf(int32_t forwardNode) const { return forwardNode < 0 ? -1 : replayed_[forwardNode]; }

  const ir::ShardedProgram& program_;
  ir::ShardedClass& layerClass_;
  const std::vector<bool>& wanted_;
  const Checkpoints& checkpoints_;
  const ir::Layer& layer_;
  std::vector<int32_t> producerNode_; ///< per operator: its compute node in forward
  Indexed<int32_t> replayed_;         ///< per forward node: its copy in backward, or -1
  enum class Replay { Waiting, Running, Done };
  Indexed<Replay> state_;        ///< per checkpoint
  std::vector<bool> keptAnyway_; ///< per operator: discarded, but read while its checkpoint is being replayed
  std::map<std::pair<ir::OpId, int>, int32_t> brings_; ///< what backward of an operator waits for, by operand
  std::vector<std::pair<ir::ValueId, ir::Layout>> savedLayouts_;
  std::map<ir::ValueId, ir::OpId> narrowed_; ///< kept in fewer bits than they have, and for whom
};

/// Two `keep` statements that reach a value equally deep and want different sides of it are an error: their order says
/// nothing. Reported at the later one; false then.
bool checkKeeps(const ir::ShardedProgram& program, DiagnosticEngine& diagnostics);

/// A gradient of a value as someone computed it; `node` is its place in the class's backward list, -1 if it came from
/// another class.
struct Contribution {
  ir::Layout layout;
  int32_t node = -1;
  ir::OpId source;
};
/// Gradients that travel between classes, by value.
using Outer = std::vector<std::vector<Contribution>>;

/// The backward list of one class and what its forward keeps; what leaves it is added to `outer`. `wanted`: by value.
void deriveClass(ir::ShardedProgram& program, ir::ShardedClass& layerClass, const std::vector<bool>& wanted,
                 const Checkpoints& checkpoints, Outer& outer);

/// Says which `recompute` and `keep` statements free no memory and change nothing. `outer`: of the whole program.
void warnOfIdleSavings(const ir::ShardedProgram& program, const std::vector<std::vector<bool>>& wanted,
                       const Outer& outer, DiagnosticEngine& diagnostics);

/// A gradient that reaches a carried value from outside of its repeat.
struct BoundaryGradient {
  ir::Layout layout;
  ir::OpId source;
};
/// Appends a class for the reshards of carried values on the way into a repeat, out of it, and between classes of
/// instances.
void addBoundaryReshards(ir::ShardedProgram& program, const std::vector<std::vector<BoundaryGradient>>& leaving);
/// Puts a boundary reshard where it runs on the virtual stages, beside the classes that it records.
void runBoundaryReshard(const ir::ProgramHead& program, ir::LayerClassId boundary, StageRuns& runs);

/// Live bytes beyond what is kept, at most, while an instance runs forward and backward.
void measureWorkingSet(const ir::ShardedProgram& program, ir::ShardedClass& layerClass);

} // namespace planc::passes
