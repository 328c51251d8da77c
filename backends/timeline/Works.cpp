// Names, rows and equations of works.
// SPDX-License-Identifier: Apache-2.0
#include "backends/timeline/Works.h"

#include "backends/cost/price/Buckets.h"
#include "ir/program/CollectiveNodes.h"

#include <fmt/format.h>

namespace planc::timeline {

using cost::Cause;

WorkTable::WorkTable(const cost::Simulation& sim, const cost::CostModel& model)
    : sim_(sim), program_(*sim.schedule->program), model_(model), tree_(program_.model) {
  for (uint32_t c = 0; c < program_.classes.size(); ++c) layers_.emplace_back(program_, tree_, ir::LayerClassId(c));
}

template <class Key, class Make> uint32_t WorkTable::once(std::map<Key, uint32_t>& known, Key key, Make make) {
  const auto [place, fresh] = known.try_emplace(std::move(key), static_cast<uint32_t>(works.size()));
  if (fresh) {
    Work work = make();
    place->second = static_cast<uint32_t>(works.size());
    works.push_back(std::move(work));
  }
  return place->second;
}

ir::LayerRef WorkTable::layerOf(ir::LayerClassId id, const ir::Node& node) {
  if (!node.op.valid()) return program_.refOf(program_.classes[id]);
  cost::ClassLayers& layers = layers_[id.index];
  const size_t row = layers.rowOf(node.op);
  return layers.rows()[row];
}

void WorkTable::price(Work& work, const ir::Node& node) {
  cost::Derivation derivation;
  const cost::Priced priced = model_.price(program_, node, {.derivation = &derivation});
  work.bytes = priced.bytes, work.flops = priced.flops, work.bound = priced.bound, work.seconds = priced.seconds;
  if (derivation.formula) work.equation = cost::evaluated(*derivation.formula);
}

void WorkTable::describeCollective(Work& work, const ir::Node& node) {
  const ir::Collective& c = node.collective();
  work.kind = Work::Kind::Collective, work.type = ir::name(c.kind), work.phase = node.phase;
  price(work, node);
  work.rate = work.seconds > 0 ? c.bytes / work.seconds : 0;
  work.bytes = c.bytes, work.flops = 0, work.bound = cost::Bound::Network;
  work.because = c.because, work.axis = program_.mesh.str(c.axes), work.axes = c.axes, work.group = c.group;
  work.collective = c.kind;
  if (c.kind == ir::CollectiveKind::HostCopy)
    work.level = ir::kHost;
  else if (c.level < program_.mesh.levelNames.size())
    work.level = program_.mesh.levelNames[c.level].str();
}

/// Sets the rule that places the operator, the most specific one of those of its dimensions.
void WorkTable::addRule(Work& work, const ir::LayerClass& layerClass, ir::OpId op) const {
  const ir::Layer& layer = program_.model->layers[layerClass.layer];
  const size_t place = op.index - layer.first.index;
  if (program_.model->ops[op].layer != layerClass.layer || place >= layerClass.placements->size()) return;
  const ir::PlacementRule* rule = nullptr;
  for (const ir::PlacedDim& dim : (*layerClass.placements)[place].dims)
    if (dim.rule && (!rule || dim.rule->selector.steps.size() > rule->selector.steps.size())) rule = dim.rule;
  if (rule) work.because = rule->range;
}

uint32_t WorkTable::node(ir::LayerClassId id, bool backward, ir::NodeIndex index) {
  return once(nodes_, {id, backward, index}, [&] {
    const ir::LayerClass& layerClass = program_.classes[id];
    const ir::Node& node = (backward ? layerClass.backward : layerClass.forward)[index];
    Work work;
    if (const ir::Collective* c = node.asCollective()) {
      describeCollective(work, node);
      const std::string what = c->value.valid()  ? program_.model->pathOf(c->value)
                               : node.op.valid() ? program_.model->pathOf(node.op)
                                                 : std::string();
      work.name = fmt::format("{} {}{}", work.type, c->gradient ? "gradient of " : "", what);
    } else {
      work.kind = Work::Kind::Operator, work.phase = node.phase;
      price(work, node);
      const std::string path = node.op.valid() ? program_.model->pathOf(node.op) : program_.refOf(layerClass).str();
      const ir::Compute* compute = node.asCompute();
      const std::string_view role = compute ? ir::name(compute->role) : "copy";
      work.name = compute && compute->role == ir::Role::Forward ? path : fmt::format("{} {}", path, role);
      work.type = node.op.valid() ? program_.model->ops[node.op].name.str() : std::string(role);
      if (!compute) work.because = node.copy().because;
      if (node.op.valid()) addRule(work, layerClass, node.op);
    }
    work.seconds *= node.times, work.flops *= node.times, work.bytes *= node.times;
    work.layer = layerOf(id, node);
    work.layerClass = id, work.inBackward = backward, work.node = index;
    return work;
  });
}

uint32_t WorkTable::state(ir::LayerClassId id, size_t index) {
  return once(states_, {id, index}, [&] {
    const ir::StateCollective& state = program_.classes[id].states[index];
    const cost::Messages messages = cost::messagesOf(*sim_.schedule, id, state);
    Work work;
    describeCollective(work, messages.one);
    work.layer = program_.refOf(program_.classes[id]);
    const bool gradients = state.cls == ir::CollectiveClass::Gradient;
    work.name = fmt::format("{} {} of {}", work.type, gradients ? "gradients" : "parameters", work.layer.str());
    work.seconds = sim_.classes[id.index].states[index] / static_cast<double>(cost::layersOf(program_.classes[id]));
    return work;
  });
}

uint32_t WorkTable::row(ir::LayerClassId id, bool backward, ir::NodeIndex index) {
  const ir::LayerClass& layerClass = program_.classes[id];
  const ir::LayerRef layer = layerOf(id, (backward ? layerClass.backward : layerClass.forward)[index]);
  return once(rows_, layer, [&] {
    Work work;
    work.kind = Work::Kind::Layer, work.name = layer.str(), work.layer = layer;
    return work;
  });
}

uint32_t WorkTable::transfer(int64_t from, size_t boundary, bool back, bool receives) {
  return once(transfers_, {from, boundary, back, receives}, [&] {
    const ir::StageKind& sender = program_.kindOf(from);
    const ir::Boundary& b = sender.sends[boundary];
    ir::Node node = ir::transferNode(sender, b);
    Work work;
    describeCollective(work, node);
    work.axis = program_.mesh.str(program_.stageAxes);
    work.phase = back ? ir::Phase::Backward : ir::Phase::Forward;
    work.layer = ir::LayerRef::of(program_.model->values[b.value].path);
    work.type = receives ? "receive" : "send";
    work.name = fmt::format("{} {}{}", work.type, back ? "gradient of " : "", program_.model->pathOf(b.value));
    return work;
  });
}

uint32_t WorkTable::sum(size_t index) {
  return once(sums_, index, [&] {
    const ir::StageGroup& group = program_.stageGroups[index];
    Work work;
    describeCollective(work, ir::sumNode(group));
    work.layer = ir::LayerRef::of(program_.model->values[group.storage].path);
    work.name = fmt::format("{} gradient of {}", work.type, program_.model->pathOf(group.storage));
    return work;
  });
}

uint32_t WorkTable::named(const std::string& name) {
  return once(named_, name, [&] {
    Work work;
    work.name = name;
    return work;
  });
}

std::vector<WorkShare> WorkTable::sharesOf(const cost::Account& account, SpanKind exposedAs) {
  std::vector<WorkShare> shares;
  for (const auto& [id, spent] : account.bodies()) {
    std::map<uint32_t, OfRow> rows;
    for (const bool backward : {false, true}) {
      const std::vector<cost::Spent>& nodes = spent.nodes(backward);
      for (size_t n = 0; n < nodes.size(); ++n) {
        if (!(nodes[n].sum() > 0)) continue;
        OfRow& of = rows[row(id, backward, static_cast<ir::NodeIndex>(n))];
        of.computing += nodes[n].computing, of.slowed += nodes[n].slowed;
        of.exposed += nodes[n].exposed, of.launches += nodes[n].launches;
      }
    }
    for (const auto& [work, of] : rows) {
      shares.push_back({work, SpanKind::Computes, of.computing, false});
      shares.push_back({work, SpanKind::Computes, of.slowed, true});
      shares.push_back({work, exposedAs, of.exposed, false});
      shares.push_back({work, SpanKind::Launches, of.launches, false});
    }
    for (size_t s = 0; s < spent.states.size(); ++s)
      shares.push_back({spent.states[s] > 0 ? state(id, s) : kNone, exposedAs, spent.states[s], false});
  }
  std::erase_if(shares, [](const WorkShare& share) { return !(share.seconds > 0); });
  return shares;
}

std::vector<WorkShare> WorkTable::sharesOf(Cause transferred, int64_t stage) {
  const bool back = transferred == Cause::SendBack || transferred == Cause::ReceiveBack;
  const bool receives = transferred == Cause::Receive || transferred == Cause::ReceiveBack;
  const int64_t from = stage - (back != receives ? 1 : 0);
  std::vector<WorkShare> shares;
  if (from < 0) return shares;
  const ir::StageKind& sender = program_.kindOf(from);
  for (size_t b = 0; b < sender.sends.size(); ++b) {
    const ir::Boundary& boundary = sender.sends[b];
    if (back && !cost::gradientReturns(program_, boundary)) continue;
    double seconds = model_.price(program_, ir::transferNode(sender, boundary)).seconds;
    if (boundary.scatter) seconds += model_.price(program_, ir::gatherNode(boundary)).seconds;
    shares.push_back({transfer(from, b, back, receives), SpanKind::Holds, seconds, false});
  }
  return shares;
}

} // namespace planc::timeline
