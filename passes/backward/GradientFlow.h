// Finds the values that need a gradient: those downstream of a trained parameter and upstream of the loss, by class.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"

#include <vector>

namespace planc::passes {

/// Follows trained parameters through the layers of a program. Layers are added one by one, as their classes are made.
class GradientFlow {
public:
  explicit GradientFlow(const ir::ProgramHead& program) : program_(program), handedOn_(program.model->values.size()) {}

  /// Adds the next layer of the model, whose classes exist.
  void add(ir::LayerId layer);

  /// By value of the layers so far: whether the value is handed on and depends on a trained parameter.
  const std::vector<bool>& handedOn() const { return handedOn_; }
  /// By class and value: whether the value depends on a trained parameter.
  std::vector<std::vector<bool>>& upstream() { return upstream_; }

private:
  void propagate(uint32_t layerClass, const std::vector<bool>& entering);
  bool enterLater(const std::vector<uint32_t>& classes, const ir::Layer& layer);

  const ir::ProgramHead& program_;
  std::vector<std::vector<bool>> upstream_;
  std::vector<bool> handedOn_;
};

/// Returns whether a value needs a gradient, by class and value: it depends on a trained parameter, and a loss depends
/// on it, both through operands that pass gradients (ir::Model::passesGradient). The sets are empty without training. A
/// carried value of a class needs a gradient if an instance before any instance of the class trains. If nothing trains
/// before, cut-layers puts the first instance that trains into a class of its own.
std::vector<std::vector<bool>> valuesWithGradient(const ir::ProgramHead& program);

} // namespace planc::passes
