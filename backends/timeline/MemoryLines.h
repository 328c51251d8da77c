// The memory of stages over time: the bytes of the memory account at the times of the passes.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/timeline/Timeline.h"

#include <unordered_map>

namespace planc::timeline {

/// Writes the memory of each stage into a timeline whose spans are complete. The moments inside a pass are placed at
/// its layers, in order.
class MemoryLines : public cost::MemoryObserver {
public:
  explicit MemoryLines(Timeline& line) : line_(line) {}
  void beginStage(int64_t stage, const cost::SteadyBytes& steady) override;
  void observe(const ir::Action& action, const ir::Action* paired, std::span<const cost::PassPeak> moments,
               const cost::PassPeak& after) override;
  /// Ends the last stage.
  void finish();

private:
  struct Interval {
    double begin = 0, end = 0;
  };
  cost::PassPeak idle() const;
  void note(double at, const cost::PassPeak& peak, bool inPasses);

  Timeline& line_;
  StageLine* stage_ = nullptr; ///< the current stage
  cost::SteadyBytes steady_;
  std::unordered_map<uint64_t, Interval> passes_; ///< of the current stage, by key
  double at_ = 0;
};

} // namespace planc::timeline
