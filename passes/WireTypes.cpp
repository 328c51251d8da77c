// Types that hold while something travels, and those of them that hold for nothing.
// SPDX-License-Identifier: Apache-2.0
#include "passes/WireTypes.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>
#include <set>

namespace planc::passes {
using namespace ir;

PLANC_WARNING(WireTypeIdle, 766, "`precision {{ {fact} }}` does nothing: {reason}")

const Op* routerOf(const Model& model, const Node& node) {
  for (OpId id : {node.source, node.op})
    if (id.valid() && model.ops[id].copies) return &model.ops[id];
  return nullptr;
}

const WireTypes::Said* wireTypeOf(const Program& program, const Node& node) {
  const Model& model = program.model;
  const auto& onWire = program.plan->precision.onWire;
  auto wireTypesOf = [&](const Op& op) -> const WireTypes::Said* {
    const auto types = onWire.find(op.name);
    if (types == onWire.end()) return nullptr;
    const auto& stated = node.gradient ? types->second.gradient : types->second.result;
    return stated ? &*stated : nullptr;
  };
  if (node.source.valid())
    if (const WireTypes::Said* stated = wireTypesOf(model.ops[node.source])) return stated;
  const bool routed =
      llvm::any_of(model.values[node.value].dims, [&](DimId d) { return model.dims[d].kind == DimKind::Routed; });
  const Op* router = routed ? routerOf(model, node) : nullptr;
  return router ? wireTypesOf(*router) : nullptr;
}

void warnOfIdleWireTypes(const Program& program, DiagnosticEngine& diagnostics) {
  std::set<const WireTypes::Said*> used;
  for (const LayerClass& layerClass : program.classes)
    for (const auto* nodes : {&layerClass.forward, &layerClass.backward})
      for (const Node& node : *nodes)
        if (node.kind == NodeKind::Collective && node.value.valid()) used.insert(wireTypeOf(program, node));
  auto check = [&](const std::optional<WireTypes::Said>& stated, const std::string& fact, const std::string& reason) {
    if (stated && !used.contains(&*stated))
      diagnostics.report(WireTypeIdle, stated->range, {{"fact", fact}, {"reason", reason}}).help("leave it out");
  };
  for (const auto& [op, types] : program.plan->precision.onWire) {
    check(types.result, op.str(), fmt::format("no result of `{}` is on its way to other devices", op.view()));
    check(types.gradient, op.str() + ".grad",
          fmt::format("no gradient that the backward of `{}` makes is on its way to other devices", op.view()));
  }
}

} // namespace planc::passes
