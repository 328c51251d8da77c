// Element types of a plan for computing, keeping, storing and sending: for the whole model, and by rules for some of
// its layers.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/model/DType.h"
#include "ir/model/LayerRef.h"

#include <map>
#include <optional>
#include <span>

namespace planc::ir {

/// The keys of `precision { … }`.
enum class PrecisionKey { Compute, Activations, Saved, Params, Frozen, Grads, Reduce, Optimizer, State };
/// The key as written; a state of the optimizer is written `optimizer.NAME`.
std::string_view name(PrecisionKey key);
/// All keys but State, whose names the optimizer defines.
std::span<const PrecisionKey> precisionKeys();

/// `compute = bf16`.
struct PrecisionFact {
  PrecisionKey key = PrecisionKey::Compute;
  Symbol state; ///< State: its name (`m`)
  DType type = DType::bf16;
  SourceRange range;
  /// The fact without its value: `compute`, `optimizer.m`.
  std::string str() const;
  bool operator==(const PrecisionFact&) const = default;
};

/// `at SELECTOR, … { … }`, one rule per selector. Types that it does not give are inherited.
struct PrecisionRule {
  Selector selector;
  std::vector<PrecisionFact> facts;
  bool operator==(const PrecisionRule&) const = default;
};

/// `dispatch = fp8; combine { result = bf16; grad = fp8 }`: the types in which an operator's result travels.
struct WireTypes {
  struct Said {
    DType type = DType::bf16;
    SourceRange range;
    bool operator==(const Said&) const = default;
  };
  std::optional<Said> result, gradient; ///< the result, and the gradients that its backward computes
  bool operator==(const WireTypes&) const = default;
};

/// The types at one place of the model, after its rules.
struct PrecisionTypes {
  DType compute = DType::bf16;
  DType activations = DType::bf16;
  DType params = DType::bf16;
  DType grads = DType::fp32;
  DType reduce = DType::fp32;
  DType optimizer = DType::fp32;
  std::optional<DType> saved;     ///< type in which backward keeps results; empty: their own
  std::optional<DType> frozen;    ///< type of frozen parameters in memory; empty: `params`
  std::map<Symbol, DType> states; ///< types of optimizer states, by name; `optimizer` if missing
  bool byRule = false;            ///< a rule gives `compute`; it then applies to every product that reads a parameter

  bool operator==(const PrecisionTypes&) const = default;
};

/// The types for the whole model, and where they are written.
struct Precision : PrecisionTypes {
  std::map<Symbol, WireTypes> onWire; ///< by operator name; rules cannot change it
  SourceRange computeRange, frozenRange;
  SourceRange range;

  void set(const PrecisionFact& fact);
  /// The type of an optimizer state, or of the master copy (`master`).
  DType stateType(Symbol state) const;
  /// The effective types: without states whose type equals `optimizer`.
  PrecisionTypes holding() const;
  bool operator==(const Precision&) const = default;
};

} // namespace planc::ir
