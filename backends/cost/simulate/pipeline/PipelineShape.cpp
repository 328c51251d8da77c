// The shape of a pipeline.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/pipeline/PipelineShape.h"

#include <algorithm>
#include <numeric>

namespace planc::cost {
using ir::Action;

PipelineShape::PipelineShape(const PipelineInput& in)
    : orders_(in.actions), devices_(in.devices), microBatches_(in.microBatches), routes_(in.devices.routes()),
      perRoute_(std::max<int64_t>(1, in.microBatches / static_cast<int64_t>(routes_))) {
  hold(in);
  const std::span<const Action> written = orders_.written();
  pairs_ = std::any_of(written.begin(), written.end(), [](const Action& a) { return a.paired; });
  steady_ = findSteadyOrders(orders_, devices_.size(), static_cast<int64_t>(routes_), perRoute_);
}

void PipelineShape::hold(const PipelineInput& in) {
  heldFrom_.resize(in.actions.size() + 1);
  heldSlots_.resize(devices_.size() * routes_), holdOf_.resize(devices_.size() * routes_);
  for (const int64_t device : devices_.all()) ++heldFrom_[static_cast<size_t>(device) + 1];
  std::partial_sum(heldFrom_.begin(), heldFrom_.end(), heldFrom_.begin());
  std::vector<size_t> next(heldFrom_.begin(), heldFrom_.end() - 1);
  for (size_t r = 0; r < routes_; ++r)
    for (size_t vs = 0; vs < devices_.size(); ++vs) {
      const auto device = static_cast<size_t>(devices_[vs][r]);
      const size_t slot = vs * routes_ + r;
      holdOf_[slot] = static_cast<uint32_t>(next[device] - heldFrom_[device]);
      heldSlots_[next[device]++] = static_cast<uint32_t>(slot);
    }
}

bool PipelineShape::fits(const PipelineInput& in) const {
  return in.microBatches == microBatches_ && in.devices == devices_ && in.actions == orders_;
}

} // namespace planc::cost
