// Paths of report rows, `decoder[0:20].attn`: parsing, matching against the model, and the number that
// `layer("P").forward` stands for.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"

#include <string>
#include <string_view>
#include <vector>

namespace planc::verdict {

/// One step of a path: a name or `*`, with the instances of a repeat that it means.
struct LayerStep {
  bool star = false;
  std::string name;
  std::optional<ir::RangeSet> slice;
};

/// The steps of a path, or nothing if the text is not one.
std::optional<std::vector<LayerStep>> parseLayerPath(std::string_view text);

/// The paths that rows of this model can have, without slices, and what they begin with, which stands for the sum of
/// what it holds; each once, in order of the model.
std::vector<std::string> layerPaths(const ir::Model& model);
/// Whether the path names one of them, with slices inside the repeat's count.
bool namesLayer(const ir::Model& model, const std::vector<LayerStep>& path);

/// Instances with the same number, and what they are called.
struct LayerVariant {
  std::string path;
  double value = 0;
};
/// The numbers of the instances that a path names: none if no row matches, one if they agree.
std::vector<LayerVariant> layerVariants(const ir::Model* model, const cost::Estimate& estimate,
                                        const std::vector<LayerStep>& path, double cost::LayerRow::*field);

} // namespace planc::verdict
