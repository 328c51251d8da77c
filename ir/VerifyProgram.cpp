// The verifier of levels `sharded` and `comm`: its parts in order, and the structure that all of them rely on.
// SPDX-License-Identifier: Apache-2.0
#include "ir/Verify.h"

#include <cmath>

namespace planc::ir {

namespace {

class StructureVerifier {
public:
  StructureVerifier(const Program& program, Findings& out) : program_(program), model_(program.model), out_(out) {}

  void run() {
    for (uint32_t b = 0; b < program_.bodies.size(); ++b) checkBody(program_.bodies[BodyId(b)]);
    checkStages();
  }

private:
  void checkBody(const Body& body) {
    if (body.unit.index >= model_.units.size()) {
      out_.wrong("a body is of no layer");
      return;
    }
    const Unit& unit = model_.units[body.unit];
    size_t ops = unit.end.index - unit.first.index;
    if (!body.seam && (body.placements.size() != ops || body.results.size() != ops))
      out_.wrong("{}: {} operators, {} placements, {} result layouts", unit.name.view(), ops, body.placements.size(),
                 body.results.size());
    checkNodes(unit, body.forward);
    checkNodes(unit, body.backward);
    for (const Saved& s : body.saved)
      if (!(s.bytes >= 0) || std::isinf(s.bytes)) out_.wrong("{} keeps {} bytes", unit.name.view(), s.bytes);
    for (const ParamState& p : body.params)
      if (p.param.index >= model_.values.size() || model_.values[p.param].kind != ValueKind::Param)
        out_.wrong("{} holds states of what is no parameter", unit.name.view());
  }

  void checkNodes(const Unit& unit, const std::vector<Node>& nodes) {
    for (size_t i = 0; i < nodes.size(); ++i) {
      const Node& n = nodes[i];
      for (NodeIndex d : n.deps)
        if (d >= i) out_.wrong("{}: node {} waits for node {}, which comes later", unit.name.view(), i, d);
      if (n.op.valid() && n.op.index >= model_.ops.size())
        out_.wrong("{}: node {} is of no operator", unit.name.view(), i);
      if (n.value.valid() && n.value.index >= model_.values.size())
        out_.wrong("{}: node {} moves no value", unit.name.view(), i);
      if (n.kind == NodeKind::Reshard && !n.value.valid())
        out_.wrong("{}: node {} moves no value", unit.name.view(), i);
      if (n.kind == NodeKind::Compute && n.role != Role::Optimizer && !n.op.valid())
        out_.wrong("{}: node {} computes no operator", unit.name.view(), i);
    }
  }

  /// Every instance of every layer runs on exactly one virtual stage.
  void checkStages() {
    if (program_.virtualStages.size() != static_cast<size_t>(program_.stages * program_.chunks))
      out_.wrong("{} virtual stages, {} stages x {} chunks", program_.virtualStages.size(), program_.stages,
                 program_.chunks);
    std::vector<int64_t> counts(program_.bodies.size());
    for (const VirtualStage& s : program_.virtualStages)
      for (const auto& [body, count] : s.bodies) {
        if (body.index >= counts.size()) {
          out_.wrong("stage {} runs a body that does not exist", s.index);
          return;
        }
        counts[body.index] += count;
      }
    for (uint32_t b = 0; b < program_.bodies.size(); ++b) {
      const Body& body = program_.bodies[BodyId(b)];
      if (!body.seam && body.unit.valid() && counts[b] != body.instances.count())
        out_.wrong("{}{}: {} instances, {} on stages", model_.units[body.unit].name.view(), body.instances.str(),
                   body.instances.count(), counts[b]);
    }
  }

  const Program& program_;
  const Model& model_;
  Findings& out_;
};

} // namespace

void verifyStructure(const Program& program, Findings& out) {
  StructureVerifier(program, out).run();
}

std::vector<std::string> verify(const Program& program) {
  Findings out;
  verifyStructure(program, out);
  if (!out.empty()) return out.take();
  verifyLayouts(program, out);
  if (program.level == Level::Comm) {
    verifyCollectives(program, out);
    verifyWork(program, out);
  }
  return out.take();
}

} // namespace planc::ir
