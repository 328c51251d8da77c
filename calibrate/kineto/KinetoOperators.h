// Which operators of PyTorch are samples of which kind, by name, and how shapes are read off their operands.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/kineto/KinetoTrace.h"
#include "calibrate/samples/Vocabulary.h"

namespace planc::calibrate {

class Operands;

/// An operator of PyTorch: what it is a sample of.
struct KernelRow {
  /// Extents of a sample from operands; false where these are not what it expects.
  using Shape = bool (*)(const KernelRow& row, const Operands& operands, Sample& sample);

  Symbol name; ///< the operator of the library
  Kind kind;
  bool backward;
  Shape shape;
  size_t first, causal; ///< positions of the operand that the shape begins with, and of a flag
};

/// Operators of PyTorch that are one of the library together.
struct ChainRow {
  Symbol name; ///< the operator of the library; its first operand is that of the first of them
  std::vector<Symbol> operators, between; ///< `between`: may stand between them, and are samples of their own
};

struct KinetoWords {
  TypeWords types;
  std::map<Symbol, KernelRow> operators;
  std::vector<ChainRow> chains;                                ///< in the order in which they are tried
  Symbol accumulate;                                           ///< what adds the gradient of a parameter
  std::map<std::string, std::string, std::less<>> collectives; ///< those of the library
};
/// Reads `kineto.json`.
KinetoWords kinetoWords(std::string_view text);

/// That of planc.
const KinetoWords& kinetoVocabulary();

/// What an operator of a trace measures. The sample has no times yet.
struct TraceMeaning {
  Sample sample;
  bool backward = false; ///< its time is (a part of) the backward time
};

/// Whether the table has this name.
bool isKnownOperator(Symbol name);
/// The meaning of an operator; nothing if its operands are not what its row expects (broadcasts, unknown types, no
/// extents).
std::optional<TraceMeaning> meaningOf(const TraceOp& op);
/// A chain that begins with this operator, without times; nothing if its first operand has no extents or an unknown
/// type.
std::optional<Sample> chainSample(const ChainRow& row, const TraceOp& first);
/// An update whose lists of tensors have no shapes: a sample without parameters.
std::optional<Sample> updateWithoutShapes(const TraceOp& op);
/// The meaning of a message of NCCL; `perNode` GPUs stand in a node. Nothing for collectives that no plan has.
std::optional<Sample> meaningOf(const TraceMessage& message, size_t perNode);

} // namespace planc::calibrate
