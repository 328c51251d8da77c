// Pipelines of given times, without a program: for the event simulation and the schedules' closed forms.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "Fixtures.h"
#include "backends/cost/simulate/pipeline/Pipeline.h"

#include <string_view>
#include <vector>

namespace planc::cost::test {

using Seconds = std::vector<double>; ///< by virtual stage: chunk · stages + stage

inline PipelineInput input(const ir::ScheduleKind& kind, int64_t p, int64_t v, int64_t m, const Seconds& forward,
                           const Seconds& backward, double transfer = 0, double inlineSend = 1) {
  PipelineInput in;
  in.stages = p;
  in.microBatches = m;
  in.waitsForAll = kind.waitsForAll;
  in.inlineSend = inlineSend;
  ir::ScheduleShape shape{p, v, m, std::vector<int64_t>(kind.standardArguments().size(), v), {}};
  in.actions = kind.orders(shape);
  for (int64_t vs = 0; vs < p * v; ++vs) {
    VirtualStageCost c;
    std::vector<int64_t> devices;
    for (int64_t route = 0; route < kind.routes; ++route) devices.push_back(kind.device(shape, route, vs));
    in.devices.add(devices);
    c.forward.seconds = forward[static_cast<size_t>(vs) % forward.size()];
    c.backward.seconds = backward[static_cast<size_t>(vs) % backward.size()];
    c.send = vs + 1 < p * v ? transfer : 0;
    c.sendBack = vs > 0 ? transfer : 0;
    in.virtualStages.push_back(c);
  }
  return in;
}

} // namespace planc::cost::test
