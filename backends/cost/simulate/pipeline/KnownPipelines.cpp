// Finds shapes of pipelines by keys that tell most of them apart, then compares the whole shape.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/pipeline/KnownPipelines.h"

namespace planc::cost {

const ir::Orders& KnownPipelines::ordersOf(ir::OrderMaker make, const ir::ScheduleShape& shape) {
  Reads reads;
  reads << reinterpret_cast<uintptr_t>(make) << shape.stages << shape.chunks << shape.microBatches;
  for (const int64_t argument : shape.arguments) reads << argument;
  if (!reads.fits()) return unkept_ = make(shape);
  if (const ir::Orders* before = orders_.find(reads)) return *before;
  orders_.add(reads, make(shape));
  return *orders_.find(reads);
}

std::shared_ptr<const PipelineShape> KnownPipelines::shapeOf(const PipelineInput& in) {
  Reads reads;
  reads << in.actions.size() << in.devices.size() << in.devices.routes() << in.microBatches
        << in.actions.written().size();
  if (const auto* before = shapes_.find(reads))
    return (*before)->fits(in) ? *before : std::make_shared<const PipelineShape>(in);
  auto shape = std::make_shared<const PipelineShape>(in);
  shapes_.add(reads, shape);
  return shape;
}

} // namespace planc::cost
