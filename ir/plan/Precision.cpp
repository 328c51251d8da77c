// The keys of `precision { … }` and the member that each key sets.
// SPDX-License-Identifier: Apache-2.0
#include "ir/plan/Precision.h"

#include <algorithm>
#include <array>

namespace planc::ir {

namespace {

/// One key: its name, and the member that it sets, either one that always has a type or an optional one. The key of a
/// state has a name and sets neither.
struct KeyRow {
  PrecisionKey key;
  std::string_view name;
  DType PrecisionTypes::*type = nullptr;
  std::optional<DType> PrecisionTypes::*stated = nullptr;
  SourceRange Precision::*range = nullptr; ///< where it is written, if reports point at it
};
constexpr std::array<KeyRow, 9> kKeyRows{{
    {PrecisionKey::Compute, "compute", &PrecisionTypes::compute, nullptr, &Precision::computeRange},
    {PrecisionKey::Activations, "activations", &PrecisionTypes::activations},
    {PrecisionKey::Saved, "saved", nullptr, &PrecisionTypes::saved},
    {PrecisionKey::Params, "params", &PrecisionTypes::params},
    {PrecisionKey::Frozen, "frozen", nullptr, &PrecisionTypes::frozen, &Precision::frozenRange},
    {PrecisionKey::Grads, "grads", &PrecisionTypes::grads},
    {PrecisionKey::Reduce, "reduce", &PrecisionTypes::reduce},
    {PrecisionKey::Optimizer, "optimizer", &PrecisionTypes::optimizer},
    {PrecisionKey::State, "state"},
}};

const KeyRow& rowOf(PrecisionKey key) {
  return *std::find_if(kKeyRows.begin(), kKeyRows.end(), [key](const KeyRow& r) { return r.key == key; });
}

constexpr auto kKeys = [] {
  std::array<PrecisionKey, kKeyRows.size() - 1> keys{}; // the last row is State
  for (size_t i = 0; i < keys.size(); ++i) keys[i] = kKeyRows[i].key;
  return keys;
}();

} // namespace

std::string_view name(PrecisionKey key) {
  return rowOf(key).name;
}

std::span<const PrecisionKey> precisionKeys() {
  return kKeys;
}

std::string PrecisionFact::str() const {
  return key == PrecisionKey::State ? std::string(name(PrecisionKey::Optimizer)) + "." + state.str()
                                    : std::string(name(key));
}

void Precision::set(const PrecisionFact& fact) {
  const KeyRow& row = rowOf(fact.key);
  if (row.type) this->*row.type = fact.type;
  if (row.stated) this->*row.stated = fact.type;
  if (row.range) this->*row.range = fact.range;
  if (fact.key == PrecisionKey::State) states[fact.state] = fact.type;
}

DType Precision::stateType(Symbol state) const {
  const auto found = states.find(state);
  return found == states.end() ? optimizer : found->second;
}

PrecisionTypes Precision::holding() const {
  PrecisionTypes types = *this;
  std::erase_if(types.states, [&](const auto& state) { return state.second == optimizer; });
  return types;
}

} // namespace planc::ir
