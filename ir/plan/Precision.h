// Element types of a plan: of what is computed, kept, stored and sent, for all of the model and by rules for some of
// its layers.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/model/DType.h"
#include "ir/model/LayerRef.h"

#include <map>
#include <optional>
#include <span>

namespace planc::ir {

/// What a fact of `precision { … }` gives the type of.
enum class PrecisionKey { Compute, Activations, Saved, Params, Frozen, Grads, Reduce, Optimizer, State };
/// As written; a state of the optimizer is `optimizer.NAME`.
std::string_view name(PrecisionKey key);
/// All but State, which has names of its own.
std::span<const PrecisionKey> precisionKeys();

/// `compute = bf16`.
struct PrecisionFact {
  PrecisionKey key = PrecisionKey::Compute;
  Symbol state; ///< State: its name (`m`)
  DType type = DType::bf16;
  SourceRange range;
  /// As written, without the value: `compute`, `optimizer.m`.
  std::string str() const;
  bool operator==(const PrecisionFact&) const = default;
};

/// `at SELECTOR, … { … }`, once per selector: what it does not give is as around it.
struct PrecisionRule {
  Selector selector;
  std::vector<PrecisionFact> facts;
  bool operator==(const PrecisionRule&) const = default;
};

/// `dispatch = fp8; combine { result = bf16; grad = fp8 }`: types that hold while what an operator makes travels.
struct WireTypes {
  struct Said {
    DType type = DType::bf16;
    SourceRange range;
    bool operator==(const Said&) const = default;
  };
  std::optional<Said> result, gradient; ///< its result, and the gradients that its backward makes
  bool operator==(const WireTypes&) const = default;
};

/// The types that hold at one place of the model, as its rules give them.
struct PrecisionTypes {
  DType compute = DType::bf16;
  DType activations = DType::bf16;
  DType params = DType::bf16;
  DType grads = DType::fp32;
  DType reduce = DType::fp32;
  DType optimizer = DType::fp32;
  std::optional<DType> saved;     ///< what backward keeps of results; else as they are
  std::optional<DType> frozen;    ///< frozen parameters as stored; else as `params`
  std::map<Symbol, DType> states; ///< of the optimizer, by name; else `optimizer`
  bool byRule = false;            ///< `compute` is stated by a rule: it holds for every product that reads a parameter

  bool operator==(const PrecisionTypes&) const = default;
};

/// The same, with what holds for all of the model, and where it is stated.
struct Precision : PrecisionTypes {
  std::map<Symbol, WireTypes> onWire; ///< by operator name; no rule gives it
  SourceRange computeRange, frozenRange;
  SourceRange range;

  void set(const PrecisionFact& fact);
  /// Of a state of the optimizer, or of its master copy (`master`).
  DType stateType(Symbol state) const;
  /// What holds here, wherever it is stated: without states of the type that `optimizer` gives them.
  PrecisionTypes holding() const;
  bool operator==(const Precision&) const = default;
};

} // namespace planc::ir
