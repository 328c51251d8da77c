// The keys of `precision { … }`, and where each puts its type.
// SPDX-License-Identifier: Apache-2.0
#include "ir/Precision.h"

#include <array>

namespace planc::ir {

namespace {

constexpr std::array<std::string_view, 9> kKeyNames{"compute", "activations", "saved",     "params", "frozen",
                                                    "grads",   "reduce",      "optimizer", "state"};
constexpr std::array<PrecisionKey, 8> kKeys{PrecisionKey::Compute, PrecisionKey::Activations, PrecisionKey::Saved,
                                            PrecisionKey::Params,  PrecisionKey::Frozen,      PrecisionKey::Grads,
                                            PrecisionKey::Reduce,  PrecisionKey::Optimizer};

} // namespace

std::string_view name(PrecisionKey key) {
  return kKeyNames[static_cast<size_t>(key)];
}

std::span<const PrecisionKey> precisionKeys() {
  return kKeys;
}

std::string PrecisionFact::str() const {
  return key == PrecisionKey::State ? std::string(name(PrecisionKey::Optimizer)) + "." + state.str()
                                    : std::string(name(key));
}

void Precision::set(const PrecisionFact& fact) {
  switch (fact.key) {
  case PrecisionKey::Compute:
    compute = fact.type, computeRange = fact.range;
    break;
  case PrecisionKey::Activations:
    activations = fact.type;
    break;
  case PrecisionKey::Saved:
    saved = fact.type;
    break;
  case PrecisionKey::Params:
    params = fact.type;
    break;
  case PrecisionKey::Frozen:
    frozen = fact.type, frozenRange = fact.range;
    break;
  case PrecisionKey::Grads:
    grads = fact.type;
    break;
  case PrecisionKey::Reduce:
    reduce = fact.type;
    break;
  case PrecisionKey::Optimizer:
    optimizer = fact.type;
    break;
  case PrecisionKey::State:
    states[fact.state] = fact.type;
    break;
  }
}

DType Precision::stateType(Symbol state) const {
  const auto found = states.find(state);
  return found == states.end() ? optimizer : found->second;
}

} // namespace planc::ir
