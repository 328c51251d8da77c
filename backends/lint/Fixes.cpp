// Finds changes that may free memory in the program: copies, kept values, and dimensions that could be split.
// SPDX-License-Identifier: Apache-2.0
#include "backends/lint/Fixes.h"

#include "backends/cost/price/Buckets.h"
#include "ir/facts/DeviceFacts.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace planc::lint {
namespace {

using ir::AxisMask;
using ir::ParamState;

/// The states in the order in which one implies the next: `params -> dp` also shards gradients and optimizer states.
struct State {
  ir::StateKind kind;
  const char* effect;
  AxisMask ParamState::*axes;
};
constexpr std::array<State, 3> kStates = {{
    {ir::StateKind::Optimizer, "shards the optimizer states", &ParamState::optimizer},
    {ir::StateKind::Grads, "shards gradients and optimizer states", &ParamState::grads},
    {ir::StateKind::Params, "shards parameters, gradients and optimizer states, gathered for each use",
     &ParamState::params},
}};

/// Proposes changes of a plan that does not fit, each with its effect.
class FixProposals {
public:
  FixProposals(const ir::Plan& plan, const ir::Program& program, const cost::Estimate& estimate)
      : plan_(plan), program_(program), mesh_(program.mesh), stage_(estimate.memory.fullest) {}

  std::vector<Candidate> run() {
    if (plan_.workload.hasBackward()) {
      recompute();
      split();
      shard();
      microBatch();
      stages();
      offload();
    }
    return std::move(found_);
  }

private:
  void add(std::string kind, std::string line, std::string effect, ir::PlanEdit edit) {
    found_.push_back({std::move(kind), {std::move(line)}, std::move(effect), std::move(edit)});
  }

  /// Returns the edit with one `recompute` statement over layers given by path.
  static ir::PlanEdit recomputing(const std::vector<std::string>& layers, bool outputs = false) {
    ir::Recompute statement;
    for (const std::string& layer : layers) statement.selectors.push_back({*ir::parseLayerRef(layer), {}});
    statement.outputs = outputs;
    ir::PlanEdit edit;
    edit.recompute.emplace().push_back(std::move(statement));
    return edit;
  }

