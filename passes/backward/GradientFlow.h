// Which values need a gradient: what lies behind a parameter that trains and before the loss, by class.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"

#include <vector>

namespace planc::passes {

/// Follows what trains through the layers of a program, one after the other as their classes are made.
class GradientFlow {
public:
  explicit GradientFlow(const ir::ProgramHead& program) : program_(program), handedOn_(program.model->values.size()) {}

  /// The next layer of the model, whose classes are made.
  void add(ir::LayerId layer);

  /// By value of the layers so far: it is handed on, and a parameter behind it trains.
  const std::vector<bool>& handedOn() const { return handedOn_; }
  /// By class and value: a parameter behind it trains.
  std::vector<std::vector<bool>>& upstream() { return upstream_; }

private:
  void propagate(uint32_t layerClass, const std::vector<bool>& entering);
  bool enterLater(const std::vector<uint32_t>& classes, const ir::Layer& layer);

  const ir::ProgramHead& program_;
  std::vector<std::vector<bool>> upstream_;
  std::vector<bool> handedOn_;
};

/// Which values need a gradient, by class and value: a parameter that trains is upstream and the loss is downstream.
/// Empty sets without training. A carried value of a class needs one if an instance before any of its own trains;
/// cut-layers gives the first instance that trains a class of its own where nothing before it does.
std::vector<std::vector<bool>> valuesWithGradient(const ir::ProgramHead& program);

} // namespace planc::passes
