// The verifier of levels `sharded` and `comm`: its parts in order, and the structure that all of them rely on.
// SPDX-License-Identifier: Apache-2.0
#include "ir/verify/Verify.h"

#include <cmath>

namespace planc::ir {

namespace {

template <class AnyProgram> class StructureVerifier {
public:
  StructureVerifier(const AnyProgram& program, Findings& out) : program_(program), model_(program.model), out_(out) {}

  void run() {
    for (uint32_t b = 0; b < program_.classes.size(); ++b) checkClass(program_.classes[LayerClassId(b)]);
    checkStages();
  }

private:
  void checkClass(const auto& layerClass) {
    if (layerClass.layer.index >= model_.layers.size()) {
      out_.wrong("a body has no layer");
      return;
    }
    const Layer& layer = model_.layers[layerClass.layer];
    size_t ops = layer.end.index - layer.first.index;
    if (!layerClass.boundaryReshard && (layerClass.placements.size() != ops || layerClass.results.size() != ops))
      out_.wrong("{}: {} operators, {} placements, {} result layouts", layer.name.view(), ops,
                 layerClass.placements.size(), layerClass.results.size());
    checkNodes(layer, *layerClass.forward);
    checkNodes(layer, *layerClass.backward);
    for (const Saved& s : layerClass.saved)
      if (!(s.bytes >= 0) || std::isinf(s.bytes)) out_.wrong("{} keeps {} bytes", layer.name.view(), s.bytes);
    for (const ParamState& p : layerClass.params)
      if (p.param.index >= model_.values.size() || model_.values[p.param].kind != ValueKind::Param)
        out_.wrong("{} has states of a value that is not a parameter", layer.name.view());
  }

  template <class AnyNode> void checkNodes(const Layer& layer, const Indexed<AnyNode>& nodes) {
    for (size_t i = 0; i < nodes.size(); ++i) {
      const AnyNode& n = nodes[i];
      for (NodeIndex d : n.deps)
        if (d >= i) out_.wrong("{}: node {} waits for node {}, which comes later", layer.name.view(), i, d);
      if (n.op.valid() && n.op.index >= model_.ops.size())
        out_.wrong("{}: node {} has no operator", layer.name.view(), i);
      if (n.value().valid() && n.value().index >= model_.values.size())
        out_.wrong("{}: node {} does not move a value", layer.name.view(), i);
      if constexpr (std::is_same_v<AnyNode, ShardedNode>)
        if (n.isReshard() && !n.value().valid()) out_.wrong("{}: node {} does not move a value", layer.name.view(), i);
      if (n.isCompute() && n.compute().role != Role::Optimizer && !n.op.valid())
        out_.wrong("{}: node {} does not compute an operator", layer.name.view(), i);
    }
  }

  /// Every instance of every layer runs on exactly one virtual stage.
  void checkStages() {
    if (program_.virtualStages.size() != static_cast<size_t>(program_.stages * program_.chunks))
      out_.wrong("there are {} virtual stages, but {} stages x {} chunks", program_.virtualStages.size(),
                 program_.stages, program_.chunks);
    std::vector<int64_t> counts(program_.classes.size());
    for (const VirtualStage& s : program_.virtualStages)
      for (const auto& [body, count] : program_.kindOf(s.index).classes) {
        if (body.index >= counts.size()) {
          out_.wrong("stage {} runs a body that does not exist", s.index);
          return;
        }
        counts[body.index] += count;
      }
    for (uint32_t b = 0; b < program_.classes.size(); ++b) {
      const ClassHead& layerClass = program_.classes[LayerClassId(b)];
      if (!layerClass.boundaryReshard && layerClass.layer.valid() && counts[b] != layerClass.instances.count())
        out_.wrong("{}{}: the number of its instances is {}, but {} are on stages",
                   model_.layers[layerClass.layer].name.view(), layerClass.instances.str(),
                   layerClass.instances.count(), counts[b]);
    }
  }

  const AnyProgram& program_;
  const Model& model_;
  Findings& out_;
};

} // namespace

std::vector<std::string> verify(const ShardedProgram& program) {
  Findings out;
  StructureVerifier(program, out).run();
  if (!out.empty()) return out.take();
  verifyLayouts(program, out);
  if (out.empty()) verifyReshards(program, out);
  return out.take();
}

std::vector<std::string> verify(const Program& program) {
  Findings out;
  StructureVerifier(program, out).run();
  if (!out.empty()) return out.take();
  verifyLayouts(program, out);
  verifyCollectives(program, out);
  verifyWork(program, out);
  return out.take();
}

} // namespace planc::ir
