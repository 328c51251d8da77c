// Prints levels `sharded` and `comm`: classes with their nodes, states and stages. Each collective is one line that
// grep can find.
// SPDX-License-Identifier: Apache-2.0
#include "ir/print/Names.h"
#include "ir/program/Program.h"
#include "ir/program/States.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace planc::ir {

namespace {

template <class AnyProgram> class ProgramPrinter {
  static constexpr bool kSharded = std::is_same_v<AnyProgram, ShardedProgram>;

public:
  ProgramPrinter(const AnyProgram& program, const SourceManager* sources)
      : program_(program), model_(program.model), sources_(sources), names_(program.model) {}

  std::string run() {
    std::string axes;
    for (AxisId a : program_.mesh.order)
      axes += fmt::format(" {}={}", program_.mesh.axes[a].name.view(), program_.mesh.axes[a].size);
    line("program {} level={}", program_.plan ? program_.plan->name.view() : model_.name.view(),
         kSharded ? "sharded" : "comm");
    line("mesh{}", axes);
    line("micro_batches={} stages={} chunks={}", program_.microBatches, program_.stages, program_.chunks);
    for (uint32_t b = 0; b < program_.classes.size(); ++b) printClass(LayerClassId(b));
    for (const VirtualStage& stage : program_.virtualStages) printStage(stage);
    for (const StageGroup& group : program_.stageGroups) printGroup(group);
    return out_;
  }

private:
  template <class... Args> void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  /// How often the class runs in one micro-batch, over all stages.
  int64_t runs(LayerClassId id) const {
    int64_t n = 0;
    for (const VirtualStage& stage : program_.virtualStages)
      for (const auto& [body, count] : program_.kindOf(stage.index).classes)
        if (body == id) n += count;
    return program_.virtualStages.empty() ? program_.classes[id].instances.count() : n;
  }

  void printClass(LayerClassId id) {
    const auto& layerClass = program_.classes[id];
    runs_ = runs(id);
    scope_ = layerClass.layer;
    const Layer& layer = model_.layers[layerClass.layer];
    line("{} {}{} {{", layerClass.boundaryReshard ? "boundary" : "layer", program_.refOf(layerClass).str(),
         layer.repeat ? fmt::format(" x{}", runs_) : "");
    if (!layerClass.boundaryReshard) printCarries(layerClass, layer);
    printNodes("forward", layerClass, *layerClass.forward);
    printNodes("backward", layerClass, *layerClass.backward);
    for (const Saved& s : layerClass.saved)
      line("  saved {}{} bytes={} by={}", names_.of(s.value, scope_), s.buffer.empty() ? "" : "." + s.buffer.str(),
           numberText(s.bytes), opName(s.op));
    if (layerClass.workingForward > 0 || layerClass.workingBackward > 0)
      line("  working forward={} backward={}", numberText(layerClass.workingForward),
           numberText(layerClass.workingBackward));
    for (const ParamState& p : layerClass.params) printParam(p);
    if (layerClass.params.empty())
      for (const ParamUse& use : layerClass.uses) printParam(ParamState(use));
    for (const StateCollective& s : layerClass.states) printState(s);
    line("}}");
  }

  /// Prints the layouts of carried values where they enter and leave. Carries have no nodes.
  void printCarries(const ClassHead& layerClass, const Layer& layer) {
    for (const Carry& c : layer.carries) {
      const Value& v = model_.values[c.inside];
      size_t i = v.producer.index - layer.first.index;
      if (i < layerClass.results.size())
        line("  carry {} -> {} : {}", names_.of(c.inside, scope_), names_.of(c.last, scope_),
             layoutText(program_.mesh, model_, v.dims, layerClass.results[i]));
    }
  }

  template <class AnyNode>
  void printNodes(const char* title, const ClassHead& layerClass, const Indexed<AnyNode>& nodes) {
    if (nodes.empty()) return;
    line("  {}:", title);
    for (const AnyNode& n : nodes) std::visit([&](const auto& does) { printNode(layerClass, n, does); }, n.does);
  }

  /// `attn.q`: operators are named by their result.
  std::string opName(OpId op) const { return op.valid() ? names_.of(model_.ops[op].result, scope_).substr(1) : "-"; }
  std::string gradient(ValueId v) const { return fmt::format("d({})", names_.of(v, scope_)); }
  std::string traveller(const Traveller& what) const {
    if (!what.value.valid()) return "%-"; // fused states have no value in the model
    return what.gradient ? gradient(what.value) : names_.of(what.value, scope_);
  }

  std::string operands(const Op& op, int except = -1) const {
    std::string text;
    for (size_t i = 0; i < op.operands.size(); ++i)
      if (static_cast<int>(i) != except)
        text += fmt::format("{}{}", text.empty() ? "" : ", ", names_.of(op.operands[i].value, scope_));
    return text;
  }

  void printNode(const ClassHead& layerClass, const NodeHead& n, const Computation& c) {
    line("    {}", computation(layerClass, n, c));
  }
  void printNode(const ClassHead& layerClass, const NodeHead& n, const Compute& c) {
    line("    {}{}", computation(layerClass, n, c), work(c.work));
  }

  std::string computation(const ClassHead& layerClass, const NodeHead& n, const Computation& c) const {
    if (!n.op.valid()) return std::string(name(c.role));
    const Op& op = model_.ops[n.op];
    ValueId operand;
    if (c.operand >= 0 && static_cast<size_t>(c.operand) < op.operands.size()) operand = op.operands[c.operand].value;
    std::string text;
    switch (c.role) {
    case Role::Forward:
      text = fmt::format("{} = {} {}{}", names_.of(op.result, scope_), op.name.view(), operands(op),
                         type(layerClass, n.op));
      break;
    case Role::DGrad:
    case Role::WGrad:
      text = fmt::format("{} = {}.{} {}, {}", gradient(operand), op.name.view(), name(c.role), gradient(op.result),
                         operands(op, c.operand));
      break;
    case Role::Backward:
      text = fmt::format("{}.backward {}", op.name.view(), gradient(op.result));
      break;
    case Role::Accumulate:
      text = fmt::format("accumulate {}", gradient(operand));
      break;
    case Role::Cast:
      text = c.operand < 0 ? fmt::format("cast {}", gradient(op.result))
                           : fmt::format("unpack {}", names_.of(operand, scope_));
      break;
    case Role::Save:
      text = fmt::format("{} {}", n.phase == Phase::Forward ? "save" : "restore", names_.of(c.value, scope_));
      break;
    case Role::Optimizer:
      text = fmt::format("optimizer {}", names_.of(c.value, scope_));
      break;
    }
    if (n.phase == Phase::Recompute) text += n.needed ? " recompute" : " recompute unused";
    if (n.times != 1) text += fmt::format(" times={}", numberText(n.times));
    return text;
  }

  /// ` : [batch@dp, seq@tp, hidden] bf16`
  std::string type(const ClassHead& layerClass, OpId id) const {
    const Op& op = model_.ops[id];
    size_t i = id.index - model_.layers[layerClass.layer].first.index;
    std::string layout = i < layerClass.results.size()
                             ? layoutText(program_.mesh, model_, op.resultDims, layerClass.results[i])
                             : dimsText(model_, op.resultDims);
    // The element type is printed between the dimensions and the pending sum: `[…] bf16 partial(tp)`.
    size_t end = layout.find(']') + 1;
    return fmt::format(" : {} {}{}", layout.substr(0, end), name(program_.dtypeOf(op.result)), layout.substr(end));
  }

  static std::string work(const LocalWork& w) {
    std::string text;
    if (w.m > 0)
      text += fmt::format(" batch={} m={} n={} k={}", numberText(w.batch), numberText(w.m), numberText(w.n),
                          numberText(w.k));
    if (w.flops > 0) text += fmt::format(" flops={}", numberText(w.flops));
    if (w.reads > 0 || w.writes > 0)
      text += fmt::format(" reads={} writes={}", numberText(w.reads), numberText(w.writes));
    if (w.elements > 0) text += fmt::format(" elements={}", numberText(w.elements));
    return text.empty() ? text : fmt::format(" {}", text);
  }

  void printNode(const ClassHead&, const NodeHead& n, const Reshard& r) {
    const std::vector<DimId>& dims = model_.values[r.value].dims;
    line("    reshard {} : {} -> {} phase={}", traveller(r), layoutText(program_.mesh, model_, dims, r.from),
         layoutText(program_.mesh, model_, dims, r.to), name(n.phase));
  }

  std::string axis(AxisMask axes, int64_t group) const { return fmt::format("{}({})", program_.mesh.str(axes), group); }
  std::string level(size_t l) const {
    return l < program_.mesh.levelNames.size() ? program_.mesh.levelNames[l].str() : std::string(kHost);
  }
  /// `  because=plans/x.plan:41`; empty if sources are not available or no plan text caused it.
  std::string because(SourceRange range) const {
    return sources_ && range.valid() ? fmt::format("  because={}", sources_->where(range)) : "";
  }
  /// The dimensions whose digits a step changes.
  std::string changed(const Collective& c) const {
    if (!c.value.valid() || c.from.shard.size() != c.to.shard.size()) return "";
    const std::vector<DimId>& dims = model_.values[c.value].dims;
    std::string text;
    for (size_t i = 0; i < c.to.shard.size() && i < dims.size(); ++i)
      if (c.from.shard[i] != c.to.shard[i])
        text += fmt::format("{}{}", text.empty() ? " dim=" : ",", model_.dims[dims[i]].name.view());
    return text;
  }

  void printNode(const ClassHead&, const NodeHead& n, const Collective& c) { printCollective(n, c); }
  void printCollective(const NodeHead& n, const Collective& c) {
    std::string facts;
    if (c.ring) facts += " ring";
    if (c.copies != 1) facts += fmt::format(" copies={}", numberText(c.copies));
    if (c.places > 0) facts += fmt::format("/{}", numberText(c.places));
    if (c.groupLimit.limit < c.groupLimit.groups)
      facts += fmt::format(" groups={}/{}", numberText(c.groupLimit.limit), numberText(c.groupLimit.groups));
    if (c.strided) facts += " strided";
    line("    {} {}{} axis={} level={} bytes={} class={} phase={} count={} op={}{}{}", name(c.kind), traveller(c),
         changed(c), axis(c.axes, c.group), level(c.level), numberText(c.bytes), name(c.cls), name(n.phase),
         numberText(static_cast<double>(runs_) * n.times), opName(n.op), facts, because(c.because));
  }

  void printNode(const ClassHead&, const NodeHead&, const Copy& c) {
    line("    copy {} bytes={}{}", traveller(c), numberText(c.bytes), because(c.because));
  }

  std::string storage(const char* state, AxisMask axes) const {
    return axes ? fmt::format(" {}->{}", state, program_.mesh.str(axes)) : "";
  }

  void printParam(const ParamState& p) {
    const Value& v = model_.values[p.param];
    line("  param {} : {} {} elements={}{}{}{}{}{}{}{}", names_.of(p.param, scope_),
         layoutText(program_.mesh, model_, v.dims, p.layout), name(storedAs(program_, p)), numberText(p.elements),
         storage("params", p.params), storage("grads", p.grads), storage("optimizer", p.optimizer),
         p.partial ? fmt::format(" gradient=partial({})", program_.mesh.str(p.partial)) : "",
         p.trainable ? "" : " frozen", p.owner ? "" : " shared",
         p.touched > 0 ? fmt::format(" rows={}", numberText(p.touched)) : "");
  }

  void printState(const StateCollective& s) {
    // A bucket has many parameters: print the first one and the number of the rest.
    std::string params = "-";
    if (!s.params.empty())
      params = s.cls == CollectiveClass::Gradient ? gradient(s.params[0]) : names_.of(s.params[0], scope_);
    if (s.params.size() > 1) params += fmt::format("+{}", s.params.size() - 1);
    line("    {} {} axis={} level={} bytes={} class={} phase={} count={}{}{}", name(s.collective), params,
         axis(s.axes, s.group), level(s.level), numberText(s.bytes), name(s.cls), name(s.phase), runs_ * s.times,
         s.kept ? " kept" : "", because(s.because));
  }

  void printStage(const VirtualStage& stage) {
    const StageKind& kind = program_.kindOf(stage.index);
    std::string bodies;
    for (const auto& [body, count] : kind.classes)
      bodies += fmt::format(" {}{} x{}", program_.classes[body].boundaryReshard ? "boundary:" : "",
                            program_.refOf(program_.classes[body]).str(), count);
    line("stage {}:{}", stage.index, bodies);
    scope_ = {};
    for (const Boundary& b : kind.sends) {
      line("    send_recv {} axis={} level={} bytes={} class=pipeline to={}", names_.of(b.value),
           axis(program_.stageAxes, program_.stages), level(kind.level), numberText(b.bytes), stage.index + 1);
      runs_ = 1;
      if (b.scatter) printCollective(NodeHead{}, b.gather);
    }
  }

  void printGroup(const StageGroup& group) {
    std::string stages;
    for (int64_t s : group.stages) stages += fmt::format("{}{}", stages.empty() ? "" : ", ", s);
    scope_ = {};
    runs_ = 1;
    line("shared {} stages=[{}]", names_.of(group.storage), stages);
    printCollective(NodeHead{.phase = Phase::Step}, group.allReduce);
  }

  const AnyProgram& program_;
  const Model& model_;
  const SourceManager* sources_;
  ValueNames names_;
  std::string out_;
  LayerId scope_;    ///< layer whose names are shortened
  int64_t runs_ = 1; ///< of the class being printed
};

} // namespace

std::string print(const ShardedProgram& program, const SourceManager* sources) {
  return ProgramPrinter(program, sources).run();
}

std::string print(const Program& program, const SourceManager* sources) {
  return ProgramPrinter(program, sources).run();
}

} // namespace planc::ir
