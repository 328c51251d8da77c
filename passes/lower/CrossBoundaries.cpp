// cross-boundaries: the values that every virtual stage sends to the next (docs/language.md, section 11). A value with
// a user in a later stage crosses each boundary in between, hop by hop, in the layout in which it is carried.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Steps.h"

#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace planc::passes {
using namespace ir;

PLANC_ERROR(PendingCrossing, 725, "`{value}` leaves its stage as a partial sum over `{axis}`")
PLANC_WARNING(ScatterIdle, 723,
              "`scatter = {axis}` has no effect: the transferred value is already split over `{axis}`")

namespace {

/// The values that a virtual stage sends: indices of boundaries, and the level of the link.
struct Sent {
  llvm::SmallVector<uint32_t, 4> boundaries;
  size_t level = 0;
  bool operator==(const Sent&) const = default;
};

struct Crossing {
  Program& program;
  DiagnosticEngine& diagnostics;
  bool ok = true;
  std::vector<int64_t> firstStage = {}, lastStage = {};     ///< by layer
  std::vector<Boundary> boundaries = {};                    ///< distinct boundaries
  std::map<std::pair<ValueId, bool>, uint32_t> places = {}; ///< of the boundaries, by value and `gradient`
  Indexed<Sent> sent = {};                                  ///< by virtual stage

  const Model& model() const { return program.model; }

  void findStages() {
    firstStage.assign(model().layers.size(), INT64_MAX);
    lastStage.assign(model().layers.size(), -1);
    for (const VirtualStage& s : program.virtualStages)
      for (const auto& [id, count] : program.kindOf(s.index).classes) {
        const uint32_t l = program.classes[id].layer.index;
        firstStage[l] = std::min(firstStage[l], s.index);
        lastStage[l] = std::max(lastStage[l], s.index);
      }
  }

  const Carry* carriedBy(const Op& op) const {
    for (const Carry& c : model().layers[op.layer].carries)
      if (c.inside == op.result) return &c;
    return nullptr;
  }

  /// Returns, by value, the last stage on which a layer other than its own reads it, or -1.
  std::vector<int64_t> lastUses() const {
    std::vector<int64_t> last(model().values.size(), -1);
    for (const Op& op : model().ops)
      for (const Operand& o : op.operands) {
        const Value& value = model().values[o.value];
        if (value.kind != ValueKind::Result || model().ops[value.producer].layer == op.layer) continue;
        const int64_t stage = carriedBy(op) ? firstStage[op.layer.index] : lastStage[op.layer.index];
        last[o.value.index] = std::max(last[o.value.index], stage);
      }
    return last;
  }

  /// Returns the layout in which a value crosses. The boundary reshard of its stage may have resolved a carried value.
  Layout crossingLayout(ValueId v) const {
    for (const LayerClass& layerClass : program.classes)
      if (layerClass.boundaryReshard)
        for (auto it = layerClass.forward.rbegin(); it != layerClass.forward.rend(); ++it)
          if (const Collective* c = it->asCollective(); c && c->value == v && layoutOf(program, v).partial)
            return c->to;
    return layoutOf(program, v);
  }

  void send(int64_t from, int64_t to, ValueId v) {
    if (from >= to) return;
    const Layout layout = crossingLayout(v);
    if (layout.partial) { // a boundary never carries a pending sum (L8)
      ok = false;
      const Op& op = model().ops[model().values[v].producer];
      diagnostics
          .report(PendingCrossing, op.range, {{"value", model().pathOf(v)}, {"axis", program.mesh.str(layout.partial)}})
          .help("put the layer that reads it on the same stage, or place its contracted dimension on no axis");
      return;
    }
    Boundary b;
    b.value = v;
    b.bytes = localElements(program, model().values[v].dims, layout) * program.widthOf(v);
    if (const auto& p = program.plan->pipeline; p && p->scatter) scatter(b, layout, *p);
    for (int64_t s = from; s < to; ++s) {
      if (auto comesBack = trainsBefore(s, v)) b.gradient = *comesBack;
      if (program.crosses(static_cast<size_t>(s))) add(s, b);
    }
  }

  /// Adds a boundary to a stage. Adjacent stages share one boundary of a value unless they differ in whether its
  /// gradient returns.
  void add(int64_t stage, const Boundary& b) {
    const auto [place, fresh] = places.try_emplace({b.value, b.gradient}, static_cast<uint32_t>(boundaries.size()));
    sent[stage].boundaries.push_back(place->second);
    if (fresh) boundaries.push_back(b);
  }

