// The orders in which device stages work: blocks of actions that repeat with later micro-batches, so that making and
// reading an order takes no longer for more micro-batches.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Indexed.h"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
#include <vector>

namespace planc::ir {

/// One action of a device: the forward pass, the backward pass or, if backward is split, the input or weight gradients
/// of one micro-batch on one virtual stage.
enum class ActionKind : uint8_t { Forward, Backward, BackwardInput, BackwardWeight };
struct Action {
  ActionKind kind = ActionKind::Forward;
  bool paired = false; ///< runs together with the next action: each communicates while the other computes
  uint16_t virtualStage = 0;
  uint32_t microBatch = 0;
  bool operator==(const Action&) const = default;
};
/// Every action of every device stage, with all repetitions expanded.
using ActionLists = Indexed<std::vector<Action>>;

/// Items [begin, end) of a list, repeated `times` times, with micro-batches `step` later each time.
struct Repeat {
  uint32_t begin = 0, end = 0;
  int64_t times = 1, step = 0;
  bool operator==(const Repeat&) const = default;
};

/// An iterator over the actions of an order. Equals `std::default_sentinel` after the last action.
class OrderCursor {
public:
  OrderCursor() = default;
  OrderCursor(const Action* actions, const Repeat* blocks, std::span<const Repeat> phases)
      : actions_(actions), blocks_(blocks), phase_(phases.data()), phasesEnd_(phases.data() + phases.size()) {
    beginPhase();
  }

  using value_type = Action;
  using difference_type = std::ptrdiff_t;
  Action operator*() const { return moved(*at_); }
  OrderCursor& operator++() {
    if (++at_ == end_) nextBlock();
    return *this;
  }
  OrderCursor operator++(int) {
    OrderCursor before = *this;
    ++*this;
    return before;
  }
  bool operator==(std::default_sentinel_t) const { return phase_ == phasesEnd_; }

  /// The action as stored in its block. The stored action after it is the second of a pair if this one is paired.
  const Action* written() const { return at_; }
  /// The number of micro-batches by which the action runs later than it is stored.
  int64_t offset() const { return offset_; }
  const Repeat& phase() const { return *phase_; }
  /// Skips `times` repetitions of the current phase (`ofPhase`) or block. Requires `times` < `left(ofPhase)`.
  void skip(int64_t times, bool ofPhase) {
    (ofPhase ? phaseLeft_ : blockLeft_) -= times;
    const int64_t later = times * (ofPhase ? phase_->step : block_->step);
    if (ofPhase) phaseOffset_ += later;
    offset_ += later;
  }
  /// Remaining repetitions of the current phase (`ofPhase`) or block, including the current one.
  int64_t left(bool ofPhase) const { return ofPhase ? phaseLeft_ : blockLeft_; }

private:
  Action moved(Action a) const {
    a.microBatch = static_cast<uint32_t>(a.microBatch + offset_);
    return a;
  }
  void beginPhase() {
    if (phase_ == phasesEnd_) return;
    phaseLeft_ = phase_->times, phaseOffset_ = 0;
    block_ = blocks_ + phase_->begin;
    beginBlock();
  }
  void beginBlock() {
    blockLeft_ = block_->times, offset_ = phaseOffset_;
    at_ = actions_ + block_->begin, end_ = actions_ + block_->end;
  }
  void nextBlock() {
    if (--blockLeft_ > 0) {
      at_ = actions_ + block_->begin;
      offset_ += block_->step;
      return;
    }
    if (++block_ != blocks_ + phase_->end) return beginBlock();
    if (--phaseLeft_ > 0) {
      phaseOffset_ += phase_->step;
      block_ = blocks_ + phase_->begin;
      return beginBlock();
    }
    ++phase_;
    beginPhase();
  }

  const Action *actions_ = nullptr, *at_ = nullptr,
               *end_ = nullptr; ///< all actions; the current action; the end of its block
  const Repeat *blocks_ = nullptr, *block_ = nullptr, *phase_ = nullptr, *phasesEnd_ = nullptr;
  int64_t blockLeft_ = 0, phaseLeft_ = 0; ///< remaining repetitions, including the current one
  int64_t offset_ = 0, phaseOffset_ = 0;
};

/// The order of one device stage: phases of blocks of actions. Valid as long as its `Orders`.
class Order {
public:
  Order(std::span<const Action> actions, std::span<const Repeat> blocks, std::span<const Repeat> phases, size_t size)
      : actions_(actions), blocks_(blocks), phases_(phases), size_(size) {}

  /// Number of actions, repetitions counted.
  size_t size() const { return size_; }
  OrderCursor begin() const { return {actions_.data(), blocks_.data(), phases_}; }
  std::default_sentinel_t end() const { return {}; }
  std::vector<Action> list() const;

