// The parts of derive-backward: checkpoints, kept and replayed activations (`ActivationPolicy`), reshards between
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

/// The checkpoints of the operators of a class. Each match of a `recompute` selector is a checkpoint.
struct Checkpoints {
  std::vector<int> of;     ///< per operator of the layer: index of its checkpoint, or -1
  std::vector<bool> named; ///< per operator of the layer: its result is kept by name (`save`)
  struct Form {
    bool saves = false;    ///< keeps a result by name, so only what is read is replayed
    bool discards = false; ///< its outputs are not kept for their readers either (`outputs`)
  };
  Indexed<Form> forms; ///< by checkpoint
  bool ok = true;
};
/// Returns the checkpoints of a class. Reports nested checkpoints and sets `ok` to false.
Checkpoints findCheckpoints(const ir::ShardedProgram& program, const ir::ShardedClass& layerClass,
                            DiagnosticEngine& diagnostics);

/// Returns the number of steps with which a selector of the plan's `recompute` statement `rule` reaches a path in this
/// class, under the statement's `first`; null if it does not.
std::optional<int> recomputes(const ir::ShardedProgram& program, size_t rule, const ir::Selector& selector,
                              const std::vector<Symbol>& path, const ir::ShardedClass& layerClass);

/// Returns the number of steps with which the selector of a `keep` names the value that `reader`, an operator of these
/// instances of the layer, keeps; null if it does not. A carried value belongs to the instance that keeps it.
std::optional<int> keepsOf(const ir::ShardedProgram& program, ir::LayerId layer, const ir::RangeSet& instances,
                           const ir::Selector& selector, ir::OpId reader, const ir::Value& value);

/// Returns the bytes per device that the stack's software keeps of one operator for its backward (`keeps` of the
/// stack), in addition to those that the operator declares.
double ownCopies(const ir::ShardedProgram& program, const ir::ShardedClass& layerClass, ir::OpId op);

/// Decides what forward keeps for backward, and adds what backward repeats: the steps of a reshard after the kept
/// layout, and the replay of checkpoints (docs/language.md, section 11).
class ActivationPolicy {
public:
  ActivationPolicy(const ir::ShardedProgram& program, ir::ShardedClass& layerClass, const std::vector<bool>& wanted,
                   const Checkpoints& checkpoints);

  /// Appends the replay of the operator's checkpoint. Call it before the first backward node of the checkpoint.
  void replay(ir::OpId op, std::vector<ir::ShardedNode>& backward) { replay(checkpointOf(op), backward); }
  /// Keeps what the operator's backward reads and appends the repeated steps of its operands. Returns the nodes to wait
  /// for.
  std::vector<int32_t> read(ir::OpId op, std::vector<ir::ShardedNode>& backward);
  /// Returns the nodes that provide all operands except `except`. Call it after `read`.
  std::vector<int32_t> readOthers(ir::OpId op, int except) const;
  /// Removes replays that only feed results kept by name, and marks the other nodes that backward does not need.
  void finish();

private:
  struct Point { ///< a layout of an operand between its producer and an operator that reads it
    ir::Layout layout;
    int32_t node = -1; ///< forward node that produces this layout; -1: the producer's node
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
  using Readers = std::map<ir::ValueId, std::vector<ir::OpId>>;
  bool handsOn(ir::OpId op, const Readers& readers) const;
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
  std::vector<bool> keptAnyway_; ///< per operator: discarded, but read during the replay of its checkpoint
  std::map<std::pair<ir::OpId, int>, int32_t> brings_; ///< node that the backward of an operator waits for, by operand
  std::map<ir::ValueId, std::vector<ir::Layout>> savedLayouts_;
  std::map<ir::ValueId, std::vector<int32_t>> regathers_; ///< backward nodes that repeat the reshards of a kept value
  std::map<ir::ValueId, std::vector<int32_t>> remade_;    ///< backward nodes of replays that reshard a value
  std::vector<std::vector<ir::OpId>> opsOf_;              ///< per checkpoint: its operators
  std::vector<std::vector<uint32_t>> nodesOf_;            ///< per checkpoint: the forward nodes of its operators
  std::map<ir::ValueId, ir::OpId> narrowed_;              ///< values kept in fewer bits, and the reader that keeps them
};

/// Reports two `keep` statements that reach a value equally deep and choose different sides of it, at the later one,
/// because their order means nothing. Returns false if there are such statements.
bool checkKeeps(const ir::ShardedProgram& program, DiagnosticEngine& diagnostics);

/// One contribution to the gradient of a value. `node` is its index in the class's backward list, -1 if it came from
/// another class.
struct Contribution {
  ir::Layout layout;
  int32_t node = -1;
  ir::OpId source;
};
/// Gradients that pass between classes, by value.
using Outer = std::vector<std::vector<Contribution>>;

/// Derives the backward list of one class and what its forward keeps. Gradients that leave the class are added to
/// `outer`. `wanted`: whether a value needs a gradient, by value.
void deriveClass(ir::ShardedProgram& program, ir::ShardedClass& layerClass, const std::vector<bool>& wanted,
                 const Checkpoints& checkpoints, Outer& outer);

/// Warns of `recompute` and `keep` statements that free no memory and change nothing. `outer`: gradients of the whole
/// program.
void warnOfIdleSavings(const ir::ShardedProgram& program, const std::vector<std::vector<bool>>& wanted,
                       const Outer& outer, DiagnosticEngine& diagnostics);

/// A gradient that reaches a carried value from outside its repeat.
struct BoundaryGradient {
  ir::Layout layout;
  ir::OpId source;
};
/// Appends classes for the reshards of carried values on the way into a repeat, out of it, and between classes of
/// instances.
void addBoundaryReshards(ir::ShardedProgram& program, const std::vector<std::vector<BoundaryGradient>>& leaving);
/// Adds a boundary reshard to the virtual stages on which it runs, next to the classes that it names.
void runBoundaryReshard(const ir::ProgramHead& program, ir::LayerClassId boundary, StageRuns& runs);

/// Measures the most live bytes, beyond what is kept, while an instance runs forward and backward.
void measureWorkingSet(const ir::ShardedProgram& program, ir::ShardedClass& layerClass);

} // namespace planc::passes