  /// Splits the kinds of stages by what they send and receive.
  void refineKinds() {
    struct Refined {
      StageKindId from;
      Sent sent;
      double receives = 0;
      bool operator==(const Refined&) const = default;
    };
    std::vector<Refined> refined;
    double receives = 0;
    for (VirtualStage& stage : program.virtualStages) {
      Refined kind{stage.kind, sent[stage.index], receives};
      receives = 0;
      for (uint32_t b : kind.sent.boundaries) receives += boundaries[b].arriving();
      auto known = refined.end();
      if (!refined.empty() && refined.back() == kind) known = std::prev(refined.end());
      if (known == refined.end()) known = std::find(refined.begin(), refined.end(), kind);
      stage.kind = StageKindId(static_cast<uint32_t>(known - refined.begin()));
      if (known == refined.end()) refined.push_back(std::move(kind));
    }
    Store<StageKind> kinds;
    for (const Refined& r : refined) {
      StageKind kind;
      kind.classes = program.stageKinds[r.from].classes;
      for (uint32_t b : r.sent.boundaries) kind.sends.push_back(boundaries[b]);
      kind.level = r.sent.level;
      kind.receives = r.receives;
      kinds.add(std::move(kind));
    }
    program.stageKinds = std::move(kinds);
  }

  /// Returns, for a stage that produces the value, whether anything upstream there trains. Returns null for a stage
  /// that passes the value on.
  std::optional<bool> trainsBefore(int64_t stage, ValueId v) const {
    const LayerId home = model().ops[model().values[v].producer].layer;
    std::optional<bool> trains; // of several classes the last one, which passes it on
    for (const auto& [id, count] : program.kindOf(stage).classes) {
      const LayerClass& layerClass = program.classes[id];
      if (!layerClass.boundaryReshard && layerClass.layer == home) trains = program.withGradient[id.index][v.index];
    }
    return trains;
  }

  /// Sends a replicated value in slices over an axis, to be gathered on arrival.
  void scatter(Boundary& b, const Layout& layout, const Pipeline& pipeline) const {
    const AxisMask axes = maskOf(resolveTargets(program.mesh, {*pipeline.scatter})) & ~layout.axes();
    if (!axes) return;
    b.scatter = axes;
    Collective& g = b.gather;
    g.value = b.value;
    g.kind = CollectiveKind::AllGather;
    g.cls = CollectiveClass::Pipeline;
    g.axes = axes;
    g.group = program.mesh.size(axes);
    g.level = program.mesh.levelOf(axes);
    g.bytes = b.bytes;
    g.because = pipeline.scatterRange;
    b.bytes /= static_cast<double>(g.group);
  }

  /// Returns the first device of a device stage, from the digits of its index along the stage axes, major first.
  int64_t deviceOf(int64_t stage) const {
    int64_t at = 0;
    for (auto it = program.mesh.order.begin(); it != program.mesh.order.end();
         ++it) { // inner to outer: the minor digits first
      if (!(program.stageAxes & maskOf(*it))) continue;
      const Axis& axis = program.mesh.axes[*it];
      at += stage % axis.size * axis.stride;
      stage /= axis.size;
    }
    return at;
  }

  size_t linkLevel(int64_t from, int64_t to) const {
    const auto& sizes = program.mesh.levelSizes;
    for (size_t l = 0; l < sizes.size(); ++l)
      if (deviceOf(from) / sizes[l] == deviceOf(to) / sizes[l]) return l;
    return sizes.empty() ? 0 : sizes.size() - 1;
  }
};

} // namespace

bool crossBoundaries(Program& program, DiagnosticEngine& diagnostics) {
  Crossing crossing{program, diagnostics};
  crossing.findStages();
  crossing.sent.resize(program.virtualStages.size());
  for (size_t s = 0; s + 1 < program.virtualStages.size(); ++s) {
    const auto &here = program.virtualStages[s].devices, &next = program.virtualStages[s + 1].devices;
    for (size_t route = 0; route < here.size(); ++route)
      crossing.sent[s].level = std::max(crossing.sent[s].level, crossing.linkLevel(here[route], next[route]));
  }
  const std::vector<int64_t> lastUses = crossing.lastUses();
  for (uint32_t l = 0; l < program.model->layers.size(); ++l) {
    const Layer& layer = program.model->layers[LayerId(l)];
    for (const Carry& c : layer.carries) crossing.send(crossing.firstStage[l], crossing.lastStage[l], c.last);
    for (uint32_t i = layer.first.index; i < layer.end.index; ++i) {
      const ValueId v = program.model->ops[OpId(i)].result;
      const int64_t last = lastUses[v.index];
      if (last > crossing.lastStage[l]) crossing.send(crossing.lastStage[l], last, v);
    }
  }
  if (!crossing.ok) return false;
  crossing.refineKinds();
  const auto& pipeline = program.plan->pipeline;
  if (pipeline && pipeline->scatter && program.virtualStages.size() > 1) {
    bool scatters = false;
    for (const StageKind& s : program.stageKinds)
      for (const Boundary& b : s.sends) scatters |= b.scatter != 0;
    if (!scatters && !resolveTargets(program.mesh, {*pipeline->scatter}).empty())
      diagnostics.report(ScatterIdle, pipeline->scatterRange, {{"axis", pipeline->scatter->str()}}).help("remove it");
  }
  return true;
}

} // namespace planc::passes
