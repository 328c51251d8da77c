// The optimizer's step of one device: memory traffic (from the stack's table, or the least that an update needs),
// products of whole matrices, updates on the host, and traffic over the link to the host.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/price/CostModel.h"
#include "backends/cost/price/Pricing.h"

#include <vector>

namespace planc::cost {

/// Returns a `Pricing` for the optimizer's step, which has no node in the lists of a class.
Pricing pricingUpdate(Facts& facts, const ir::Program& program, const Sinks& sinks = {});
/// Returns the requester for missing facts of the optimizer's step.
Requester updateRequester(const ir::Program& program);

/// Prices the update of one device's shard of one parameter instance, without products of whole matrices
/// (docs/cost-model.md, section 1.6). Returns a price of 0 if no optimizer updates the parameter. `together`: number of
/// elements that the device updates in the same step; the stack's table of optimizer bytes depends on it.
Priced updateShard(const Pricing& pricing, const ir::ParamState& p, double together);

/// Returns the number of elements that one device updates in the optimizer's step. The device is given by a stage that
/// it holds, or by a class of such a stage.
double updatedTogether(const ir::Program& program, const ir::StageKind& stage);
double updatedTogether(const ir::Program& program, ir::LayerClassId layerClass);

/// The products that orthogonalise the matrices of one parameter instance; all 0 if its optimizer has no such products.
struct MatrixProducts {
  double matrices = 0, rows = 0, columns = 0; ///< number of matrices, and sides of a whole matrix
  double one = 0;                             ///< FLOPs of one whole matrix, the least that a device computes
  double share = 0;                           ///< FLOPs of the matrices that one device gets
};
MatrixProducts matrixProducts(const ir::Program& program, const ir::ParamState& p);
/// Returns the seconds of `flops` FLOPs of orthogonalising products, in bf16.
double matrixSeconds(const Pricing& pricing, double flops);

/// Prices the optimizer's step of devices, each given by its virtual stages. Each kind of virtual stage is priced once.
/// Prices of shards are cached in the memos of the facts.
std::vector<StageUpdate> deviceUpdates(Facts& facts, const ir::Program& program,
                                       const std::vector<std::vector<const ir::StageKind*>>& devices);
/// Returns the bandwidth of the link to the host in bytes per second, in one direction.
double linkOf(const Pricing& pricing);
/// Returns the kinds of the virtual stages that a device stage holds.
std::vector<const ir::StageKind*> stagesOn(const ir::Program& program, int64_t device);

} // namespace planc::cost
