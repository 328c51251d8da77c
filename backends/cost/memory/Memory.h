// What devices hold in memory, as plain data: by kind and by stage, at the fullest moment.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"

#include <optional>
#include <string>
#include <vector>

namespace planc::cost {

struct LiveBytes {
  std::string what;
  double bytes = 0;
};

/// Of one device stage at its fullest moment, in bytes.
struct StageMemory {
  int64_t stage = 0;
  double params = 0, grads = 0, optimizer = 0, activations = 0, buffers = 0, peak = 0;
  double passPeak = 0, stepPeak = 0;    ///< allocated while passes run, and while the optimizer does
  double hostBytes = 0;                 ///< in the host's memory, per device
  std::vector<LiveBytes> host;          ///< what lies there
  ir::Phase phase = ir::Phase::Forward; ///< of the fullest moment: forward, backward or step
  int64_t microBatch = 0, chunk = 0;    ///< whose pass it is
  ir::LayerRef layer;                   ///< that runs; no steps: none of them
  std::vector<LiveBytes> live;          ///< what adds up to `peak`, largest first
};

/// What runs at the fullest moment: `decoder`, `the model`.
std::string runningText(const StageMemory& stage);

struct Memory {
  double peak = 0;          ///< what the program has allocated on the fullest stage
  double capacity = 0;      ///< what the driver lets programs have
  double reserved = 0;      ///< of the capacity, what others hold
  double fragmentation = 1; ///< memory that the allocator needs per allocated byte
  /// Bytes that the allocator holds at most, cached blocks included, as torch.cuda.max_memory_reserved counts them.
  /// Null unless the stack says its `caching`.
  std::optional<double> pool;
  bool fits = true;
  /// With the stack's error of a peak: at least one half where it fits. Nothing where the stack gives none.
  std::optional<double> fitsProbability;
  double params = 0, grads = 0, optimizer = 0, activations = 0, buffers = 0; ///< of the fullest stage
  int64_t fullest = 0;
  double hostPeak = 0, hostCapacity = 0; ///< in the host's memory, per device; capacity 0 where nothing is there
  std::vector<StageMemory> stages;

  /// The largest peak that fits.
  double room() const { return (capacity - reserved) / fragmentation; }
  /// Is the host's memory fuller than the device's?
  bool hostIsFuller() const { return hostPeak * room() > peak * hostCapacity; }
};

} // namespace planc::cost