  static std::vector<Symbol> symbols(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

  // ---- activations for backward ----------------------------------------------

  /// Returns the repeats of the model, `decoder`; of a repeat in several pieces only the first piece.
  std::vector<const ir::Layer*> repeats() const {
    std::vector<const ir::Layer*> all;
    for (const ir::Layer& layer : program_.model->layers)
      if (layer.repeat && !layer.isPart() &&
          std::none_of(all.begin(), all.end(), [&](const ir::Layer* other) { return other->name == layer.name; }))
        all.push_back(&layer);
    return all;
  }

  void recompute() {
    std::vector<std::string> cores, cheap, half, whole;
    for (const ir::Layer* layer : repeats()) {
      if (std::string core = coreOf(*layer); !core.empty()) cores.push_back(std::move(core));
      for (std::string& path : cheapLayers(*layer)) cheap.push_back(std::move(path));
      whole.push_back(layer->name.str());
      const int64_t count = layer->of > 0 ? layer->of : layer->count;
      if (count > 1) half.push_back(fmt::format("{}[0:{}:2]", layer->name.str(), count));
    }
    const auto offer = [&](const std::vector<std::string>& layers, bool outputs, const char* effect) {
      if (layers.empty()) return;
      add("recompute",
          fmt::format("{}recompute {}{}", plan_.recompute.empty() ? "" : "override ", fmt::join(layers, ", "),
                      outputs ? " { outputs = true }" : ""),
          effect, recomputing(layers, outputs));
    };
    offer(cores, false, "keeps no attention scores");
    offer(cheap, true, "recomputes values that can be computed from kept values");
    offer(half, false, "keeps only the inputs of every second layer");
    offer(whole, false, "keeps only the inputs of each layer");
  }

  /// Returns layers with a single memory operator whose result another operator of the instance keeps although its
  /// inputs are kept anyway: mostly norms and activations.
  std::vector<std::string> cheapLayers(const ir::Layer& layer) const {
    std::vector<std::string> layers;
    for (const ir::LayerClass& layerClass : program_.classes) {
      if (layerClass.boundaryReshard || &program_.model->layers[layerClass.layer] != &layer) continue;
      const auto keeps = [&](ir::ValueId v, ir::OpId but) {
        return std::any_of(layerClass.saved.begin(), layerClass.saved.end(), [&](const ir::Saved& s) {
          return s.value == v && s.buffer.empty() && s.bytes > 0 && s.op != but;
        });
      };
      for (uint32_t i = layer.first.index; i < layer.end.index; ++i) {
        const ir::Op& op = program_.model->ops[ir::OpId(i)];
        if (op.kind != ir::OpKind::Memory || !aloneIn(layer, op) || !keeps(op.result, ir::OpId(i))) continue;
        const bool made = std::all_of(op.operands.begin(), op.operands.end(), [&](const ir::Operand& o) {
          return program_.model->values[o.value].kind == ir::ValueKind::Param || keeps(o.value, ir::OpId());
        });
        const std::string path = ir::join(op.path);
        if (made && std::find(layers.begin(), layers.end(), path) == layers.end()) layers.push_back(path);
      }
    }
    return layers;
  }

  /// Returns whether the layer of the operator holds no other operator.
  bool aloneIn(const ir::Layer& layer, const ir::Op& op) const {
    for (uint32_t i = layer.first.index; i < layer.end.index; ++i) {
      const ir::Op& other = program_.model->ops[ir::OpId(i)];
      if (&other != &op && other.path.size() >= op.path.size() &&
          std::equal(op.path.begin(), op.path.end(), other.path.begin()))
        return false;
    }
    return op.path.size() > 1;
  }

  /// Returns the common path of scores and context if the scores reach memory, else an empty text.
  std::string coreOf(const ir::Layer& layer) const {
    std::vector<Symbol> path;
    bool any = false;
    for (uint32_t i = layer.first.index; i < layer.end.index; ++i) {
      const ir::Op& op = program_.model->ops[ir::OpId(i)];
      if (op.kind != ir::OpKind::Scores && op.kind != ir::OpKind::Context) continue;
      if (!any) path = op.path;
      any = true;
      size_t same = 0;
      while (same < path.size() && same < op.path.size() && path[same] == op.path[same]) ++same;
      path.resize(same);
    }
    return path.size() > 1 ? ir::join(path) : std::string();
  }

  void microBatch() {
    const int64_t now = plan_.workload.microBatch;
    for (const int64_t less : {now / 2, int64_t{1}})
      if (less >= 1 && less < now && now % less == 0 && (less > 1 || now == 2 || now / 2 > 1))
        add("micro_batch", fmt::format("override train {{ micro_batch = {} }}", less),
            "keeps the activations of fewer samples", {.microBatch = less});
  }

  /// Adds splits of the carried value. Axes that split the inside of a layer but not the value carried between layers
  /// can split one of its dimensions.
  void split() {
    for (const ir::Layer* layer : repeats())
      for (const ir::Carry& carry : layer->carries) {
        const ir::Value& value = program_.model->values[carry.inside];
        AxisMask inside = 0, held = 0;
        for (const ir::LayerClass& layerClass : program_.classes) {
          if (layerClass.boundaryReshard || &program_.model->layers[layerClass.layer] != layer) continue;
          for (size_t i = 0; i < layerClass.placements.size(); ++i) {
            inside |= layerClass.placements[i].mask();
            if (program_.model->ops[ir::OpId(layer->first.index + static_cast<uint32_t>(i))].kind == ir::OpKind::Carry)
              held |= layerClass.results[i].axes();
          }
        }
        const std::vector<std::string> free = names(inside & ~held);
        if (free.empty()) continue;
        for (ir::DimId d : value.dims) {
          const Symbol dim = program_.model->dims[d].name;
          if (dim == program_.plan->workload.samples) continue;
          splitBy(*layer, dim.str(), free);
          break;
        }
      }
  }

  void splitBy(const ir::Layer& layer, const std::string& dim, std::vector<std::string> axes) {
    std::string verb;
    for (const ir::PlacementRule& rule : plan_.placements)
      if (rule.dim == Symbol(dim)) {
        if (rule.selector.steps.size() == 1 && rule.selector.steps[0].name == layer.name) verb = "override ";
        if (rule.selector.steps.empty() || !verb.empty())
          for (auto t = rule.targets.rbegin(); t != rule.targets.rend(); ++t) axes.insert(axes.begin(), t->str());
      }
    ir::PlacementRule rule;
    rule.selector = {*ir::parseLayerRef(layer.name.str()), {}};
    rule.dim = Symbol(dim);
    rule.targets = symbols(axes);
    add("split", fmt::format("{}place {} {{ {} -> {} }}", verb, layer.name.str(), dim, listText(axes)),
        fmt::format("splits what passes from layer to layer by {}", dim), {.placements = {rule}});
  }

  // ---- states -----------------------------------------------------------------

  template <class Visit> void eachParam(Visit visit) const {
    for (size_t vs : program_.heldBy(stage_)) {
      for (const auto& [body, count] : cost::instancesOf(program_.kindOf(vs)))
        for (const ParamState& p : program_.classes[body].params)
          if (p.owner && p.trainable && count > 0) visit(p);
    }
  }

  /// Returns whether the plan has a rule for the state of the whole model, which the change must override.
  bool ruled(ir::StateKind kind) const {
    return std::any_of(plan_.states.begin(), plan_.states.end(),
                       [&](const ir::StateRule& rule) { return rule.state == kind && rule.selector.steps.empty(); });
  }

  /// Returns the axes over which the gradients of the fullest stage are pending sums, so that parameters are
  /// replicated.
  AxisMask replicated() const {
    AxisMask axes = 0;
    eachParam([&](const ParamState& p) { axes |= p.partial; });
    for (ir::AxisId axis : mesh_.list(axes))
      if (mesh_.axes[axis].size == 1) axes &= ~ir::maskOf(axis);
    return axes;
  }

  void shard() {
    const AxisMask axes = replicated();
    if (!axes) return;
    for (const State& state : kStates) {
      bool helps = false;
      eachParam([&](const ParamState& p) { helps |= (axes & p.partial & ~(p.*state.axes)) != 0; });
      // One statement holds all rules: it overrides rules of all its states or of none.
      const bool mixed = !ruled(state.kind) && std::any_of(kStates.begin(), kStates.end(), [&](const State& later) {
        return later.kind > state.kind && ruled(later.kind);
      });
      if (!helps || mixed) continue;
      std::string rules;
      ir::PlanEdit edit;
      for (const State& later : kStates) // less sharded states must follow the new rule
        if (later.kind >= state.kind && (later.kind == state.kind || ruled(later.kind))) {
          rules = fmt::format("{} -> {}{}{}", ir::name(later.kind), listText(names(axes)), rules.empty() ? "" : "; ",
                              rules);
          edit.states.push_back({{}, later.kind, symbols(names(axes)), {}});
        }
      add("shard", fmt::format("{}states {{ {} }}", ruled(state.kind) ? "override " : "", rules), state.effect,
          std::move(edit));
    }
  }

  void offload() {
    if (!plan_.cluster || !plan_.cluster->device.has(ir::DeviceFact::HostBandwidth)) return;
    std::string targets(ir::kHost);
    std::vector<std::string> axes;
    eachParam([&](const ParamState& p) {
      if (axes.empty()) axes = names(p.optimizer);
    });
    ir::StateRule rule{{}, ir::StateKind::Optimizer, symbols(axes), {}};
    rule.host = true;
    if (!axes.empty()) {
      axes.emplace_back(ir::kHost);
      targets = listText(axes);
    }
    add("offload",
        fmt::format("{}states {{ optimizer -> {} }}", ruled(ir::StateKind::Optimizer) ? "override " : "", targets),
        "keeps the optimizer states in the host's memory and streams them through the step", {.states = {rule}});
    std::string all;
    ir::PlanEdit keeping;
    for (const ir::Layer* layer : repeats()) {
      all += (all.empty() ? "" : ", ") + layer->name.str();
      keeping.keeps.push_back({{*ir::parseLayerRef(layer->name.str()), {}}, false, true});
    }
    if (plan_.keeps.empty() && !all.empty())
      add("keep", fmt::format("keep {} = {}", all, ir::kHost), "copies activations to the host's memory until backward",
          std::move(keeping));
  }

  // ---- stages -----------------------------------------------------------------

  /// Adds a change to twice as many stages, taken from an axis over which parameters are replicated.
  void stages() {
    if (!plan_.pipeline || plan_.pipeline->axes.size() != 1 || !plan_.pipeline->stages.empty()) return;
    const Symbol pipe = plan_.pipeline->axes[0];
    for (ir::AxisId id : mesh_.list(replicated())) {
      const ir::Axis& axis = mesh_.axes[id];
      if (axis.size % 2 != 0 || !axis.written.empty()) continue;
      add("stages",
          fmt::format("override mesh {{ {} = {}; {} = {} }}", pipe.str(), program_.stages * 2, axis.name.str(),
                      axis.size / 2),
          "holds fewer layers on a device", {.axes = {{pipe, program_.stages * 2}, {axis.name, axis.size / 2}}});
      return;
    }
  }

  /// Returns the axes as the plan writes them, a refined axis once.
  std::vector<std::string> names(AxisMask axes) const {
    std::vector<std::string> list;
    for (ir::AxisId id : mesh_.list(axes)) {
      const ir::Axis& axis = mesh_.axes[id];
      if (axis.size == 1) continue;
      const std::string& name = (axis.written.empty() ? axis.name : axis.written).str();
      if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
    }
    return list;
  }
  static std::string listText(const std::vector<std::string>& names) {
    return names.size() == 1 ? names[0] : fmt::format("[{}]", fmt::join(names, ", "));
  }

  const ir::Plan& plan_;
  const ir::Program& program_;
  const ir::Mesh& mesh_;
  int64_t stage_;
  std::vector<Candidate> found_;
};

} // namespace

std::vector<Candidate> memoryCandidates(const ir::Plan& plan, const ir::Program& program,
                                        const cost::Estimate& estimate) {
  return FixProposals(plan, program, estimate).run();
}

void rank(std::vector<Fix>& fixes) {
  std::stable_sort(fixes.begin(), fixes.end(), [](const Fix& a, const Fix& b) {
    if (a.fits != b.fits) return a.fits;
    return a.fits ? a.stepTime < b.stepTime : a.peak < b.peak;
  });
}

std::string fixText(const std::string& name, const std::string& base, const std::vector<std::string>& lines) {
  std::string text = fmt::format("plan {} extends {} {{\n", name, base);
  for (const std::string& line : lines) text += "  " + line + "\n";
  return text + "}\n";
}

} // namespace planc::lint
