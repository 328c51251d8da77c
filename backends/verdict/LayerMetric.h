// The number that `layer("decoder[0:20].attn").forward` stands for.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"

#include <optional>
#include <string>
#include <vector>

namespace planc::verdict {

/// Instances with the same number, and what they are called.
struct LayerVariant {
  ir::LayerRef layer;
  std::optional<int64_t> stage; ///< where rows of one layer differ by stage
  double value = 0;
  std::string str() const;
};
/// The numbers of the instances that a path names: none if no row matches, one if they agree.
std::vector<LayerVariant> layerVariants(const ir::Model* model, const cost::Estimate& estimate,
                                        const ir::LayerRef& asked, double cost::LayerRow::*field);

} // namespace planc::verdict
