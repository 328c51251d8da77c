// Which virtual stages the device stages hold, and which of them hold the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"

#include <cstdint>
#include <span>
#include <vector>

namespace planc::cost {

/// Device stages of one kind hold virtual stages of the same kinds, in the same order: what one of them holds and does
/// once per step, all do.
class DeviceStages {
public:
  explicit DeviceStages(const ir::Program& program);

  size_t size() const { return kindOf_.size(); }
  /// Virtual stages, those of the first route first: as `Program::heldBy`.
  std::span<const uint32_t> heldBy(size_t stage) const {
    return std::span(held_).subspan(from_[stage], from_[stage + 1] - from_[stage]);
  }
  size_t kinds() const { return first_.size(); }
  size_t kindOf(size_t stage) const { return kindOf_[stage]; }
  /// The first stage of a kind.
  size_t firstOf(size_t kind) const { return first_[kind]; }
  /// The kinds of the virtual stages that a stage holds.
  std::vector<const ir::StageKind*> stageKinds(size_t stage) const;

private:
  const ir::Program& program_;
  std::vector<uint32_t> held_, kindOf_, first_;
  std::vector<size_t> from_; ///< by stage, in the first list
};

} // namespace planc::cost
