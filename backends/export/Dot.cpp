// Graphs for Graphviz: the operators and collectives of each class of layers, and the order of passes on each stage.
// SPDX-License-Identifier: Apache-2.0
#include "backends/export/Export.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::exports {

namespace {

/// Passes of a stage that are drawn; the rest is one node.
constexpr size_t kMostPasses = 64;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c != '\n') out += c;
  }
  return out;
}

class Graph {
public:
  Graph(const ExportInput& input, Sink sink) : schedule_(*input.schedule), program_(*schedule_.program), sink_(sink) {}

  void write(std::string_view title) {
    line(fmt::format("digraph \"{}\" {{\n  rankdir = LR;\n  node [shape = box, fontname = \"sans-serif\"];\n",
                     escaped(title)));
    for (uint32_t c = 0; c < program_.classes.size(); ++c)
      for (const bool backward : {false, true}) layer(ir::LayerClassId(c), backward);
    order();
    line("}\n");
  }

private:
  void line(std::string_view text) { sink_(text); }

  std::string labelOf(const ir::Node& node) const {
    if (const ir::Collective* c = node.asCollective()) {
      const std::string what = c->value.valid() ? program_.model->pathOf(c->value) : "statistics";
      return fmt::format("{} {}{}\\n{} of {}, {:.4g} MB", ir::name(c->kind), c->gradient ? "gradient of " : "",
                         escaped(what), escaped(program_.mesh.str(c->axes)), c->group, c->bytes / 1e6);
    }
    const std::string path = node.op.valid() ? program_.model->pathOf(node.op) : "copy";
    const ir::Compute* compute = node.asCompute();
    const bool plain = compute && compute->role == ir::Role::Forward;
    return plain ? escaped(path) : fmt::format("{} {}", escaped(path), compute ? ir::name(compute->role) : "copy");
  }

  /// Writes the nodes of a class in one direction, and an edge for each dependency.
  void layer(ir::LayerClassId id, bool backward) {
    const ir::LayerClass& layerClass = program_.classes[id];
    const std::vector<ir::Node>& nodes = backward ? layerClass.backward : layerClass.forward;
    if (nodes.empty()) return;
    const std::string name = fmt::format("{}{}", backward ? "b" : "f", id.index);
    line(fmt::format("  subgraph \"cluster_{}\" {{\n    label = \"{}, {}\";\n", name,
                     escaped(program_.refOf(layerClass).str()), backward ? "backward" : "forward"));
    for (size_t n = 0; n < nodes.size(); ++n) {
      const char* style = nodes[n].isCollective() ? "shape = ellipse, style = filled, fillcolor = \"#cfe2f3\""
                          : nodes[n].phase == ir::Phase::Recompute ? "style = dashed"
                                                                   : "style = solid";
      line(fmt::format("    \"{}_{}\" [label = \"{}\", {}];\n", name, n, labelOf(nodes[n]), style));
    }
    for (size_t n = 0; n < nodes.size(); ++n)
      for (const ir::NodeIndex dep : nodes[n].deps)
        line(fmt::format("    \"{}_{}\" -> \"{}_{}\";\n", name, dep, name, n));
    line("  }\n");
  }

  static char letterOf(ir::ActionKind kind) {
    constexpr std::string_view kLetters = "FBIW";
    return kLetters[static_cast<size_t>(kind)];
  }

  /// Writes the passes of each stage in their order: F, B or, if backward is split, I and W.
  void order() {
    const ir::Orders orders = schedule_.kind->orders(schedule_.shape());
    const bool train = program_.plan->workload.hasBackward();
    const ir::Orders all = train ? orders : orders.forwardOnly();
    for (size_t s = 0; s < all.size(); ++s) {
      line(fmt::format("  subgraph \"cluster_stage_{}\" {{\n    label = \"stage {}\";\n", s, s));
      size_t passes = 0;
      for (const ir::Action& a : all[s]) {
        if (passes == kMostPasses) break;
        line(fmt::format("    \"s{}_{}\" [label = \"{}{} on {}{}\"];\n", s, passes, letterOf(a.kind), a.microBatch,
                         a.virtualStage, a.paired ? " with" : ""));
        if (passes > 0) line(fmt::format("    \"s{}_{}\" -> \"s{}_{}\";\n", s, passes - 1, s, passes));
        ++passes;
      }
      if (const size_t left = all[s].size() - passes; left > 0)
        line(fmt::format("    \"s{}_rest\" [label = \"{} more passes\"];\n    \"s{}_{}\" -> \"s{}_rest\";\n", s, left,
                         s, passes - 1, s));
      line("  }\n");
    }
  }

  const ir::Schedule& schedule_;
  const ir::Program& program_;
  Sink sink_;
};

} // namespace

std::string writeDot(const ExportInput& input, Sink sink) {
  Graph(input, sink).write(input.title);
  return {};
}

} // namespace planc::exports
