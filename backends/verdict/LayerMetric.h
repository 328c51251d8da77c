// The number that `layer("decoder[0:20].attn").forward` stands for.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"

#include <optional>
#include <string>
#include <vector>

namespace planc::verdict {

/// Instances of a layer with the same value, and their name.
struct LayerVariant {
  ir::LayerRef layer;
  std::optional<int64_t> stage; ///< set if rows of one layer differ by stage
  double value = 0;
  std::string str() const;
};
/// Returns the different values of the instances that a path names: one if the instances agree, empty if no row
/// matches.
std::vector<LayerVariant> layerVariants(const ir::Model* model, const cost::Estimate& estimate,
                                        const ir::LayerRef& asked, double cost::LayerRow::*field);

} // namespace planc::verdict
