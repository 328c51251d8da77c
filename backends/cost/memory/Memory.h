// Memory of devices as plain data: by kind and by stage, at the moment of the largest use.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"

#include <optional>
#include <string>
#include <vector>

namespace planc::cost {

/// One kind of contents of the memory, with its bytes.
struct LiveBytes {
  std::string what;
  double bytes = 0;
};

/// Memory of one device stage at the moment of its peak, in bytes.
struct StageMemory {
  int64_t stage = 0;
  double params = 0, grads = 0, optimizer = 0, activations = 0, buffers = 0, peak = 0;
  double passPeak = 0, stepPeak = 0;    ///< peak during the passes, and during the optimizer's step
  double hostBytes = 0;                 ///< bytes in the host's memory, per device
  std::vector<LiveBytes> host;          ///< contents of the host's memory
  ir::Phase phase = ir::Phase::Forward; ///< phase of the peak: forward, backward or step
  int64_t microBatch = 0, chunk = 0;    ///< micro-batch and chunk of the pass at the peak
  ir::LayerRef layer;                   ///< layer that runs at the peak; empty `steps` if no layer runs
  std::vector<LiveBytes> live;          ///< contents that add up to `peak`, largest first
};

/// Returns the layer that runs at the peak, `decoder`, or `the model` if no layer does.
std::string runningText(const StageMemory& stage);

/// Memory of the whole plan, in bytes per device.
struct Memory {
  double peak = 0;          ///< bytes that the program has allocated on the fullest stage
  double capacity = 0;      ///< bytes that the driver lets programs use
  double reserved = 0;      ///< part of the capacity that other users hold
  double fragmentation = 1; ///< bytes that the allocator needs per allocated byte
  /// Most bytes that the allocator holds, cached blocks included, as torch.cuda.max_memory_reserved counts them. Null
  /// unless the stack gives `caching`.
  std::optional<double> pool;
  bool fits = true;
  /// Probability that the peak fits, from the stack's error of peaks; at least 0.5 if `fits`. Null if the stack gives
  /// no error.
  std::optional<double> fitsProbability;
  double params = 0, grads = 0, optimizer = 0, activations = 0, buffers = 0; ///< bytes of the fullest stage
  int64_t fullest = 0;
  double hostPeak = 0, hostCapacity = 0; ///< bytes of the host's memory, per device; capacity 0: unused
  std::vector<StageMemory> stages;

  /// Returns the largest peak that fits.
  double room() const { return (capacity - reserved) / fragmentation; }
  /// Returns whether the host's memory is fuller than the device's.
  bool hostIsFuller() const { return hostPeak * room() > peak * hostCapacity; }
};

} // namespace planc::cost
