// Maps operators of PyTorch to kinds of samples by name, and reads shapes from their operands.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/kineto/KinetoTrace.h"
#include "calibrate/samples/Vocabulary.h"

namespace planc::calibrate {

class Operands;

/// An operator of PyTorch, and the kind of sample that it gives.
struct KernelRow {
  /// Reads the extents of a sample from operands. Returns false if the operands are not as expected.
  using Shape = bool (*)(const KernelRow& row, const Operands& operands, Sample& sample);

  Symbol name; ///< name of the library's operator
  Kind kind;
  bool backward;
  Shape shape;
  size_t first, causal; ///< positions of the first operand of the shape, and of the causal flag
};

/// A sequence of PyTorch operators that together are one operator of the library.
struct ChainRow {
  Symbol name; ///< name of the library's operator, whose first operand is that of the first PyTorch operator
  std::vector<Symbol> operators, between; ///< `between`: operators allowed in between, which are samples of their own
};

struct KinetoWords {
  TypeWords types;
  std::map<Symbol, KernelRow> operators;
  std::vector<ChainRow> chains;                                ///< tried in this order
  Symbol accumulate;                                           ///< adds to the gradient of a parameter
  std::map<std::string, std::string, std::less<>> collectives; ///< library collectives by NCCL's names
};
/// Parses `kineto.json`.
KinetoWords kinetoWords(std::string_view text);

/// Returns planc's own vocabulary.
const KinetoWords& kinetoVocabulary();

/// The sample that an operator of a trace gives, without times.
struct TraceMeaning {
  Sample sample;
  bool backward = false; ///< its time is part of the backward time
};

/// Returns whether the vocabulary has this operator.
bool isKnownOperator(Symbol name);
/// Returns the sample of an operator; nothing if its operands do not fit its row (broadcasts, unknown types, no
/// extents).
std::optional<TraceMeaning> meaningOf(const TraceOp& op);
/// Returns the sample of a chain that begins with this operator, without times; nothing if its first operand has no
/// extents or an unknown type.
std::optional<Sample> chainSample(const ChainRow& row, const TraceOp& first);
/// Returns the sample of an update whose lists of tensors have no shapes; its parameter count is missing.
std::optional<Sample> updateWithoutShapes(const TraceOp& op);
/// Returns the sample of an NCCL message; `perNode` is the count of GPUs of a node. Nothing for collectives that planc
/// does not model.
std::optional<Sample> meaningOf(const TraceMessage& message, size_t perNode);

} // namespace planc::calibrate
