// The shape of a program's schedule, its streams, and the default assignment of virtual stages to devices.
// SPDX-License-Identifier: Apache-2.0
#include "ir/program/Task.h"

namespace planc::ir {

int64_t loopedDevice(const ScheduleShape& shape, int64_t, int64_t virtualStage) {
  return virtualStage % shape.stages;
}

Stream streamOf(const ProgramHead& program, size_t level) {
  const auto& cluster = program.plan->cluster;
  return static_cast<Stream>(cluster && level < cluster->levels.size() ? cluster->portOf(level) : level);
}

std::vector<int64_t> ScheduleKind::standardArguments() const {
  std::vector<int64_t> values;
  if (word)
    for (const Parameter& p : word->parameters) values.push_back(static_cast<int64_t>(p.standard));
  return values;
}

ScheduleShape Schedule::shape(std::vector<PassSeconds> seconds) const {
  return {program->stages, program->chunks, program->microBatches, program->scheduleArguments, std::move(seconds)};
}

} // namespace planc::ir
