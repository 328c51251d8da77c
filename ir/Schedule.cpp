// The shape that a schedule of a program is made for, and the plain way to lay virtual stages on devices.
// SPDX-License-Identifier: Apache-2.0
#include "ir/Task.h"

namespace planc::ir {

int64_t loopedDevice(const ScheduleShape& shape, int64_t, int64_t virtualStage) {
  return virtualStage % shape.stages;
}

ScheduleShape Schedule::shape(std::vector<PassSeconds> seconds) const {
  return {program->stages, program->chunks, program->microBatches, program->scheduleArguments, std::move(seconds)};
}

} // namespace planc::ir
