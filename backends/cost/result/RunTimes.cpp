// The time of a run in which devices fail (docs/cost-model.md, section 8).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/result/RunTimes.h"

#include <cmath>

namespace planc::cost {

// Failures are a Poisson process. A segment is the work between two checkpoints, and the checkpoint. A segment that a
// failure hits begins anew after a restart, and a failure can hit the restart, too (the complete cost function of Daly
// 2006). In a segment of s seconds the expected number of failed attempts is e^(s/M) - 1. All attempts together take
// M·(e^(s/M) - 1), and each restart takes M·(e^(R/M) - 1).
RunTimes runTimes(const RunTerms& r) {
  RunTimes out;
  out.productive = r.work;
  const double every = r.segment();
  const double segments = every > 0 ? r.work / every : 0;
  const double checkpoint = r.every > 0 ? r.checkpoint : 0;
  out.checkpoints = r.every > 0 ? segments : 0;
  out.checkpointing = segments * checkpoint;
  if (r.mtbf > 0) {
    const double attempts = std::expm1((every + checkpoint) / r.mtbf);
    out.lost = segments * (r.mtbf * attempts - (every + checkpoint));
    out.restarting = segments * attempts * r.mtbf * std::expm1(r.restart / r.mtbf);
    out.failures = segments * attempts * std::exp(r.restart / r.mtbf);
  }
  const double running = out.productive + out.checkpointing + out.lost + out.restarting;
  out.unused = running * (1 / r.utilisation - 1);
  return out;
}

double bestInterval(double checkpoint, double mtbf) {
  return std::sqrt(2 * checkpoint * mtbf);
}

} // namespace planc::cost
