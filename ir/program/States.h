// What a parameter keeps and what its update touches: element types as stored, the matrix that an optimizer sees, bytes
// of states.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"

#include <optional>

namespace planc::ir {

/// Optimizers that work on whole matrices gather and multiply them in bf16 (Jordan et al. 2024, "Muon"; arXiv
/// 2502.16982, section 2.3).
inline constexpr DType kMatrixType = DType::bf16;

/// How an optimizer sees a parameter: `count` matrices of rows · columns. Of a contraction's weight the rows are what
/// is summed over, the columns what is not, and dimensions of everything else (experts) count matrices; of a table the
/// last dimension is the columns.
struct Matrices {
  double count = 1, rows = 1, columns = 1;
  double elements() const { return count * rows * columns; }
};
/// Of one instance, whole (`layout` null) or as one device computes with it; nothing for vectors (norms, biases).
std::optional<Matrices> matricesOf(const ProgramHead& program, const ParamUse& p, bool local);
/// Axes of the layout that split rows or columns: no device holds a whole matrix.
AxisMask splitsMatrix(const ProgramHead& program, const ParamUse& p);
/// A matrix that a contraction of a repeated layer multiplies with: neither embedding nor head nor norm.
bool isHiddenMatrix(const ProgramHead& program, const ParamUse& p);

/// By storage: read by lookups and by nothing else, under any of its names.
std::vector<bool> tablesOf(const Model& model);
bool isTable(const Model& model, ValueId param);
/// Are its rows updated in backward, where they were read, so that no gradient of it is stored? Those of a table with
/// an optimizer of its own to whose gradient no other device adds.
bool updatesRows(const ProgramHead& program, const ParamUse& p);

/// Element type in memory: declared, `precision.frozen` for frozen hidden matrices, else `precision.params`.
DType storedAs(const ProgramHead& program, const ParamUse& p);
/// Element type in which its user reads it.
DType usedAs(const ProgramHead& program, const ParamUse& p);
/// Stored narrower than its product computes: it is unpacked before each use.
bool isPacked(const ProgramHead& program, const ParamUse& p);

/// What updates it; null without an optimizer or where nothing is trained.
const Optimizer* updaterOf(const ProgramHead& program, const ParamState& p);
/// What updates it on the device that holds it: null also of one that shares the storage of another parameter there,
/// with which it is updated.
const Optimizer* updaterHere(const ProgramHead& program, const ParamState& p);
/// Bytes of the gradient that a device sends to the host once per step, for the update of its shard there: of one whose
/// gradients do not lie there anyway. In the type in which gradients travel.
double sentToHost(const ProgramHead& program, const ParamState& p);

/// Bytes of one instance on one device.
struct StateBytes {
  double params = 0, grads = 0;
  double states = 0, master = 0; ///< of the optimizer
  double optimizer() const { return states + master; }
};
StateBytes stateBytes(const ProgramHead& program, const ParamState& p);

/// Elements of one instance that one device updates in a step: its shard, or of a table the rows that each micro-batch
/// read.
double updatedElements(const ProgramHead& program, const ParamState& p);

/// Bytes that the update of one instance cannot do without on one device. Adam on bf16: 4, 8 + 4 and 2 per parameter.
struct UpdateBytes {
  double gradient = 0;   ///< read
  double states = 0;     ///< of the optimizer, with the master copy: read and written
  double parameters = 0; ///< written, and read where there is no master copy: both together
};
UpdateBytes leastUpdateBytes(const ProgramHead& program, const ParamState& p);

/// Bytes that an update moves less, since its states have fewer bits than fp32: what software moves is known for these.
double narrowUpdateBytes(const ProgramHead& program, const ParamState& p);
/// The same per element, of parameters that are stored in the type of their states: 16 for Adam in bf16, which has two
/// states of two bytes and no master copy in place of two states and a copy of four. States that are shared by a row or
/// a column of a matrix are not counted.
double narrowUpdateBytes(const Optimizer& optimizer, DType type);

/// FLOPs of one Newton-Schulz iteration on a matrix, r the shorter side: X·Xt, its square, and their product with X
/// (Jordan et al. 2024, "Muon": 4·r²·c + 2·r³).
double newtonSchulzFlops(double rows, double columns);

} // namespace planc::ir
