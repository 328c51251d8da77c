// Follows trained parameters through the operators of each class.
// SPDX-License-Identifier: Apache-2.0
#include "passes/backward/GradientFlow.h"

#include "passes/lower/Lowering.h"

#include <algorithm>

namespace planc::passes {
using namespace ir;

namespace {

int64_t last(const ClassHead& layerClass) {
  int64_t most = 0;
  for (const Range& r : layerClass.instances.ranges) most = std::max(most, r.begin + (r.count() - 1) * r.step);
  return most;
}

} // namespace

void GradientFlow::add(LayerId id) {
  const Layer& layer = program_.model->layers[id];
  std::vector<uint32_t> classes;
  for (uint32_t b = 0; b < program_.classCount(); ++b)
    if (program_.head(LayerClassId(b)).layer == id && !program_.head(LayerClassId(b)).boundaryReshard)
      classes.push_back(b);
  upstream_.resize(program_.classCount());
  for (uint32_t b : classes) propagate(b, std::vector<bool>(layer.carries.size()));
  while (enterLater(classes, layer)) {
  }
  for (uint32_t b : classes)
    for (uint32_t i = layer.first.index; i < layer.end.index; ++i) {
      const ValueId result = program_.model->ops[OpId(i)].result;
      if (upstream_[b][result.index]) handedOn_[result.index] = true;
    }
}

/// Passes carried values on to the classes with an instance after one that trains. Returns whether anything changed.
bool GradientFlow::enterLater(const std::vector<uint32_t>& classes, const Layer& layer) {
  bool changed = false;
  for (uint32_t to : classes) {
    std::vector<bool> entering(layer.carries.size());
    for (size_t c = 0; c < layer.carries.size(); ++c) {
      entering[c] = upstream_[to][layer.carries[c].inside.index];
      for (uint32_t from : classes)
        if (!entering[c] && upstream_[from][layer.carries[c].last.index] &&
            program_.head(LayerClassId(from)).instances.ranges.front().begin < last(program_.head(LayerClassId(to))))
          entering[c] = changed = true;
    }
    if (changed) propagate(to, entering);
  }
  return changed;
}

void GradientFlow::propagate(uint32_t b, const std::vector<bool>& entering) {
  const ClassHead& layerClass = program_.head(LayerClassId(b));
  const Layer& layer = program_.model->layers[layerClass.layer];
  std::vector<bool>& mine = upstream_[b];
  mine = handedOn_;
  for (size_t c = 0; c < layer.carries.size(); ++c)
    if (entering[c]) mine[layer.carries[c].inside.index] = true;
  for (uint32_t i = layer.first.index; i < layer.end.index; ++i) {
    const Op& op = program_.model->ops[OpId(i)];
    for (const Operand& o : op.operands) {
      if (program_.model->values[o.value].kind == ValueKind::Param && trains(program_, layerClass, o.value))
        mine[o.value.index] = true;
      if (mine[o.value.index] && program_.model->passesGradient(op, o)) mine[op.result.index] = true;
    }
  }
}

std::vector<std::vector<bool>> valuesWithGradient(const ProgramHead& program) {
  GradientFlow flow(program);
  for (uint32_t l = 0; l < program.model->layers.size(); ++l) flow.add(LayerId(l));
  const std::vector<bool> downstream = program.model->reachesLoss();
  for (std::vector<bool>& values : flow.upstream())
    for (size_t v = 0; v < values.size(); ++v) values[v] = values[v] && downstream[v];
  return std::move(flow.upstream());
}

} // namespace planc::passes
