// A plan and an estimate made by hand, and expression trees over source text, for the tests of verdicts and reports.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/verdict/Verdict.h"
#include "support/DiagnosticRender.h"

#include <stdexcept>
#include <string>

namespace planc::test {

/// Builds the tree of one expression; nodes find their place by their text.
class TreeBuilder {
  SourceManager& sources_;
  FileId file_;
  uint32_t at_ = 0;
  ir::ExprTree tree_;

public:
  /// `text` must stand in the file, after `after`.
  TreeBuilder(SourceManager& sources, FileId file, const std::string& text) : sources_(sources), file_(file) {
    size_t found = sources.text(file).find(text);
    if (found == std::string_view::npos) throw std::runtime_error("no such text: " + text);
    at_ = static_cast<uint32_t>(found);
    tree_.text = text;
  }

  SourceRange find(const std::string& text) const {
    size_t found = sources_.text(file_).find(text, at_);
    if (found == std::string_view::npos) throw std::runtime_error("no such text: " + text);
    return {file_, static_cast<uint32_t>(found), static_cast<uint32_t>(found + text.size())};
  }

  ir::ExprId metric(const std::string& name) {
    ir::ExprNode node;
    node.op = ir::ExprOp::Metric;
    node.range = find(name);
    node.metric = name;
    return tree_.nodes.add(std::move(node));
  }
  /// `layer("PATH").field`
  ir::ExprId layer(const std::string& path, const std::string& field) {
    ir::ExprNode node;
    node.op = ir::ExprOp::Metric;
    node.range = find("layer(\"" + path + "\")." + field);
    node.metric = "layer." + field;
    node.layer = *ir::parseLayerRef(path);
    return tree_.nodes.add(std::move(node));
  }
  ir::ExprId literal(const std::string& text) {
    ir::ExprNode node;
    node.range = find(text);
    node.literal = true;
    std::string bad;
    node.constant.quantity = *parseQuantity(text, bad);
    return tree_.nodes.add(std::move(node));
  }
  ir::ExprId path(const std::string& text, double value, const Unit& unit) {
    ir::ExprNode node;
    node.range = find(text);
    node.constant.quantity = {value, unit};
    return tree_.nodes.add(std::move(node));
  }
  ir::ExprId op(ir::ExprOp op, const std::string& text, ir::ExprId left, ir::ExprId right = {}) {
    ir::ExprNode node;
    node.op = op;
    node.kids.push_back(left);
    node.range = tree_.nodes[left].range;
    if (right.valid()) {
      node.kids.push_back(right);
      node.range = SourceRange::cover(node.range, tree_.nodes[right].range);
      size_t from = tree_.nodes[left].range.end;
      size_t found = sources_.text(file_).find(text, from);
      node.opRange = {file_, static_cast<uint32_t>(found), static_cast<uint32_t>(found + text.size())};
    } else {
      node.opRange = find(text);
      node.range = SourceRange::cover(node.opRange, node.range);
    }
    return tree_.nodes.add(std::move(node));
  }
  ir::ExprTree root(ir::ExprId id) {
    tree_.root = id;
    return tree_;
  }
};

inline ir::LayerRef layerOf(const std::string& text) {
  return *ir::parseLayerRef(text);
}

/// Four stages of a small GPT: embed on the first, head on the last, `decoder` x32 with attn and mlp on all.
inline cost::Estimate smallEstimate() {
  cost::Estimate e;
  for (int64_t stage = 0; stage < 4; ++stage) {
    if (stage == 0)
      e.layers.push_back({layerOf("embed"), 1, 0, 1e-3, 2e-3, 0, 0, 0, 0, 1e9, 1e6, 2e6, cost::Bound::Memory});
    e.layers.push_back(
        {layerOf("decoder.attn"), 8, stage, 3e-3, 6e-3, 1e-3, 1.5e-3, 1e-3, 4e12, 2e9, 4e6, 3e7, cost::Bound::Compute});
    e.layers.push_back(
        {layerOf("decoder.mlp"), 8, stage, 4e-3, 8e-3, 0, 1e-3, 0.5e-3, 8e12, 2e9, 8e6, 4e7, cost::Bound::Compute});
    if (stage == 3)
      e.layers.push_back({layerOf("head"), 1, 3, 5e-3, 1e-2, 0, 0, 0, 9e12, 1e9, 5e6, 1e7, cost::Bound::Compute});
    e.stages.push_back({stage, 8 * 7e-3, 8 * 15e-3, 2.0 + 0.1 * static_cast<double>(stage)});
    cost::StageMemory& memory = e.memory.stages.emplace_back();
    memory.stage = stage;
    memory.params = 8e9;
    memory.grads = 1.6e10;
    memory.optimizer = 2.4e10;
    memory.activations = 1.2e10 - 2e9 * static_cast<double>(stage);
    memory.buffers = 1e9;
    memory.peak = 6.1e10 - 2e9 * static_cast<double>(stage);
  }
  const int64_t m = 16;
  for (cost::LayerRow& row : e.layers) {
    row.forwardExposed = row.exposed;
    if (row.stage != 3) continue;
    const double times = static_cast<double>(m * row.count);
    row.exposedOnPath = times * row.exposed;
    row.onPath = times * (row.forward + row.backward + row.recompute - row.exposed);
  }
  for (cost::StageRow& row : e.stages) {
    row.kind = row.stage == 0 ? 0 : row.stage == 3 ? 2 : 1; // the inner ones are alike
    row.computing = row.kind == 1 ? 2.4 : 2.6;
    row.idle = 0.1;
  }
  auto& t = e.totals;
  t.compute = m * (8 * (3e-3 + 6e-3 + 1e-3 - 1e-3 + 4e-3 + 8e-3 - 0.5e-3) + 1.5e-2);
  t.exposedComm = m * 8 * 1.5e-3 + 0.05; // of layers and of states
  t.comm = m * 8 * 2.5e-3 + 0.2;
  t.bubble = 0.1;
  t.bubbleEven = 0.06;
  t.bubbleImbalance = 0.04;
  t.critical = 3;
  t.optimizer = 0.02;
  t.overhead = 0.04;
  t.stepTime = t.compute + t.exposedComm + t.bubble + t.optimizer + t.overhead;
  t.confidence = {{{"`calibration.gemm.bf16` of device `a100`", 0.6, 0.05, 0, 1000}}, 0, 0.9, 0.9, 1.15, 0.92, 1.12};
  t.tokensPerSecond = 1e5;
  t.tokensPerSecondPerDevice = 3125;
  t.samplesPerSecond = 48.83;
  t.modelRate = 1.4e14;
  t.modelRateCausal = 1.3e14;
  t.hardwareRate = 1.5e14;
  t.mfu = 0.4487;
  t.mfuCausal = 0.4167;
  t.hfu = 0.4808;
  t.params = 3.9e8;
  t.paramsActive = 3.9e8;
  t.deviceHours = 0.025;
  t.cost = 0.06;
  t.energyJoules = 4e4;
  t.deviceHoursPer1t = 7.4e4;
  t.costPer1t = 1.8e5;
  t.energyPer1tJoules = 1.2e11;
  e.memory.peak = 6.1e10;
  e.memory.capacity = 8e10;
  e.memory.params = 8e9;
  e.memory.grads = 1.6e10;
  e.memory.optimizer = 2.4e10;
  e.memory.activations = 1.2e10;
  e.memory.buffers = 1e9;
  for (int64_t stage = 0; stage < 4; ++stage) {
    e.collectives.push_back({"all_gather",
                             ir::CollectiveClass::Activation,
                             ir::Phase::Forward,
                             "tp",
                             1,
                             8,
                             "node",
                             0,
                             stage,
                             5e7,
                             128,
                             1.5e-3,
                             1e-3,
                             layerOf("decoder.attn"),
                             {},
                             0,
                             {}});
    e.collectives.push_back({"reduce_scatter",
                             ir::CollectiveClass::Activation,
                             ir::Phase::Backward,
                             "tp",
                             1,
                             8,
                             "node",
                             0,
                             stage,
                             5e7,
                             128,
                             1e-3,
                             0.5e-3,
                             layerOf("decoder.mlp"),
                             {},
                             0,
                             {}});
    e.collectives.push_back({"reduce_scatter",
                             ir::CollectiveClass::Gradient,
                             ir::Phase::Step,
                             "dp",
                             2,
                             2,
                             "nodes",
                             1,
                             stage,
                             4e9,
                             1,
                             0.2,
                             0.05,
                             {},
                             {},
                             0,
                             {}});
  }
  for (cost::CollectiveRow& row : e.collectives)
    if (row.stage == t.critical) row.onPath = row.count * row.exposed;
  return e;
}

/// The model of `smallEstimate`.
inline std::shared_ptr<ir::Model> smallModel() {
  auto model = std::make_shared<ir::Model>();
  model->name = "small";
  auto addLayer = [&](const char* name, int64_t count, std::vector<const char*> children) {
    ir::Layer layer;
    layer.name = name;
    layer.repeat = !children.empty();
    layer.count = count;
    layer.first = ir::OpId(model->ops.size());
    ir::Op op;
    op.layer = ir::LayerId(model->layers.size());
    const auto addOp = [&](std::vector<Symbol> path) {
      ir::Value result;
      result.name = path.back();
      result.path = op.path = std::move(path);
      op.result = model->values.add(std::move(result));
      model->ops.add(op);
    };
    if (children.empty()) addOp({Symbol(name)});
    for (const char* child : children) addOp({Symbol(name), Symbol(child)});
    layer.end = ir::OpId(model->ops.size());
    model->layers.add(std::move(layer));
  };
  addLayer("embed", 1, {});
  addLayer("decoder", 32, {"attn", "mlp"});
  addLayer("head", 1, {});
  return model;
}

/// A file, a plan, and the diagnostics of one test.
struct PlanFixture {
  SourceManager sources;
  FileId file;
  ir::Plan plan;
  cost::Estimate estimate = smallEstimate();
  DiagnosticEngine diagnostics;

  explicit PlanFixture(const std::string& text) : file(sources.add("plans/small.plan", text)) {
    plan.name = "small";
    plan.title = "small";
    plan.range = {file, 0, 0};
    plan.model = smallModel();
  }
  TreeBuilder tree(const std::string& text) { return TreeBuilder(sources, file, text); }
  void addAssert(const ir::ExprTree& tree, const std::string& reason = "") {
    plan.assertions.push_back({tree, reason, tree.nodes[tree.root].range});
  }
  void addMeasured(const ir::ExprTree& metric, const ir::ExprTree& value, std::optional<double> tolerance) {
    plan.measured.push_back({metric, value, tolerance, "a paper", metric.nodes[metric.root].range});
  }
  /// `PLAN0905 PLAN0904`, in order.
  std::string codes() const {
    std::string text;
    for (const Diagnostic* d : diagnostics.sorted()) {
      if (!text.empty()) text += ' ';
      text += d->kind->id();
    }
    return text;
  }
  std::string rendered() const {
    std::string text;
    for (const Diagnostic* d : diagnostics.sorted()) text += renderHuman(*d, sources, false);
    return text;
  }
};

} // namespace planc::test
