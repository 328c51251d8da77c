// Which virtual stages each device stage holds, and which device stages hold equal virtual stages.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace planc::cost {

/// Groups device stages into kinds. Stages of one kind hold virtual stages of the same kinds in the same order, so
/// their memory and their work once per step are equal.
class DeviceStages {
public:
  explicit DeviceStages(const ir::Program& program);

  size_t size() const { return kindOf_.size(); }
  /// Returns the virtual stages of a device stage, in the order of `Program::heldBy`: the first route first.
  std::span<const uint32_t> heldBy(size_t stage) const {
    return std::span(held_).subspan(from_[stage], from_[stage + 1] - from_[stage]);
  }
  size_t kinds() const { return first_.size(); }
  size_t kindOf(size_t stage) const { return kindOf_[stage]; }
  /// Returns the first stage of a kind.
  size_t firstOf(size_t kind) const { return first_[kind]; }
  /// Returns the classes that a device stage holds, sorted by id, each with its number of instances in all chunks.
  std::vector<std::pair<ir::LayerClassId, int64_t>> instancesOn(size_t stage) const;
  /// Returns the kinds of the virtual stages that a device stage holds.
  std::vector<const ir::StageKind*> stageKinds(size_t stage) const;

private:
  const ir::Program& program_;
  std::vector<uint32_t> held_, kindOf_, first_;
  std::vector<size_t> from_; ///< per stage: index of its first element in `held_`
};

} // namespace planc::cost
