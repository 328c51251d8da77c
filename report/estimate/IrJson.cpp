// The levels of the IR as JSON: the content of the printers of `ir` in fields.
// SPDX-License-Identifier: Apache-2.0
#include "report/estimate/IrJson.h"

#include "ir/layout/Routed.h"
#include "report/tables/JsonNumber.h"

#include <nlohmann/json.hpp>

namespace planc::report {
namespace {

using Json = nlohmann::ordered_json;

Json text(std::string_view view) {
  return std::string(view);
}
Json place(SourceRange range, const SourceManager& sources) {
  return range.valid() ? Json(sources.where(range)) : Json(nullptr);
}

/// Writes the JSON of a model.
class ModelWriter {
  const ir::Model& model_;
  const SourceManager& sources_;

public:
  ModelWriter(const ir::Model& model, const SourceManager& sources) : model_(model), sources_(sources) {}

  Json dims(const std::vector<ir::DimId>& ids) const {
    Json out = Json::array();
    for (ir::DimId id : ids) out.push_back(model_.dims[id].name.str());
    return out;
  }
  Json value(ir::ValueId id) const { return id.valid() ? Json(model_.pathOf(id)) : Json(nullptr); }
  Json op(ir::OpId id) const { return id.valid() ? Json(model_.pathOf(id)) : Json(nullptr); }

  Json param(ir::ValueId id) const {
    const ir::Value& v = model_.values[id];
    Json out = {{"path", model_.pathOf(id)}, {"dims", dims(v.dims)}, {"trainable", v.trainable}};
    out["tied"] = v.storage.valid() && v.storage != id ? value(v.storage) : Json(nullptr);
    return out;
  }

  Json operatorOf(const ir::Op& op) const {
    auto extent = [&](ir::DimId d) { return ir::sizeOf(model_, d); };
    Json operands = Json::array();
    for (const ir::Operand& o : op.operands) operands.push_back({{"value", value(o.value)}, {"dims", dims(o.dims)}});
    return {{"path", ir::join(op.path)},
            {"op", op.name.str()},
            {"kind", text(ir::name(op.kind))},
            {"operands", std::move(operands)},
            {"result_dims", dims(op.resultDims)},
            {"flops", jsonNumber(op.flops.evaluate(extent, [](int) { return 1.0; }))},
            {"share", op.share},
            {"packed", op.packed},
            {"times", model_.times(op.region)},
            {"where", place(op.range, sources_)}};
  }

  Json layerJson(const ir::Layer& layer) const {
    Json ops = Json::array();
    for (uint32_t i = layer.first.index; i < layer.end.index; ++i) ops.push_back(operatorOf(model_.ops[ir::OpId(i)]));
    return {
        {"name", layer.ref().str()}, {"repeat", layer.repeat}, {"count", layer.count}, {"operators", std::move(ops)}};
  }