  std::span<const Repeat> phases() const { return phases_; }
  std::span<const Repeat> blocks(const Repeat& phase) const {
    return blocks_.subspan(phase.begin, phase.end - phase.begin);
  }
  std::span<const Action> actions(const Repeat& block) const {
    return actions_.subspan(block.begin, block.end - block.begin);
  }
  /// Visits every stored action with the number of times that it runs.
  template <class Visit> void eachWritten(Visit visit) const {
    for (const Repeat& phase : phases_)
      for (const Repeat& block : blocks(phase))
        for (const Action& a : actions(block)) visit(a, phase.times * block.times);
  }
  /// Visits the ends of all repetitions, in order: `visit(action)` for the first `leading` repetitions and for the last
  /// one, `between(actions, times)` for a block's actions in between. A quantity that changes by a constant amount per
  /// repetition has its extremes at the ends; if the first repetition differs from the others, at the ends of the
  /// others.
  template <class Visit, class Between> void eachEnd(Visit visit, Between between, int64_t leading = 1) const {
    for (const Repeat& phase : phases_) {
      const int64_t first = std::min(leading, phase.times), left = phase.times - first;
      for (int64_t time = 0; time < first; ++time) endsOf(phase, time, visit, between, leading);
      if (left > 1)
        for (const Repeat& block : blocks(phase)) between(actions(block), block.times * (left - 1));
      if (left > 0) endsOf(phase, phase.times - 1, visit, between, leading);
    }
  }

private:
  template <class Visit, class Between>
  void endsOf(const Repeat& phase, int64_t time, Visit visit, Between between, int64_t leading) const {
    for (const Repeat& block : blocks(phase)) {
      const auto all = [&](int64_t repetition) {
        for (Action a : actions(block)) {
          a.microBatch = static_cast<uint32_t>(a.microBatch + time * phase.step + repetition * block.step);
          visit(a);
        }
      };
      const int64_t first = std::min(leading, block.times), left = block.times - first;
      for (int64_t repetition = 0; repetition < first; ++repetition) all(repetition);
      if (left > 1) between(actions(block), left - 1);
      if (left > 0) all(block.times - 1);
    }
  }

  std::span<const Action> actions_;
  std::span<const Repeat> blocks_, phases_;
  size_t size_ = 0;
};

/// The orders of all device stages. Both actions of a pair are in one block.
class Orders {
public:
  Orders() = default;
  /// Folds the longest periodic stretch of every list.
  Orders(const ActionLists& lists); // NOLINT: a list is an order
  bool operator==(const Orders&) const = default;

  /// Starts the next stage: later additions belong to it.
  void addStage();
  /// Adds a block. Does nothing if `times` is less than 1.
  void add(std::span<const Action> actions, int64_t times = 1, int64_t step = 1);
  void add(std::initializer_list<Action> actions, int64_t times = 1, int64_t step = 1) {
    add(std::span<const Action>(actions.begin(), actions.size()), times, step);
  }
  /// Adds a phase that consists of the blocks that `write()` adds.
  template <class Write> void repeat(int64_t times, int64_t step, Write write) {
    if (times < 1) return;
    openPhase(times, step);
    write();
    closePhase();
  }

  size_t size() const { return sizes_.size(); }
  bool empty() const { return sizes_.empty(); }
  Order operator[](std::integral auto stage) const {
    const auto s = static_cast<size_t>(stage);
    const size_t begin = s == 0 ? 0 : phaseEnds_[s - 1];
    return {actions_, blocks_, std::span(phases_).subspan(begin, phaseEnds_[s] - begin), sizes_[s]};
  }
  ActionLists lists() const;
  /// The stored actions of all stages, block by block.
  std::span<const Action> written() const { return actions_; }
  /// The orders without backward passes.
  Orders forwardOnly() const;

  class StageIterator {
  public:
    StageIterator(const Orders& orders, size_t stage) : orders_(&orders), stage_(stage) {}
    Order operator*() const { return (*orders_)[stage_]; }
    StageIterator& operator++() {
      ++stage_;
      return *this;
    }
    bool operator==(const StageIterator& other) const { return stage_ == other.stage_; }

  private:
    const Orders* orders_;
    size_t stage_;
  };
  StageIterator begin() const { return {*this, 0}; }
  StageIterator end() const { return {*this, size()}; }

private:
  void openPhase(int64_t times, int64_t step);
  void closePhase();

  std::vector<Action> actions_;
  std::vector<Repeat> blocks_;      ///< index `actions_`
  std::vector<Repeat> phases_;      ///< index `blocks_`
  std::vector<uint32_t> phaseEnds_; ///< by stage
  std::vector<size_t> sizes_;       ///< by stage
  bool open_ = false;               ///< new blocks belong to the last phase
};

} // namespace planc::ir
