// The stored states of parameters and the work of their update: element types as stored, the matrix that an optimizer
// sees, bytes of states.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"

#include <map>
#include <optional>

namespace planc::ir {

/// The type in which optimizers that work on whole matrices gather and multiply them (Jordan et al. 2024, "Muon"; arXiv
/// 2502.16982, section 2.3).
inline constexpr DType kMatrixType = DType::bf16;

/// Finds the operator of a parameter's layer that first multiplies with it or looks it up, without a search for the
/// parameters of one layer.
class Multipliers {
public:
  Multipliers(const Model& model, LayerId layer);
  /// Returns null if no operator does.
  const Op* of(const ParamUse& p) const;

private:
  const Model& model_;
  LayerId layer_;
  std::map<ValueId, OpId> first_; ///< by parameter of the layer
};

/// A parameter as an optimizer sees it: `count` matrices of rows · columns. For a contraction's weight the rows are the
/// summed dimensions, the columns the dimensions of the result, and all other dimensions (experts) count matrices. For
/// a table the columns are the last dimension.
struct Matrices {
  double count = 1, rows = 1, columns = 1;
  double elements() const { return count * rows * columns; }
};
/// The matrices of one instance of a parameter; nullopt for vectors (norms, biases). `local`: the matrices as one
/// device computes with them; false: whole matrices.
std::optional<Matrices> matricesOf(const ProgramHead& program, const ParamUse& p, bool local);
/// Axes of the layout that split rows or columns, so that no device holds a whole matrix.
AxisMask splitsMatrix(const ProgramHead& program, const ParamUse& p);
/// Returns whether a contraction of a repeated layer multiplies with the matrix. Embedding, head and norms are not
/// hidden.
bool isHiddenMatrix(const ProgramHead& program, const ParamUse& p);

/// For each parameter, by storage: whether it is a table, that is, only lookups read it, under any of its names.
std::vector<bool> tablesOf(const Model& model);
bool isTable(const Model& model, ValueId param);
/// Returns whether backward updates only the rows that were read, so that no gradient is stored. True for a table with
/// its own optimizer, if no other device adds to its gradient.
bool updatesRows(const ProgramHead& program, const ParamUse& p);

/// Element type in memory: the declared type, `precision.frozen` for frozen hidden matrices, else `precision.params`.
DType storedAs(const ProgramHead& program, const ParamUse& p);
/// Element type in which its operator reads the parameter. `multiplier`: from `Multipliers`.
DType usedAs(const ProgramHead& program, const ParamUse& p);
DType usedAs(const ProgramHead& program, const ParamUse& p, const Op* multiplier);
/// Returns whether the parameter is stored in a narrower type than its product uses, so that it is unpacked before use.
bool isPacked(const ProgramHead& program, const ParamUse& p, const Op* multiplier);

/// The optimizer that updates the parameter. Returns null if there is none or if nothing is trained.
const Optimizer* updaterOf(const ProgramHead& program, const ParamState& p);
/// The optimizer that updates the parameter on the device that holds it. Also returns null if the parameter shares the
/// storage of another parameter on that device, because both are updated together.
const Optimizer* updaterHere(const ProgramHead& program, const ParamState& p);
/// Bytes of the gradient that a device sends to the host once per step to update its shard there, in the type in which
/// gradients travel; 0 if the gradients are stored on the host anyway.
double sentToHost(const ProgramHead& program, const ParamState& p);

/// Bytes of the states of one instance on one device.
struct StateBytes {
  double params = 0, grads = 0;
  double states = 0, master = 0; ///< of the optimizer
  double optimizer() const { return states + master; }
};
StateBytes stateBytes(const ProgramHead& program, const ParamState& p);

/// Elements of one instance that one device updates in a step: its shard; for a table, the rows that each micro-batch
/// reads.
double updatedElements(const ProgramHead& program, const ParamState& p);

/// The minimum bytes that the update of one instance moves on one device. Adam on bf16: 4, 8 + 4 and 2 per parameter.
struct UpdateBytes {
  double gradient = 0;   ///< read
  double states = 0;     ///< of the optimizer, with the master copy: total of read and written
  double parameters = 0; ///< written, and also read if there is no master copy
};
UpdateBytes leastUpdateBytes(const ProgramHead& program, const ParamState& p);

/// Bytes that an update saves because its states have fewer bits than fp32; the measured traffic of software is for
/// fp32 states.
double narrowUpdateBytes(const ProgramHead& program, const ParamState& p);
/// Bytes saved per element, for parameters stored in the type of their states: 16 for Adam in bf16, which has two
/// states of two bytes and no master copy instead of two states and a copy of four bytes each. Ignores states that are
/// shared by a row or a column of a matrix.
double narrowUpdateBytes(const Optimizer& optimizer, DType type);

/// FLOPs of one Newton-Schulz iteration on a matrix: 4·r²·c + 2·r³ with r the shorter side (X·Xt, its square, and their
/// product with X; Jordan et al. 2024, "Muon").
double newtonSchulzFlops(double rows, double columns);

} // namespace planc::ir