  Json run() const {
    Json out = {{"model", model_.name.str()}};
    out["dims"] = Json::array();
    for (const ir::Dim& d : model_.dims)
      out["dims"].push_back(
          {{"name", d.name.str()},
           {"extent", d.kind == ir::DimKind::Routed ? jsonNumber(ir::sizeOf(model_, d)) : Json(d.extent)}});
    out["inputs"] = Json::array();
    for (ir::ValueId id : model_.inputs)
      out["inputs"].push_back({{"path", model_.pathOf(id)}, {"dims", dims(model_.values[id].dims)}});
    out["params"] = Json::array();
    for (ir::ValueId id : model_.params) out["params"].push_back(param(id));
    out["layers"] = Json::array();
    for (const ir::Layer& layer : model_.layers) out["layers"].push_back(layerJson(layer));
    out["loss"] = value(model_.loss);
    return out;
  }
};

/// Writes the JSON of a program.
template <class AnyProgram> class ProgramWriter {
  const AnyProgram& program_;
  const SourceManager& sources_;
  ModelWriter model_;

public:
  ProgramWriter(const AnyProgram& program, const SourceManager& sources)
      : program_(program), sources_(sources), model_(program.model, sources) {}

  std::string className(const ir::ClassHead& layerClass) const {
    const std::string name = program_.refOf(layerClass).str();
    return layerClass.boundaryReshard ? "boundary:" + name : name;
  }

  Json axes(ir::AxisMask mask) const {
    Json out = Json::array();
    for (ir::AxisId id : program_.mesh.list(mask)) out.push_back(program_.mesh.axes[id].name.str());
    return out;
  }

  /// Returns, by dimension, the axes that shard it, major first.
  Json layout(const ir::Layout& layout, const std::vector<ir::DimId>& dims) const {
    Json shard = Json::object();
    for (size_t i = 0; i < layout.shard.size() && i < dims.size(); ++i) {
      if (layout.shard[i].empty()) continue;
      Json list = Json::array();
      for (const ir::Digit& digit : layout.shard[i]) list.push_back(program_.mesh.axes[digit.axis].name.str());
      shard[program_.model->dims[dims[i]].name.str()] = std::move(list);
    }
    return {{"shard", std::move(shard)}, {"partial", axes(layout.partial)}};
  }

  Json write(const ir::Computation& c) const { return {{"node", "compute"}, {"role", text(ir::name(c.role))}}; }

  Json write(const ir::Compute& c) const {
    Json out = write(static_cast<const ir::Computation&>(c));
    const ir::LocalWork& w = c.work;
    out["flops"] = jsonNumber(w.flops);
    out["reads_bytes"] = jsonNumber(w.reads);
    out["writes_bytes"] = jsonNumber(w.writes);
    if (w.m > 0)
      out["gemm"] = {{"batch", jsonNumber(w.batch)},
                     {"m", jsonNumber(w.m)},
                     {"n", jsonNumber(w.n)},
                     {"k", jsonNumber(w.k)},
                     {"dtype", text(ir::name(w.dtype))}};
    return out;
  }

  /// Writes a reshard. No rule causes a reshard directly; its collectives name the rules that cause them.
  Json write(const ir::Reshard& r) const {
    const std::vector<ir::DimId>& dims = program_.model->values[r.value].dims;
    return {{"node", "reshard"},        {"value", model_.value(r.value)},
            {"gradient", r.gradient},   {"from", layout(r.from, dims)},
            {"to", layout(r.to, dims)}, {"because", Json(nullptr)}};
  }

  Json write(const ir::Collective& c) const {
    return {{"node", "collective"},
            {"collective", text(ir::name(c.kind))},
            {"class", text(ir::name(c.cls))},
            {"value", model_.value(c.value)},
            {"gradient", c.gradient},
            {"axis", program_.mesh.str(c.axes)},
            {"group", c.group},
            {"level", levelName(c.level)},
            {"bytes", jsonNumber(c.bytes)},
            {"because", place(c.because, sources_)}};
  }

  Json write(const ir::Copy& c) const {
    return {{"node", "copy"}, {"value", model_.value(c.value)}, {"bytes", jsonNumber(c.bytes)}};
  }

  Json node(const auto& n) const {
    Json out = std::visit([&](const auto& does) { return write(does); }, n.does);
    out["op"] = model_.op(n.op);
    out["phase"] = text(ir::name(n.phase));
    out["times"] = jsonNumber(n.times);
    out["after"] = n.deps;
    return out;
  }

  Json state(const ir::StateCollective& s) const {
    return {{"collective", text(ir::name(s.collective))},
            {"class", text(ir::name(s.cls))},
            {"phase", text(ir::name(s.phase))},
            {"axis", program_.mesh.str(s.axes)},
            {"group", s.group},
            {"level", levelName(s.level)},
            {"bytes", jsonNumber(s.bytes)},
            {"times", s.times},
            {"because", place(s.because, sources_)}};
  }

  Json levelName(size_t level) const {
    return level < program_.mesh.levelNames.size() ? Json(program_.mesh.levelNames[level].str()) : Json(nullptr);
  }

  Json body(const auto& b) const {
    Json out = {{"layer", className(b)}, {"instances", b.instances.count()}};
    const auto add = [&](const char* key, const auto& nodes) {
      out[key] = Json::array();
      for (const auto& n : nodes) out[key].push_back(node(n));
    };
    add("forward", b.forward), add("backward", b.backward);
    double saved = 0;
    for (const ir::Saved& s : b.saved) saved += s.bytes;
    out["saved_bytes"] = jsonNumber(saved);
    out["params"] = Json::array();
    for (const ir::ParamState& p : b.params)
      out["params"].push_back({{"path", model_.value(p.param)},
                               {"layout", layout(p.layout, program_.model->values[p.param].dims)},
                               {"elements", jsonNumber(p.elements)},
                               {"params", axes(p.params)},
                               {"grads", axes(p.grads)},
                               {"optimizer", axes(p.optimizer)}});
    out["states"] = Json::array();
    for (const ir::StateCollective& s : b.states) out["states"].push_back(state(s));
    return out;
  }

  Json run() const {
    Json out = {{"plan", program_.plan ? program_.plan->name.str() : ""}, {"mesh", Json::object()}};
    for (ir::AxisId id : program_.mesh.order)
      out["mesh"][program_.mesh.axes[id].name.str()] = program_.mesh.axes[id].size;
    out["micro_batches"] = program_.microBatches;
    out["stages"] = program_.stages;
    out["chunks"] = program_.chunks;
    out["bodies"] = Json::array();
    for (const auto& b : program_.classes) out["bodies"].push_back(body(b));
    out["virtual_stages"] = Json::array();
    for (const ir::VirtualStage& vs : program_.virtualStages) {
      const ir::StageKind& kind = program_.kindOf(vs.index);
      Json bodies = Json::array(), sends = Json::array();
      for (const auto& [id, count] : kind.classes) bodies.push_back({{"body", id.index}, {"count", count}});
      for (const ir::Boundary& b : kind.sends)
        sends.push_back({{"value", model_.value(b.value)}, {"bytes", jsonNumber(b.bytes)}});
      out["virtual_stages"].push_back({{"index", vs.index},
                                       {"devices", std::vector<int64_t>(vs.devices.begin(), vs.devices.end())},
                                       {"bodies", std::move(bodies)},
                                       {"sends", std::move(sends)}});
    }
    return out;
  }
};

} // namespace

Json json(const ir::Model& model, const SourceManager& sources) {
  return ModelWriter(model, sources).run();
}

Json json(const ir::ShardedProgram& program, const SourceManager& sources) {
  return ProgramWriter(program, sources).run();
}

Json json(const ir::Program& program, const SourceManager& sources) {
  return ProgramWriter(program, sources).run();
}

Json json(const ir::Schedule& schedule, const SourceManager& sources) {
  const ir::Program& program = *schedule.program;
  ProgramWriter writer(program, sources);
  Json out = {{"plan", program.plan ? program.plan->name.str() : ""},
              {"schedule", text(schedule.kind->name())},
              {"micro_batches", program.microBatches},
              {"stages", program.stages},
              {"chunks", program.chunks},
              {"prefetch", schedule.prefetch},
              {"slowdown", schedule.slowdown},
              {"besides", schedule.besides},
              {"inline", Json::object()}};
  for (int c = 0; c < ir::kCollectiveClasses; ++c)
    out["inline"][std::string(ir::name(static_cast<ir::CollectiveClass>(c)))] = schedule.blockingShare[c];
  out["segments"] = Json::array();
  for (const auto* segments : {&schedule.forward, &schedule.backward})
    for (const ir::Segment& segment : *segments) {
      Json tasks = Json::array();
      for (const ir::Task& t : segment.tasks)
        tasks.push_back({{"stream", t.stream == ir::kComputeStream ? Json("compute")
                                                                   : writer.levelName(static_cast<size_t>(t.stream))},
                         {"node", t.node},
                         {"fraction", t.fraction},
                         {"after", t.deps}});
      out["segments"].push_back({{"body", segment.layerClass.index},
                                 {"layer", writer.className(program.classes[segment.layerClass])},
                                 {"direction", segment.backward ? "backward" : "forward"},
                                 {"tasks", std::move(tasks)}});
    }
  return out;
}

} // namespace planc::report
