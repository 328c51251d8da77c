// The optimizer's step of one device: bytes by the stack's table or by what the update must touch, products of whole
// matrices, what the host updates, and what crosses its link.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/price/CostModel.h"
#include "backends/cost/price/Pricing.h"

#include <vector>

namespace planc::cost {

/// The optimizer's step being priced: of no node in the lists of a class.
Pricing pricingUpdate(Facts& facts, const ir::Program& program, const Sinks& sinks = {});
/// What needs the facts that it is priced by.
Requester updateRequester(const ir::Program& program);

/// Prices the update of the shard that one device has of one instance of a parameter, products of matrices aside
/// (docs/cost-model.md, section 1.6). Nothing where nothing updates it. `together`: elements that the device updates in
/// the same step, which a table of the optimizer's bytes goes by.
Priced updateShard(const Pricing& pricing, const ir::ParamState& p, double together);

/// Elements that one device updates in a step of this stage, and of the stage that holds a class.
double updatedTogether(const ir::Program& program, const ir::StageKind& stage);
double updatedTogether(const ir::Program& program, ir::LayerClassId layerClass);

/// FLOPs of the products that orthogonalise the matrices of one instance of a parameter; zero where its optimizer has
/// none.
struct MatrixProducts {
  double matrices = 0, rows = 0, columns = 0; ///< whole ones
  double one = 0;                             ///< FLOPs of one matrix: the least that a device does
  double share = 0;                           ///< FLOPs of the matrices dealt to one device
};
MatrixProducts matrixProducts(const ir::Program& program, const ir::ParamState& p);
/// Seconds of such products, in bf16.
double matrixSeconds(const Pricing& pricing, double flops);

/// The optimizer's step of devices that hold these virtual stages; each kind of virtual stage is priced once. `known`:
/// shards that programs have in common, looked up and added to.
std::vector<StageUpdate> deviceUpdates(Facts& facts, const ir::Program& program,
                                       const std::vector<std::vector<const ir::StageKind*>>& devices,
                                       PriceMemo* known = nullptr);
/// Bytes per second over the host's link, in one direction.
double linkOf(const Pricing& pricing);
/// The virtual stages that a device stage holds.
std::vector<const ir::StageKind*> stagesOn(const ir::Program& program, int64_t device);

} // namespace planc::cost
